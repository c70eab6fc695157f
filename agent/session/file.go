// This file is the file of a session: whole lines are appended to it, and what cannot be written
// now is written later.

package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentscripts/agent/engine/filelock"
)

// file is where a session is written down. It is not safe for concurrent use.
type file struct {
	path     string // "" = in memory only
	readOnly bool
	f        *os.File // locked; nil before the first append, and after close
	size     int64    // of the file when it was last looked at; -1 = there is none yet
	// bytes of the file that are whole lines: what a torn line behind them is cut to
	keep     int64
	owed     [][]byte // lines that could not be written yet
	torn     bool     // a part of a line that was not written is in the file
	left     bool     // see Session.Leave
	restored string   // see Session.Restored
}

// content is what belongs into the file of a session when it is made, or made again.
type content interface {
	header() ([]byte, error) // the first line
	whole() ([]byte, error)  // all lines, those that are owed included
}

// write appends one whole line, behind those that could not be written before it.
func (f *file) write(b []byte, of content) error {
	if f.readOnly {
		return ErrReadOnly
	}
	f.owed = append(f.owed, b)
	return f.writeOwed(of)
}

// writeOwed writes what is owed, as far as it can be.
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

// ready opens the file, or looks whether it is still there.
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

// writeLine appends a line. What a failed write left of it is cut off again; if that fails too, the
// next line begins behind it.
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

// openFile creates the file with its header, or goes on in the one that was closed.
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

// create makes the file with its header. The next append can try again if it fails.
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

// newFile makes a file with b in it, locked; there is none if that fails.
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

// close writes what is owed, as far as it can be, and closes the file.
func (f *file) close(of content) error {
	_ = f.writeOwed(of) // that it is owed was said
	if f.f == nil {
		return nil
	}
	err := filelock.Close(f.f)
	f.f, f.size = nil, f.keep
	return err
}
