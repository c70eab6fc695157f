// Package store keeps values on the disk: one file per owner, which several processes may use at
// once.
//
//	s := store.New(filepath.Join(home, "store"))
//	err := s.Change(ctx, "user/notes.lua", "n",
//		func(now any) (any, bool, error) { return 1.0, true, nil })
//	v, err := s.Get(ctx, "user/notes.lua", "n")
//
// When Change returns, the value is on the disk, also if the machine stops. A process that is
// killed leaves the old file or the new one, complete. Changes of several processes are serialized,
// and none is lost. A damaged file is an error that names it, and is renamed, never overwritten.
// The values are not encrypted.
//
// Each change writes the whole file: the package is meant for settings and notes, not for
// megabytes.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/filelock"
	"github.com/agentscripts/agent/engine/regularfile"
)

const (
	// MaxFile is the maximal size of all values of an owner as JSON, in bytes: a change writes all
	// of them.
	MaxFile = 16 << 20
	// lockWait is how long a change waits while no other change finishes. A change takes
	// milliseconds, or seconds if the disk is busy.
	lockWait = 20 * time.Second
	// lockPoll is the polling interval of the lock.
	lockPoll = time.Millisecond
	// racy is the age of a file from which an equal modification time means equal content: several
	// changes in a short time may have the same time stamp.
	racy = 2 * time.Second
	// format is the version of the file format.
	format = 1
)

var (
	// ErrBusy is the error of a change that waited too long for the lock.
	ErrBusy = errors.New("another process has locked it, and has not written for 20 seconds")
	// ErrFull is the error of a change that would make the file larger than MaxFile.
	ErrFull = fmt.Errorf("all values together would take more than %d MiB", MaxFile>>20)
)

// DamagedError is the error of the first use of a damaged file. The next use begins with an empty
// file.
type DamagedError struct {
	Path  string // of the file
	Aside string // where it is now
	Err   error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s is damaged (%v): it was renamed to %s, and the store begins empty",
		e.Path, e.Err, e.Aside)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// Store is a folder of files with values. Its methods are safe for concurrent use. An owner is a
// relative path with slashes.
type Store struct {
	dir string

	mu    sync.Mutex
	known map[string]*content // by owner
}

// content is the content of a file when it was read. It is immutable.
type content struct {
	info   fs.FileInfo
	readAt time.Time
	values map[string]any
}

// document is the JSON of a file.
type document struct {
	Version int            `json:"version"`
	Values  map[string]any `json:"values"`
}

// New returns the store in dir, which need not exist.
func New(dir string) *Store { return &Store{dir: dir, known: map[string]*content{}} }

func (s *Store) path(owner string) string {
	return filepath.Join(s.dir, filepath.FromSlash(owner)+".json")
}

// Get returns a value; nil if there is none. The caller must not change it.
func (s *Store) Get(ctx context.Context, owner, key string) (any, error) {
	values, err := s.values(ctx, owner)
	return values[key], err
}

// Values returns all values by their keys. The caller must not change them.
func (s *Store) Values(ctx context.Context, owner string) (map[string]any, error) {
	return s.values(ctx, owner)
}

// values returns the values of an owner. It reads the file only if it has changed since the last
// time.
func (s *Store) values(ctx context.Context, owner string) (map[string]any, error) {
	info, err := os.Stat(s.path(owner))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	c := s.known[owner]
	s.mu.Unlock()
	if c != nil && os.SameFile(info, c.info) && info.Size() == c.info.Size() &&
		info.ModTime().Equal(c.info.ModTime()) && c.readAt.Sub(info.ModTime()) > racy {
		return c.values, nil
	}
	c, err = readFile(s.path(owner))
	if errors.Is(err, errDamaged) { // once more, under the lock
		err = s.locked(ctx, owner, func() error { c, err = s.readForChange(owner); return err })
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.known[owner] = c
	s.mu.Unlock()
	return c.values, nil
}

// Change sets a key to the result of change, which gets the current value; a result of nil deletes
// the key. If do is false, nothing changes. change is called under the lock of the file, so it must
// be quick and must not use the store.
func (s *Store) Change(ctx context.Context, owner, key string,
	change func(now any) (next any, do bool, err error)) error {
	return s.locked(ctx, owner, func() error {
		c, err := s.readForChange(owner)
		if err != nil {
			return err
		}
		next, do, err := change(c.values[key])
		if err != nil || !do || next == nil && c.values[key] == nil {
			return err
		}
		values := make(map[string]any, len(c.values)+1)
		for k, v := range c.values {
			values[k] = v
		}
		if values[key] = next; next == nil {
			delete(values, key)
		}
		return s.replaceFile(owner, values)
	})
}

// locked runs do while it holds the lock of the owner's file, which no other process and no other
// goroutine has.
func (s *Store) locked(ctx context.Context, owner string, do func() error) error {
	path := s.path(owner)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	// One waiter has the lock of the queue and polls the lock of the file; the others poll that of
	// the queue. So the previous owner of the lock does not get it again at once.
	queue, err := lockFile(ctx, path, ".queue")
	if err != nil {
		return err
	}
	lock, err := lockFile(ctx, path, ".lock")
	_ = filelock.Close(queue)
	if err != nil {
		return err
	}
	defer func() { _ = filelock.Close(lock) }()
	return do()
}

// stamp identifies a version of a file.
type stamp struct{ modified, size int64 }

func stampOf(path string) (s stamp) {
	if info, err := os.Stat(path); err == nil {
		s = stamp{info.ModTime().UnixNano(), info.Size()}
	}
	return s
}

// lockFile opens and locks the file at path + suffix. It fails with ErrBusy if for lockWait the
// lock is taken and the file at path does not change.
func lockFile(ctx context.Context, path, suffix string) (*os.File, error) {
	f, err := regularfile.Open(path+suffix, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	was, since := stampOf(path), time.Now()
	for {
		if err = filelock.Try(f); err == nil {
			return f, nil
		}
		if now := stampOf(path); now != was {
			was, since = now, time.Now()
		}
		switch {
		case !errors.Is(err, filelock.ErrLocked):
			err = fmt.Errorf("%s: %w", path+suffix, err)
		case time.Since(since) > lockWait:
			err = fmt.Errorf("%s: %w", path, ErrBusy)
		default:
			err = nil
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		case <-time.After(lockPoll):
		}
	}
}

// readForChange reads the file without the cache. It renames a damaged file.
func (s *Store) readForChange(owner string) (*content, error) {
	path := s.path(owner)
	c, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &content{}, nil
	case !errors.Is(err, errDamaged):
		return c, err
	}
	aside := fmt.Sprintf("%s.damaged-%d", path, time.Now().UnixNano())
	if failed := os.Rename(path, aside); failed != nil {
		return nil, fmt.Errorf("%s is damaged (%w), and cannot be renamed: %w", path, err, failed)
	}
	return nil, &DamagedError{path, aside, err}
}

// errDamaged is the error of a file whose content this package has not written.
var errDamaged = errors.New("invalid content")

func readFile(path string) (*content, error) {
	f, err := regularfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: want a regular file", path)
	}
	c := &content{info: info, readAt: time.Now()}
	var doc document
	if err := json.NewDecoder(f).Decode(&doc); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if doc.Version > format {
		return nil, fmt.Errorf("%s: got format version %d of a newer program, want at most %d",
			path, doc.Version, format)
	}
	if doc.Version < 1 || doc.Values == nil {
		return nil, fmt.Errorf("%w: version and values are missing", errDamaged)
	}
	c.values = doc.Values
	return c, nil
}

// replaceFile replaces the file in one step. It is called under the lock, so that the temporary
// file can have a fixed name.
func (s *Store) replaceFile(owner string, values map[string]any) error {
	path := s.path(owner)
	b, err := json.Marshal(document{format, values})
	if err != nil {
		return err
	}
	if len(b) > MaxFile {
		return ErrFull
	}
	f, err := regularfile.Open(path+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return atomicfile.PutDurable(f, append(b, '\n'), path)
}
