// Package store keeps values on the disk, for as long as the user wants them: one file per owner,
// which several processes use at once.
//
//	s := store.New(filepath.Join(home, "store"))
//	err := s.Change(ctx, "user/notes.lua", "n", func(now any) (any, bool, error) { return 1.0, true, nil })
//	v, err := s.Get(ctx, "user/notes.lua", "n")
//
// It promises: what Change has stored is on the disk when it returns, also if the machine stops; a
// process that is killed leaves the old file or the new one, whole; changes of several processes
// come one after the other, and none is lost; a file that cannot be read is an error that names it,
// and is put aside, never written over. It does not hide anything from who can read the user's
// files.
//
// Each change writes the whole file: it is meant for settings and notes, not for data by the
// megabyte.
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
)

const (
	// MaxFile is how large all values of an owner may be together, as JSON: a change writes all of
	// them.
	MaxFile = 16 << 20
	// lockWait is how long a change waits for another one to end: each takes some milliseconds, and
	// seconds where a disk has much else to write. As long as others finish theirs it waits on.
	lockWait = 20 * time.Second
	// lockPoll is how often it looks whether they are done.
	lockPoll = time.Millisecond
	// racy is how old a file's last change must be for its time stamp to vouch for its content:
	// several changes may share one stamp.
	racy = 2 * time.Second
	// format is the version of the files.
	format = 1
)

var (
	// ErrBusy is the error of a change that waited for somebody who does not finish his.
	ErrBusy = errors.New("another process has locked it, and has not written for 20 seconds")
	// ErrFull is the error of a change that would make the file larger than MaxFile.
	ErrFull = fmt.Errorf("all values together would take more than %d MiB", MaxFile>>20)
)

// DamagedError is the error of the first use of a file that cannot be read. The next use begins
// with nothing.
type DamagedError struct {
	Path  string // of the file
	Aside string // where it is now
	Err   error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s is damaged (%v): it was put aside as %s, and what is kept begins anew",
		e.Path, e.Err, e.Aside)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// Store is a folder of such files. Its methods are safe for concurrent use. An owner is a relative
// path with slashes.
type Store struct {
	dir string

	mu    sync.Mutex
	known map[string]*content // by owner
}

// content is what a file held when it was read. Nobody changes it.
type content struct {
	info   fs.FileInfo
	readAt time.Time
	values map[string]any
}

// document is the file.
type document struct {
	Version int            `json:"version"`
	Values  map[string]any `json:"values"`
}

// New returns the store in dir, which need not be there.
func New(dir string) *Store { return &Store{dir: dir, known: map[string]*content{}} }

func (s *Store) path(owner string) string {
	return filepath.Join(s.dir, filepath.FromSlash(owner)+".json")
}

// Get returns a value, nil if there is none. Nobody may change it.
func (s *Store) Get(ctx context.Context, owner, key string) (any, error) {
	values, err := s.values(ctx, owner)
	return values[key], err
}

// Values returns all values by their keys. Nobody may change them.
func (s *Store) Values(ctx context.Context, owner string) (map[string]any, error) {
	return s.values(ctx, owner)
}

// values reads the file, unless it is known to be what was read last.
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
	if errors.Is(err, errDamaged) { // once more, alone with it
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

// Change sets a key to what change makes of its value; nil takes it away. change may say that
// nothing is to happen. It is called while nobody else can change the file, so it must be quick and
// must not use the store.
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

// locked runs do while no other process, and nobody else in this one, changes the owner's file.
func (s *Store) locked(ctx context.Context, owner string, do func() error) error {
	path := s.path(owner)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	// Only one at a time waits for the lock, the others for that place: who has just had the lock
	// is not the next one, too.
	place, err := alone(ctx, path, ".queue")
	if err != nil {
		return err
	}
	lock, err := alone(ctx, path, ".lock")
	_ = filelock.Close(place)
	if err != nil {
		return err
	}
	defer func() { _ = filelock.Close(lock) }()
	return do()
}

// stamp tells versions of a file apart.
type stamp struct{ modified, size int64 }

func stampOf(path string) (s stamp) {
	if info, err := os.Stat(path); err == nil {
		s = stamp{info.ModTime().UnixNano(), info.Size()}
	}
	return s
}

// alone opens the file at path + suffix, which one process at a time has open: who changes the file
// at path.
func alone(ctx context.Context, path, suffix string) (*os.File, error) {
	f, err := os.OpenFile(path+suffix, os.O_CREATE|os.O_RDWR, 0o600)
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

// readForChange reads the file for a change: what is there now, whatever is known. A damaged one is
// put aside.
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
		return nil, fmt.Errorf("%s is damaged (%w), and cannot be put aside: %w", path, err, failed)
	}
	return nil, &DamagedError{path, aside, err}
}

// errDamaged is the error of a file that is not what was written.
var errDamaged = errors.New("not what was written")

func readFile(path string) (*content, error) {
	f, err := os.Open(path)
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
		return nil, fmt.Errorf("%s: version %d is of a newer program: this one knows %d", path,
			doc.Version, format)
	}
	if doc.Version < 1 || doc.Values == nil {
		return nil, fmt.Errorf("%w: version and values are missing", errDamaged)
	}
	c.values = doc.Values
	return c, nil
}

// replaceFile puts a new file in the place of the old one, in one step. Only who has the lock calls
// it: one name will do for what is not done yet.
func (s *Store) replaceFile(owner string, values map[string]any) error {
	path := s.path(owner)
	b, err := json.Marshal(document{format, values})
	if err != nil {
		return err
	}
	if len(b) > MaxFile {
		return ErrFull
	}
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return atomicfile.PutDurable(f, append(b, '\n'), path)
}
