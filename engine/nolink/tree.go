package nolink

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Tree is an open folder. Its methods open what is below it, by paths with slashes that have no
// "..", and are safe for concurrent use: after Close they fail.
type Tree struct {
	root *os.Root
	dir  *os.File // the same folder
}

// OpenTree opens a folder by an absolute path without links.
func OpenTree(path string) (*Tree, error) {
	root, err := OpenFolder(path, false)
	if err != nil {
		return nil, err
	}
	dir, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	return &Tree{root, dir}, nil
}

// Close closes the folder, and no file that was opened below it.
func (t *Tree) Close() {
	t.root.Close()
	t.dir.Close()
}

// Open opens a regular file for reading.
func (t *Tree) Open(rel string) (*os.File, error) {
	f, err := openAt(t.dir, filepath.FromSlash(rel), false)
	if !errors.Is(err, errors.ErrUnsupported) {
		return f, err
	}
	return t.openSteps(rel)
}

// openSteps is Open, folder by folder.
func (t *Tree) openSteps(rel string) (*os.File, error) {
	dir, err := t.enter(filepath.Dir(filepath.FromSlash(rel)))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return OpenIn(dir, filepath.Base(rel), os.O_RDONLY)
}

// ReadDir returns the entries of a folder, in no order; "" is the tree's own. If an error occurs,
// it may still return some.
func (t *Tree) ReadDir(rel string) ([]fs.DirEntry, error) {
	name := cmp.Or(filepath.FromSlash(rel), ".")
	f, err := openAt(t.dir, name, true)
	if errors.Is(err, errors.ErrUnsupported) {
		f, err = t.openFolder(name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// Readlink returns where a link in the tree's folder leads.
func (t *Tree) Readlink(name string) (string, error) { return t.root.Readlink(name) }

// openFolder opens a folder, folder by folder.
func (t *Tree) openFolder(rel string) (*os.File, error) {
	dir, err := t.enter(rel)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Open(".")
}

// enter opens a folder below the tree's own as a root of its own.
func (t *Tree) enter(rel string) (*os.Root, error) {
	at, err := t.root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	return steps(at, rel, nil)
}
