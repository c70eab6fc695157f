// This file removes extensions of other hosts, which are folders, into the trash, and restores
// them.

package share

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
)

// mostFolders is how many removed extensions are kept: their programs may be large.
const mostFolders = 20

// Extensions installs and removes extensions of other hosts, which are folders, and brings them
// back.
type Extensions struct{ In *Installer }

func (t Extensions) dir() string { return filepath.Join(t.In.trashDir(), "folders") }

// FolderOf returns the folder of an extension in that of the installer; an error if it is
// elsewhere.
func (t Extensions) FolderOf(s Status) (string, error) {
	rel, err := filepath.Rel(t.In.Extensions, s.Path)
	folder, _, inside := strings.Cut(filepath.ToSlash(rel), "/")
	if err != nil || !inside || folder == ".." {
		return "", fmt.Errorf("it belongs to another program, in %s, which removes it; agent ext "+
			"disable switches it off here", plain.RevealName(filepath.Dir(s.Path)))
	}
	return folder, nil
}

// Remove removes an extension with its whole folder. Restore brings it back.
func (t Extensions) Remove(s Status) error {
	folder, err := t.FolderOf(s)
	if err != nil {
		return err
	}
	return t.In.changeScripts("", func(list []Entry) ([]Entry, error) {
		if err := t.take(folder); err != nil {
			return nil, err
		}
		if t.In.Removed != nil {
			return list, t.In.Removed(s.File)
		}
		return list, nil
	})
}

// take moves a folder of an extension to the trash. The oldest ones there go.
func (t Extensions) take(folder string) error {
	from := filepath.Join(t.In.Extensions, folder)
	if err := t.In.inside(filepath.Dir(from)); err != nil {
		return err
	}
	if err := os.MkdirAll(t.dir(), 0o700); err != nil {
		return err
	}
	items, err := t.items()
	if err != nil {
		return err
	}
	to := filepath.Join(t.dir(), trashName(t.In.now(), items, folder))
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("it cannot be moved to the trash: %w", err)
	}
	for _, item := range items[:max(0, len(items)+1-mostFolders)] {
		if err := os.RemoveAll(item); err != nil {
			return fmt.Errorf("the trash cannot be emptied: %w", err)
		}
	}
	return nil
}

// moveIn moves a folder to its place. The one that is there goes to the trash, and comes back if
// that fails.
func (t Extensions) moveIn(from, folder string) error {
	if err := t.In.inside(t.In.Extensions); err != nil {
		return err
	}
	if err := os.MkdirAll(t.In.Extensions, 0o700); err != nil {
		return err
	}
	to := filepath.Join(t.In.Extensions, folder)
	replaced := realpath.Exists(to)
	if replaced {
		if err := t.take(folder); err != nil {
			return err
		}
	}
	err := os.Rename(from, to)
	if err != nil && replaced {
		err = errors.Join(err, t.putBack(folder))
	}
	return err
}

// items returns the paths of the folders in the trash, the oldest first.
func (t Extensions) items() (items []string, err error) {
	list, err := os.ReadDir(t.dir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, d := range list {
		if len(strings.SplitN(d.Name(), "-", 3)) == 3 {
			items = append(items, filepath.Join(t.dir(), d.Name()))
		}
	}
	slices.Sort(items)
	return items, nil
}

// Folder returns the folder of the extension in the trash that a word names, as FOLDER or
// FOLDER/MANIFEST; "" if there is none.
func (t Extensions) Folder(word string) string {
	folder, _, _ := strings.Cut(word, "/")
	if items, _ := t.items(); slices.ContainsFunc(items,
		func(item string) bool { return folder != "" && trashedFolder(item) == folder }) {
		return folder
	}
	return ""
}

func trashedFolder(item string) string { return strings.SplitN(filepath.Base(item), "-", 3)[2] }

// Restore brings the extension back that was removed last from a folder. One that is in
// its place now goes to the trash. It returns the folder's path.
func (t Extensions) Restore(folder string) (path string, err error) {
	path = filepath.Join(t.In.Extensions, folder)
	return path, t.In.changeScripts("", func(list []Entry) ([]Entry, error) {
		return list, t.putBack(folder)
	})
}

// putBack moves the newest extension of that folder in the trash to its place.
func (t Extensions) putBack(folder string) error {
	items, err := t.items()
	if err != nil {
		return err
	}
	path := filepath.Join(t.In.Extensions, folder)
	for _, item := range slices.Backward(items) {
		if trashedFolder(item) != folder {
			continue
		}
		if err := os.MkdirAll(t.In.Extensions, 0o700); err != nil {
			return err
		}
		if realpath.Exists(path) {
			if err := t.take(folder); err != nil {
				return err
			}
		}
		return os.Rename(item, path)
	}
	return fmt.Errorf("the trash has no extension %s", folder)
}
