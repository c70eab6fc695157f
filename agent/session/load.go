// This file loads sessions.

package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agentscripts/agent/engine/filelock"
	"github.com/agentscripts/agent/engine/regularfile"
)

// ErrNoSession is the error for a file that does not begin with a session's header.
var ErrNoSession = errors.New("not a session file")

// Load reads a session without opening it for writing: appending to it fails. It drops an
// incomplete last line and skips other invalid lines (see Damaged). The entries after a skipped
// line follow the entry before it.
func Load(path string) (*Session, error) {
	b, err := regularfile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("load session: %w", err)
	}
	s, err := parse(b)
	if err != nil {
		return nil, fmt.Errorf("load session %s: %w", path, err)
	}
	s.file.path, s.file.readOnly = path, true
	return s, nil
}

// Open reads a session like Load and opens it for writing. Until it is closed, no other process can
// open it. If another process has it open, the error is an *InUseError.
func Open(path string) (*Session, error) {
	f, err := openLocked(path)
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	s, err := readOpen(f)
	if err != nil {
		_ = filelock.Close(f)
		return nil, fmt.Errorf("open session %s: %w", path, err)
	}
	return s, nil
}

// readOpen reads the session of a locked file, removes an incomplete line, and records that this
// process writes from here on.
func readOpen(f *os.File) (*Session, error) {
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	s, err := parse(b)
	if err != nil {
		return nil, err
	}
	s.file.path, s.file.f = f.Name(), f
	if s.file.keep < s.file.size {
		if err := os.Truncate(s.file.path, s.file.keep); err != nil {
			return nil, err
		}
	}
	if b, err = marshal(&line{Type: typeOpen, PID: os.Getpid(), Time: s.now().UTC()}); err == nil {
		// the work continues on a full disk; the first entry reports the error
		_ = s.file.write(b, s)
	}
	return s, nil
}

func parse(b []byte) (*Session, error) {
	s := &Session{tree: newTree(), file: file{size: int64(len(b))}}
	s.defaults()
	head, rest, whole := bytes.Cut(b, []byte{'\n'})
	var h line
	if err := json.Unmarshal(head, &h); err != nil || !whole || h.Type != typeSession ||
		h.ID == "" {
		return nil, ErrNoSession
	}
	if h.Version > Version {
		return nil, fmt.Errorf(
			"its format is version %d, and this program knows %d: use a newer one", h.Version,
			Version)
	}
	s.head = line{Type: typeSession, Version: Version, ID: h.ID, CWD: h.CWD, Time: h.Time,
		From: h.From, Parent: h.Parent}
	// the rest is an incomplete line, because each write ends with the newline
	s.file.keep = int64(bytes.LastIndexByte(b, '\n') + 1)
	texts := bytes.SplitAfter(rest[:s.file.keep-int64(len(head))-1], []byte{'\n'})
	for i, l := range decodeAll(texts) {
		if !s.tree.takeLine(l) {
			s.damaged = append(s.damaged, i+2)
		}
	}
	s.tree.follow()
	return s, nil
}

// decoded is the content of one line.
type decoded struct {
	entry *Entry
	none  bool // no entry of the tree
}

// decodeAll decodes the lines on several goroutines: decoding JSON takes nearly all of the time to
// open a session.
func decodeAll(texts [][]byte) []decoded {
	const (
		most = 4   // more would wait for memory
		part = 256 // lines: a short session is not worth a goroutine
	)
	out := make([]decoded, len(texts))
	var next atomic.Int64
	work := func() {
		var l line
		for {
			to := int(next.Add(part))
			for i := to - part; i < min(to, len(texts)); i++ {
				out[i] = decodeLine(&l, texts[i])
			}
			if to >= len(texts) {
				return
			}
		}
	}
	var others sync.WaitGroup
	for range min(most, runtime.GOMAXPROCS(0), len(texts)/part+1) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	return out
}

func decodeLine(l *line, text []byte) decoded {
	if len(bytes.TrimSpace(text)) == 0 {
		return decoded{none: true}
	}
	if err := l.decode(text); err != nil {
		return decoded{}
	}
	if l.Type == typeOpen {
		return decoded{none: true}
	}
	return decoded{entry: l.entry()}
}

// takeLine adds the content of a line; false if it is invalid.
func (t *tree) takeLine(d decoded) bool {
	e := d.entry
	if d.none || e == nil {
		return d.none
	}
	if t.byID[e.ID] != nil {
		return false
	}
	if t.byID[e.Parent] == nil && (e.Fork == nil || e.Parent != "") {
		e.Parent = t.leaf
	}
	t.noteEntry(e)
	return true
}

// idOf returns the id of the session from the name of its file, or the name itself if it has
// another form.
func idOf(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), extension)
	if _, id, ok := strings.Cut(name, "-"); ok {
		return id
	}
	return name
}
