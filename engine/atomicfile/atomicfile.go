// Package atomicfile replaces files in one step: readers see the old or the new file, never a part.
package atomicfile

import (
	"os"
	"path/filepath"
)

// Write makes b the content of the file at path, which only the user may read. On an error the file
// is unchanged.
func Write(path string, b []byte) error { return writeFile(path, b, false) }

// WriteDurable is like Write, for a file that must survive a power failure: when it returns, the
// file is on the disk.
func WriteDurable(path string, b []byte) error { return writeFile(path, b, true) }

func writeFile(path string, b []byte, durable bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // has mode 0600
	if err != nil {
		return err
	}
	return putFile(f, b, path, durable)
}

// PutDurable is WriteDurable by way of f, which must be new, empty and in the folder of path. It
// closes f, and removes it on an error.
func PutDurable(f *os.File, b []byte, path string) error { return putFile(f, b, path, true) }

// PutIn writes b to f, a new file of the folder dir, in which it has a name; it becomes the file
// as. It closes f, and removes it on an error.
func PutIn(dir *os.Root, f *os.File, name string, b []byte, as string) error {
	_, err := f.Write(b)
	if failed := f.Close(); err == nil {
		err = failed
	}
	if err == nil {
		err = dir.Rename(name, as)
	}
	if err != nil {
		_ = dir.Remove(name)
	}
	return err
}

func putFile(f *os.File, b []byte, path string, durable bool) error {
	_, err := f.Write(b)
	if err == nil && durable {
		err = f.Sync()
	}
	if failed := f.Close(); err == nil {
		err = failed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
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

// syncFolder makes a rename in dir durable, on systems that support syncing a folder.
func syncFolder(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	_ = d.Sync()
}
