// Package output limits the output of tools to what a model gets, and stores the whole output in a
// file.
//
//	store := output.New(home)
//	defer store.Close()
//	r := store.Record("bash")  // or, of a text that is there already: store.Fit(text, "mcp")
//	r.Add(piece)
//	r.Close()
//	r.Text()                   // the beginning, what was left out and where it is, the end
//
// All tools have the same limit. Added text must be masked already: a model may read the file.
package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/plain"
)

const (
	// Bytes and Lines are how much of a result a model is given: some 13,000 tokens, and more than
	// most files and test runs have. Of a longer result, it gets half of that from each end.
	Bytes = 50 << 10
	Lines = 2000
	// Room is the additional room for a tool's own notes.
	Room = 4 << 10
	// roomLines is the same in lines.
	roomLines = 50

	// fileBytes limits one file: an endless loop must not fill the disk.
	fileBytes = 64 << 20
	// keepFor is how long files are kept: as long as their session is likely to be resumed.
	keepFor = 7 * 24 * time.Hour
	// keepBytes limits all files together; the oldest are removed first.
	keepBytes = 1 << 30
	// keepFiles limits their number: a folder must be fast to list.
	keepFiles = 5000
)

// Store is the folder of complete outputs. Its methods are safe for concurrent use.
type Store struct {
	mu   sync.Mutex
	dir  string // "" = none yet
	temp bool   // dir is removed when the program ends
}

// New returns the store below the agent's own directory, and removes old files. Without a home it
// uses a temporary directory, which is created when it is needed.
func New(home string) *Store {
	s := &Store{temp: home == ""}
	if home != "" {
		s.dir = filepath.Join(home, "output")
		s.sweep(time.Now())
	}
	return s
}

// Close removes a temporary directory.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.temp && s.dir != "" {
		os.RemoveAll(s.dir)
		s.dir = ""
	}
}

// Create creates an empty file that only the user can read. what begins its name.
func (s *Store) Create(what string) (*File, error) {
	dir, err := s.folder()
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, time.Now().Format("20060102-150405-")+what+"-*.txt") // 0600
	if err != nil {
		return nil, err
	}
	return &File{f: f}, nil
}

// Keep stores data in a file that only the user can read, and returns its path. what begins its
// name, and ext ends it.
func (s *Store) Keep(what, ext string, data []byte) (path string, err error) {
	dir, err := s.folder()
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, what+"-*"+ext) // 0600
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

func (s *Store) folder() (string, error) {
	if s == nil {
		return "", errors.New("nothing is kept here")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.temp && s.dir == "" {
		dir, err := os.MkdirTemp("", "agent-output-*") // 0700
		if err != nil {
			return "", err
		}
		s.dir = dir
		return dir, nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", err
	}
	s.bound(time.Now())
	return s.dir, nil
}

func (s *Store) sweep(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bound(now)
}

// bound removes files that are too old or too many. It ignores errors. Called under s.mu.
func (s *Store) bound(now time.Time) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	var infos []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			infos = append(infos, info)
		}
	}
	// newest first
	sort.Slice(infos, func(i, j int) bool { return infos[i].ModTime().After(infos[j].ModTime()) })
	size := int64(0)
	for i, info := range infos {
		if size += info.Size(); now.Sub(info.ModTime()) > keepFor || size > keepBytes ||
			i >= keepFiles {
			os.Remove(filepath.Join(s.dir, info.Name()))
		}
	}
}

// File is the whole of an output, up to a limit. Its methods may be called by one goroutine at a
// time.
type File struct {
	f       *os.File
	written int64
	wanted  int64
	err     error
}

// Path returns the file's name, absolute if the store's folder is.
func (f *File) Path() string { return f.f.Name() }

// Size returns how much has been written to the file.
func (f *File) Size() int64 { return f.written }

// Add appends text. It drops text that exceeds the limit or cannot be written; Where reports that.
func (f *File) Add(text string) {
	dropped := f.written < f.wanted
	f.wanted += int64(len(text))
	if f.err != nil || dropped {
		return
	}
	n, err := f.f.WriteString(plain.Head(text, int(fileBytes-f.written)))
	f.written += int64(n)
	f.err = err
}

// Close closes the file, which is kept.
func (f *File) Close() { f.f.Close() }

// Where says for a model where the whole output is.
func (f *File) Where() string {
	switch {
	case f.err != nil:
		return "the whole output could not be kept: " + plain.Error(f.err)
	case f.written < f.wanted:
		return fmt.Sprintf("its first %d MB are in %s", fileBytes>>20, f.Path())
	}
	return "the whole output is in " + f.Path() + ": grep it, or read a part of it"
}
