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
}

type document[E any] struct {
	Version int `json:"version"`
	Items   []E `json:"items"`
}

// Read returns the entries: none if there is no file.
func (f File[E]) Read() ([]E, error) {
	if f.Path == "" {
		return nil, nil
	}
	info, err := os.Lstat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return nil, fmt.Errorf("%s: want a plain file of at most %d MiB", f.Path, maxFile>>20)
	case runtime.GOOS == "windows":
	case info.Mode().Perm()&0o022 != 0:
		return nil, fmt.Errorf("%s: others may write it (mode %o): chmod 600 it", f.Path,
			info.Mode().Perm())
	case f.Private && info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("%s: others may read it (mode %o): chmod 600 it", f.Path,
			info.Mode().Perm())
	}
	b, err := regularfile.Read(f.Path)
	if err != nil {
		return nil, err
	}
	var doc document[E]
	if err = json.Unmarshal(b, &doc); err == nil && doc.Version != f.Version {
		err = fmt.Errorf("got version %d, want %d", doc.Version, f.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return doc.Items, nil
}

// Update stores the result of change for the entries, one process at a time.
func (f File[E]) Update(change func([]E) []E) error {
	if f.Path == "" {
		return errors.New("there is no directory to store it in")
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return err
	}
	lock, err := f.lock()
	if err != nil {
		return err
	}
	defer func() { _ = filelock.Close(lock) }()
	items, err := f.Read()
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(document[E]{f.Version, change(items)}, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteDurable(f.Path, append(b, '\n'))
}

func (f File[E]) lock() (*os.File, error) {
	lock, err := filelock.Open(f.Path + ".lock")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return lock, nil
}
