// Package atomicfile replaces files in one step: who reads one sees the old or the new one, never
// half of it.
package atomicfile

import (
	"os"
	"path/filepath"
)

// Put writes b to f, which is new, empty and in the folder of path, closes it and moves it to path.
// On an error f is removed, and what was at path is there as before.
func Put(f *os.File, b []byte, path string) error { return putFile(f, b, path, false) }

// PutDurable is Put for what must outlast a power cut: when it returns, the file is on the disk.
func PutDurable(f *os.File, b []byte, path string) error { return putFile(f, b, path, true) }

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

// syncFolder makes a rename in dir last, on systems that let a folder be synced: elsewhere it lasts
// by itself, or nothing can be done.
func syncFolder(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	_ = d.Sync()
}
