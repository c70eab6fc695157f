// Package session keeps a conversation in an append-only file, as it happens.
//
//	s := session.New(session.Options{Dir: session.Dir(home, project), CWD: cwd})
//	e, err := s.Append(session.Entry{Message: &engine.Message{Role: "user", Content: text}})
//	...
//	s, err = session.Load(path)
//
// The file is JSONL: a header line, then one line per entry. An entry names its parent, so the file is
// a tree, and appending after an earlier entry forks it. A line is written by one write as soon as the
// entry exists: what the process did before it was killed is in the file, but for at most one torn last
// line, which is dropped when the session is read and removed when it goes on.
//
// The package does not lock the file: two processes must not append to one session.
package session

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Version is the version of the file format.
const Version = 1

const (
	fileMode = 0o600 // conversations are private
	dirMode  = 0o700
)

// Options says where a new session goes.
type Options struct {
	Dir string // folder of the file, made when it is needed; "" = in memory only
	CWD string
	Now func() time.Time // nil = time.Now
	// NewID makes the ids of the session and its entries: short, safe in file names, hardly ever the same
	// twice (a session asks again until an id is new to it). nil = 8 random hex digits.
	NewID func() string
}

// Session is one conversation. Its methods are safe for concurrent use.
type Session struct {
	id   string
	path string // "" = in memory only
	cwd  string
	time time.Time
	now  func() time.Time
	rand func() string

	mu      sync.Mutex
	file    *os.File // opened at the first append
	keep    int64    // bytes of the file that are whole lines: what a torn line behind them is cut to
	size    int64    // of the file when it was read; -1 = there is none yet
	entries []*Entry // in the order of the file
	byID    map[string]*Entry
	leaf    string // the entry that the next one follows
	damaged []int  // lines that could not be read, 1-based
}

// Dir is where sessions of a project are kept: $home/sessions/NAME-HASH. The hash tells projects of the
// same name apart.
func Dir(home, project string) string {
	sum := sha256.Sum256([]byte(project))
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, filepath.Base(project))
	const longest = 40 // of a folder's name; the hash does the telling apart
	if len(name) > longest {
		name = name[:longest]
	}
	return filepath.Join(home, "sessions", strings.Trim(name, "-")+"-"+hex.EncodeToString(sum[:4]))
}

// New makes an empty session. Nothing is written before the first Append.
func New(o Options) *Session {
	s := &Session{cwd: o.CWD, now: o.Now, rand: o.NewID, size: -1, byID: map[string]*Entry{}}
	s.defaults()
	s.time = s.now().UTC()
	s.id = s.rand()
	if o.Dir != "" {
		s.path = filepath.Join(o.Dir, s.time.Format("20060102T150405Z")+"-"+s.id+".jsonl")
	}
	return s
}

func (s *Session) defaults() {
	if s.now == nil {
		s.now = time.Now
	}
	if s.rand == nil {
		s.rand = randomID
	}
}

func randomID() string {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// ID is the session's id.
func (s *Session) ID() string { return s.id }

// Path is where the session is, or will be, written; "" = nowhere.
func (s *Session) Path() string { return s.path }

// CWD is the directory that the session was begun in.
func (s *Session) CWD() string { return s.cwd }

// Time is when the session was begun.
func (s *Session) Time() time.Time { return s.time }

// Damaged lists the lines that Load could not read, 1-based; a torn last line is not among them.
func (s *Session) Damaged() []int { return s.damaged }

// NewID returns an id that no entry has. Entries get one by themselves; this is for who must name an
// entry before it is complete.
func (s *Session) NewID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newID()
}

func (s *Session) newID() string {
	for {
		if id := s.rand(); s.byID[id] == nil {
			return id
		}
	}
}

// Append puts e behind the last entry and writes it down. ID and Time are filled in if they are empty, Parent
// always. On error the entry is part of the conversation all the same, but not of the file: a full disk
// must not end the work.
func (s *Session) Append(e Entry) (*Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.ID == "" {
		e.ID = s.newID()
	}
	if e.Time.IsZero() {
		e.Time = s.now().UTC()
	}
	e.Parent = s.leaf
	if e.Message != nil {
		m := *e.Message
		m.ID = e.ID
		e.Message = &m
	}
	s.add(&e)
	if s.path == "" {
		return &e, nil
	}
	b, err := encode(&e)
	if err == nil {
		err = s.write(b)
	}
	if err != nil {
		return &e, fmt.Errorf("append to session %s: %w", s.path, err)
	}
	return &e, nil
}

func (s *Session) add(e *Entry) {
	s.entries = append(s.entries, e)
	s.byID[e.ID] = e
	s.leaf = e.ID
}

// write appends one whole line. What a failed write left of a line is cut off again.
func (s *Session) write(b []byte) error {
	if s.file == nil {
		if err := s.open(); err != nil {
			return err
		}
	}
	n, err := s.file.Write(b)
	if err != nil {
		if n > 0 {
			s.file.Truncate(s.keep) // as good as can be: the next reader drops a torn line too
		}
		return err
	}
	s.keep += int64(n)
	return nil
}

// open creates the file with its header, or reopens the one that was loaded and cuts off a torn line.
func (s *Session) open() error {
	if s.size < 0 {
		return s.create()
	}
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	st, err := f.Stat()
	switch {
	case err != nil:
	case st.Size() != s.size:
		err = fmt.Errorf("the file has changed since it was read: another process writes to it")
	case s.keep < s.size:
		err = f.Truncate(s.keep)
	}
	if err != nil {
		f.Close()
		return err
	}
	s.file = f
	return nil
}

func (s *Session) create() error {
	if err := os.MkdirAll(filepath.Dir(s.path), dirMode); err != nil {
		return err
	}
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	b, err := marshal(&line{Type: "session", Version: Version, ID: s.id, CWD: s.cwd, Time: s.time})
	if err == nil {
		_, err = f.Write(b)
	}
	if err != nil {
		f.Close()
		os.Remove(s.path) // so that the next append can try again
		return err
	}
	s.file, s.keep = f, int64(len(b))
	return nil
}

// Close closes the file. The session can still be read, and appending reopens it.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file, s.size = nil, s.keep
	return err
}
