// Package session keeps a conversation in an append-only file, as it happens.
//
//	s := session.New(session.Options{Dir: session.Dir(home, project), CWD: cwd})
//	e, err := s.Append(session.Entry{Message: &chat.Message{Role: "user", Content: text}})
//	...
//	s, err = session.Open(path) // to go on with it
//	s, err = session.Load(path) // to look at it
//
// The file is JSONL: a header line, then one line per entry. An entry names its parent, so the file
// is a tree; a fork is an entry that names an earlier one. A line is written by one write as soon
// as the entry exists, and is never changed, unless somebody takes the file away (see Restored):
// what the process did before it was killed is in the file, but for at most one torn last line,
// which is dropped when the session is read and removed when it goes on. Lines that cannot be read
// are skipped and reported.
//
// One process writes to a session at a time: it holds a lock on the file, which the system takes
// away when the process ends, however it ends. Reading needs no lock.
//
// What the user saw of a message may differ from the model's words, because a script rewrote or hid
// it. The file has both; the conversation is made of the model's words, all that is shown of what
// was shown.
package session

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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
	// folder is where the sessions of all projects are, in a home.
	folder = "sessions"
	// extension ends the name of a session's file, which is TIME-ID before it.
	extension = ".jsonl"
)

// Types of lines that are no entries.
const (
	typeSession = "session" // the header
	typeOpen    = "open"    // another process goes on writing
)

// ErrReadOnly is the error of appending to a session that was only loaded.
var ErrReadOnly = errors.New("the session was opened for reading only")

// Options says where a new session goes.
type Options struct {
	Dir string // folder of the file, made when it is needed; "" = in memory only
	CWD string
	// Parent is the id of the session of whom this one's agent works for; "" = for the user.
	Parent string
	Now    func() time.Time // nil = time.Now
	// NewID makes the ids of the session and its entries: short, safe in file names, hardly ever
	// the same twice (a session asks again until an id is new to it). nil = 8 random hex digits.
	NewID func() string
}

// Session is one conversation. Its methods are safe for concurrent use.
type Session struct {
	head    line // the first line of the file, without the process
	now     func() time.Time
	rand    func() string
	damaged []int // lines that could not be read, 1-based

	mu   sync.Mutex // of what is below
	tree tree
	file file
}

// Dir is where sessions of a project are kept: $home/sessions/NAME-HASH. The hash tells projects of
// the same name apart.
func Dir(home, project string) string {
	sum := sha256.Sum256([]byte(project))
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' ||
			r == '_' {
			return r
		}
		return '-'
	}, filepath.Base(project))
	const longest = 40 // of a folder's name; the hash does the telling apart
	if len(name) > longest {
		name = name[:longest]
	}
	return filepath.Join(home, folder, strings.Trim(name, "-")+"-"+hex.EncodeToString(sum[:4]))
}

// New makes an empty session. Nothing is written before the first Append.
func New(o Options) *Session {
	s := &Session{now: o.Now, rand: o.NewID, tree: newTree(), file: file{size: -1}}
	s.defaults()
	s.head = line{Type: typeSession, Version: Version, ID: s.rand(), Time: s.now().UTC(),
		CWD: o.CWD, Parent: o.Parent}
	if o.Dir != "" {
		s.file.path = filepath.Join(o.Dir,
			s.head.Time.Format("20060102T150405Z")+"-"+s.head.ID+extension)
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
func (s *Session) ID() string { return s.head.ID }

// Path is where the session is, or will be, written; "" = nowhere.
func (s *Session) Path() string { return s.file.path }

// CWD is the directory that the session was begun in.
func (s *Session) CWD() string { return s.head.CWD }

// Parent is the id of the session of whom this one's agent works for: it is a sub-agent's. "" = it
// works for the user.
func (s *Session) Parent() string { return s.head.Parent }

// Time is when the session was begun.
func (s *Session) Time() time.Time { return s.head.Time }

// Damaged lists the lines that could not be read, 1-based; a torn last line is not among them.
func (s *Session) Damaged() []int { return s.damaged }

// NewID returns an id that no entry has. Entries get one by themselves; this is for who must name
// an entry before it is complete.
func (s *Session) NewID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newID()
}

func (s *Session) newID() string {
	for {
		if id := s.rand(); s.tree.byID[id] == nil {
			return id
		}
	}
}
