// Package session stores a conversation in an append-only file, as it happens.
//
//	s := session.New(session.Options{Dir: session.Dir(home, project), CWD: cwd})
//	e, err := s.Append(session.Entry{Message: &chat.Message{Role: "user", Content: text}})
//	...
//	s, err = session.Open(path) // to go on with it
//	s, err = session.Load(path) // to look at it
//
// The file is JSONL: a header line, then one line per entry. An entry names its parent, so the file
// is a tree; a fork is an entry that names an earlier one. Each line is written with one write as
// soon as the entry exists, and never changes, unless someone removes the file (see Restored). If
// the process is killed, the file has everything except at most one incomplete last line, which
// readers drop and Open removes. Readers skip and report invalid lines.
//
// One process writes to a session at a time: it holds a lock on the file, which the system releases
// when the process ends in any way. Reading needs no lock.
//
// The user may have seen other words than the model's, because a script rewrote or hid a message.
// The file has both: the conversation consists of the model's words, and everything that is shown
// to the user consists of what the user saw.
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

	"github.com/agentscripts/agent/engine/plain"
)

// Version is the version of the file format.
const Version = 1

const (
	fileMode = 0o600 // conversations are private
	dirMode  = 0o700
	// folder is the folder of the sessions of all projects, in a home.
	folder = "sessions"
	// extension is the end of a session's file name, after TIME-ID.
	extension = ".jsonl"
)

// Types of lines that are not entries.
const (
	typeSession = "session" // the header
	typeOpen    = "open"    // another process writes from here on
)

// ErrReadOnly is the error of appending to a session that was only loaded.
var ErrReadOnly = errors.New("the session was opened for reading only")

// Options configures a new session.
type Options struct {
	Dir string // folder of the file, created when it is needed; "" = in memory only
	CWD string
	// Parent is the id of the parent agent's session; "" = none, for the main agent.
	Parent string
	Now    func() time.Time // nil = time.Now
	// NewID returns ids for the session and its entries: short, safe in file names, and rarely
	// repeated (a session asks again until an id is new to it). nil = 8 random hex digits.
	NewID func() string
}

// Session is one conversation. Its methods are safe for concurrent use.
type Session struct {
	head    line // the first line of the file, without the process
	now     func() time.Time
	rand    func() string
	damaged []int // invalid lines, 1-based

	mu   sync.Mutex // protects the fields below
	tree tree
	file file
}

// Dir returns the folder for sessions of a project: $home/sessions/NAME-HASH. The hash
// distinguishes projects of the same name.
func Dir(home, project string) string {
	sum := sha256.Sum256([]byte(project))
	name := plain.Name(filepath.Base(project), '-')
	const longest = 40 // of a folder's name; the hash makes it unique
	name = strings.Trim(plain.Head(name, longest), "-")
	return filepath.Join(home, folder, name+"-"+hex.EncodeToString(sum[:4]))
}

// New returns an empty session. It writes nothing before the first Append.
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

// ID returns the session's id.
func (s *Session) ID() string { return s.head.ID }

// Path returns the path of the file, which may not exist yet; "" = in memory only.
func (s *Session) Path() string { return s.file.path }

// CWD returns the directory in which the session began.
func (s *Session) CWD() string { return s.head.CWD }

// Parent returns the id of the parent agent's session if this one belongs to a sub-agent, otherwise
// "".
func (s *Session) Parent() string { return s.head.Parent }

// Time returns when the session began.
func (s *Session) Time() time.Time { return s.head.Time }

// Damaged lists the invalid lines, 1-based, except a torn last line.
func (s *Session) Damaged() []int { return s.damaged }

// NewID returns an id that no entry has. Append sets an id itself; NewID is for callers that need
// the id of an entry before it is complete.
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
