// This file writes the file of a session: it appends whole lines, and retries later if a write
// fails.

package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentscripts/agent/engine/filelock"
	"github.com/agentscripts/agent/engine/plain"
)

// file is the file of a session. It is not safe for concurrent use.
type file struct {
	path     string // "" = in memory only
	readOnly bool
	f        *os.File // locked; nil before the first append, and after close
	size     int64    // of the file at the last check; -1 = it does not exist yet
	// bytes of whole lines in the file: a torn line after them is removed by truncation
	keep     int64
	owed     [][]byte // lines that could not be written yet
	torn     bool     // the file contains a part of an unwritten line
	left     bool     // see Session.Leave
	restored string   // see Session.Restored
}

// content provides the lines for a new file of a session.
type content interface {
	header() ([]byte, error) // the first line
	whole() ([]byte, error)  // all lines, including the owed ones
}

// cause returns an error for a message that names the file: without its name.
func (f *file) cause(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Path == f.path {
		return plain.Cause(err)
	}
	return err
}

// write appends one whole line, after those that could not be written before it.
func (f *file) write(b []byte, of content) error {
	if f.readOnly {
		return ErrReadOnly
	}
	f.owed = append(f.owed, b)
	return f.writeOwed(of)
}

// writeOwed writes the owed lines, as far as possible.
func (f *file) writeOwed(of content) error {
	if len(f.owed) > 0 {
		if err := f.ready(of); err != nil {
			return err
		}
	}
	for len(f.owed) > 0 {
		if err := f.writeLine(f.owed[0]); err != nil {
			return err
		}
		f.owed = f.owed[1:]
	}
	f.owed = nil
	return nil
}

// ready opens the file, or checks that it still exists.
func (f *file) ready(of content) error {
	if f.f != nil {
		return f.check(of)
	}
	err := f.openFile(of)
	if f.size >= 0 && !f.left && errors.Is(err, fs.ErrNotExist) {
		return f.recreate(of, "was removed")
	}
	return err
}

// writeLine appends a line. After a failed write it truncates the file again; if that fails too,
// the next line begins after the remains.
func (f *file) writeLine(b []byte) error {
	if f.torn {
		b = append([]byte{'\n'}, b...)
	}
	n, err := f.f.Write(b)
	if err != nil && n > 0 && os.Truncate(f.path, f.keep) == nil {
		n = 0
	}
	f.keep += int64(n)
	f.torn = err != nil && (n > 0 || f.torn)
	return err
}

// openFile creates the file with its header, or reopens it after Close.
func (f *file) openFile(of content) error {
	if f.size < 0 {
		return f.create(of)
	}
	opened, err := openLocked(f.path)
	if err != nil {
		return err
	}
	st, err := opened.Stat()
	if err == nil && st.Size() != f.size {
		err = errors.New("the file has changed since it was closed: another process writes to it")
	}
	if err != nil {
		_ = filelock.Close(opened)
		return err
	}
	f.f = opened
	return nil
}

// create creates the file with its header. If it fails, the next append tries again.
func (f *file) create(of content) error {
	b, err := of.header()
	if err == nil {
		f.f, err = newFile(f.path, b)
	}
	if err == nil {
		f.keep = int64(len(b))
	}
	return err
}

// newFile creates a locked file with the contents b; if it fails, it removes the file.
func newFile(path string, b []byte) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return nil, err
	}
	if err = filelock.Try(f); err == nil {
		_, err = f.Write(b)
	}
	if err != nil {
		_ = filelock.Close(f)
		os.Remove(path)
		return nil, err
	}
	return f, nil
}

// close writes the owed lines, as far as possible, and closes the file.
func (f *file) close(of content) error {
	_ = f.writeOwed(of) // the failure was reported
	if f.f == nil {
		return nil
	}
	err := filelock.Close(f.f)
	f.f, f.size = nil, f.keep
	return err
}
