// This file reads sessions back.
package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// ErrNoSession is the error for a file that does not begin with a session's header.
var ErrNoSession = errors.New("not a session file")

// Load reads a session to look at it: appending to it fails. A torn last line is dropped; other lines that
// cannot be read are skipped (Damaged), and what followed them follows the line before.
func Load(path string) (*Session, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load session: %w", err)
	}
	s, err := parse(b)
	if err != nil {
		return nil, fmt.Errorf("load session %s: %w", path, err)
	}
	s.path, s.readOnly = path, true
	return s, nil
}

// Open reads a session as Load does, to go on with it. Until it is closed no other process can: an *InUseError
// says that one already does.
func Open(path string) (*Session, error) {
	f, err := openLocked(path)
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	s, err := readOpen(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open session %s: %w", path, err)
	}
	return s, nil
}

// readOpen reads the session of a locked file, takes a torn line off it, and says who writes from here on.
func readOpen(f *os.File) (*Session, error) {
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	s, err := parse(b)
	if err != nil {
		return nil, err
	}
	s.path, s.file = f.Name(), f
	if s.keep < s.size {
		if err := os.Truncate(s.path, s.keep); err != nil {
			return nil, err
		}
	}
	if b, err = marshal(&line{Type: typeOpen, PID: os.Getpid(), Time: s.now().UTC()}); err == nil {
		_ = s.write(b) // on a full disk the work goes on; it is said at the first entry
	}
	return s, nil
}

func parse(b []byte) (*Session, error) {
	s := &Session{size: int64(len(b)), byID: map[string]*Entry{}, labels: map[string]string{}}
	s.defaults()
	head, rest, whole := bytes.Cut(b, []byte{'\n'})
	var h line
	if err := json.Unmarshal(head, &h); err != nil || !whole || h.Type != typeSession || h.ID == "" {
		return nil, ErrNoSession
	}
	if h.Version > Version {
		return nil, fmt.Errorf("its format is version %d, and this program knows %d: use a newer one", h.Version, Version)
	}
	s.id, s.cwd, s.time, s.from, s.parent = h.ID, h.CWD, h.Time, h.From, h.Parent
	s.keep = int64(len(head)) + 1
	for n := 2; len(rest) > 0; n++ {
		var text []byte
		text, rest, whole = bytes.Cut(rest, []byte{'\n'})
		if !whole { // torn: the newline is the last byte of each write
			break
		}
		s.keep += int64(len(text)) + 1
		if len(bytes.TrimSpace(text)) > 0 && !s.take(text) {
			s.damaged = append(s.damaged, n)
		}
	}
	s.follow()
	return s, nil
}

// take adds the entry of one line; false if there is none to be read.
func (s *Session) take(text []byte) bool {
	l, err := decode(text)
	switch {
	case err != nil:
		return false
	case l.Type == typeOpen:
		return true
	case s.byID[l.ID] != nil:
		return false
	}
	e := l.entry()
	if s.byID[e.Parent] == nil && (e.Fork == nil || e.Parent != "") {
		e.Parent = s.leaf
	}
	s.note(e)
	return true
}

// idOf is the id of the session whose file has the name; the name itself if it is another kind of name.
func idOf(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), extension)
	if _, id, ok := strings.Cut(name, "-"); ok {
		return id
	}
	return name
}
