// Package atomicfile replaces files in one step: readers see the old or the new file, never a part.
package atomicfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write makes b the content of the file at path, which gets the given mode. On an error the file is
// unchanged.
func Write(path string, b []byte, mode fs.FileMode) error {
	return writeFile(path, b, mode, false, os.Rename)
}

// WriteDurable is like Write, for a file that must survive a power failure, and that only the user
// may read: when it returns, the file is on the disk.
func WriteDurable(path string, b []byte) error { return writeFile(path, b, 0o600, true, os.Rename) }

// Create is like Write, but for a new file. If there is one already, the error is fs.ErrExist.
func Create(path string, b []byte, mode fs.FileMode) error {
	return writeFile(path, b, mode, false, link)
}

// link gives the file from another name, which must be new.
func link(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		_ = os.Remove(from)
		return nil
	}
	if _, exists := os.Lstat(to); errors.Is(err, fs.ErrExist) || exists == nil {
		return &fs.PathError{Op: "create", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to) // the file system has no hard links
}

func writeFile(path string, b []byte, mode fs.FileMode, durable bool,
	rename func(from, to string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // has mode 0600
	if err != nil {
		return err
	}
	if mode != 0o600 {
		if err := f.Chmod(mode); err != nil {
			f.Close()
			os.Remove(f.Name())
			return err
		}
	}
	return putFile(f, b, path, durable, rename)
}

// PutDurable is WriteDurable by way of f, which must be new, empty and in the folder of path. It
// closes f, and removes it on an error.
func PutDurable(f *os.File, b []byte, path string) error {
	return putFile(f, b, path, true, os.Rename)
}

func putFile(f *os.File, b []byte, path string, durable bool,
	rename func(from, to string) error) error {
	err := writeAll(f, b, durable)
	if err == nil {
		err = rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	if durable {
		syncFolder(filepath.Dir(path))
	}
	return nil
}

// writeAll writes b to f and closes it.
func writeAll(f *os.File, b []byte, durable bool) error {
	_, err := f.Write(b)
	if err == nil && durable {
		err = f.Sync()
	}
	if failed := f.Close(); err == nil {
		err = failed
	}
	return err
}

// Draft is a new file of an open folder, which is to become another one.
type Draft struct {
	*os.File
	Dir  *os.Root
	Name string // of the draft, in Dir
}

// Put writes b to the draft, which becomes the file as in its folder, unless ctx has ended. If
// durable, the content is on the disk before. It closes the draft, and removes it on an error.
func (d Draft) Put(ctx context.Context, b []byte, as string, durable bool) error {
	err := writeAll(d.File, b, durable)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = d.Dir.Rename(d.Name, as)
	}
	if err != nil {
		_ = d.Dir.Remove(d.Name)
	}
	return err
}

// Discard closes and removes the draft.
func (d Draft) Discard() {
	d.Close()
	_ = d.Dir.Remove(d.Name)
}

// syncFolder makes a rename in dir durable, on systems that support syncing a folder.
func syncFolder(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	_ = d.Sync()
}
