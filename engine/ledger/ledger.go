// Package ledger keeps a list of the user's decisions in a JSON file that several processes share.
//
//	f := ledger.File[entry]{Path: filepath.Join(home, "trust.json"), Version: 1}
//	entries, err := f.Read()
//	err = f.Update(func(entries []entry) []entry { return append(entries, made) })
//
// Because the entries decide what may run, a file that others may write, or that is damaged, is an
// error, and is not overwritten.
package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/filelock"
	"github.com/agentscripts/agent/engine/regularfile"
)

// maxFile is the maximal size of the file in bytes: no user decides so much.
const maxFile = 4 << 20

// File is a list in a file.
type File[E any] struct {
	Path    string // "" = no entries, and none can be stored
	Version int    // of the entries' format: a different one is an error
	Private bool   // a file that others may read is an error too
	Keeper  Keeper // says which version of the file is in force; nil = the file itself
}

// ErrLost is the cause of a Keeper's error if the version in force is lost: its text says what the
// user can do.
var ErrLost = errors.New("the version in force is lost")

// Keeper keeps the version of a file that is in force while another one waits for the user.
type Keeper interface {
	// Read returns the version in force; fs.ErrNotExist if there is none.
	Read(path string) ([]byte, error)
	// Base returns the version to change: an error if another one waits.
	Base(path string) ([]byte, error)
	// Wrote is told that the user's decision was written to the file.
	Wrote(path string, b []byte) error
}

// Read returns the entries: none if there is no file.
func (f File[E]) Read() ([]E, error) {
	var items []E
	if err := file(f).readList(&items, false); err != nil {
		return nil, err
	}
	return items, nil
}

// Update stores the result of change for the entries, one process at a time.
func (f File[E]) Update(change func([]E) []E) error {
	var items []E
	return file(f).updateList(&items, func() any { return change(items) })
}

// file is a File whose entries have any type: the code is there once.
type file struct {
	Path    string
	Version int
	Private bool
	Keeper  Keeper
}

type document struct {
	Version int `json:"version"`
	Items   any `json:"items"`
}

// readList reads the entries into a list; change says that they are to be changed.
func (f file) readList(into any, change bool) error {
	if f.Path == "" {
		return nil
	}
	info, err := os.Lstat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.Keeper == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case f.Keeper != nil && info.Mode()&fs.ModeSymlink == 0 &&
		(!info.Mode().IsRegular() || info.Size() > maxFile): // a version may be in force
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return fmt.Errorf("%s: want a plain file of at most %d MiB", f.Path, maxFile>>20)
	case runtime.GOOS == "windows":
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s: others may write it (mode %o): chmod 600 it", f.Path,
			info.Mode().Perm())
	case f.Private && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s: others may read it (mode %o): chmod 600 it", f.Path,
			info.Mode().Perm())
	}
	b, err := f.readVersion(change)
	if f.Keeper != nil && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	doc := document{Items: into}
	if err = json.Unmarshal(b, &doc); err == nil && doc.Version != f.Version {
		err = fmt.Errorf("got version %d, want %d", doc.Version, f.Version)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	return nil
}

// readVersion reads the version in force, or the one to change.
func (f file) readVersion(change bool) ([]byte, error) {
	switch {
	case f.Keeper == nil:
		return regularfile.Read(f.Path)
	case change:
		return f.Keeper.Base(f.Path)
	}
	return f.Keeper.Read(f.Path)
}

// updateList reads the entries into a list, and stores what changed returns then.
func (f file) updateList(into any, changed func() any) error {
	if f.Path == "" {
		return errors.New("there is no directory to store it in")
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return err
	}
	lock, err := filelock.Open(f.Path + ".lock")
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	defer func() { _ = filelock.Close(lock) }()
	if err := f.readList(into, true); err != nil {
		return err
	}
	b, err := json.MarshalIndent(document{f.Version, changed()}, "", "  ")
	if err != nil {
		return err
	}
	b = append(b, '\n')
	if err := atomicfile.WriteDurable(f.Path, b); err != nil || f.Keeper == nil {
		return err
	}
	return f.Keeper.Wrote(f.Path, b)
}
