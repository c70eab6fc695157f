// Package regularfile opens regular files and nothing else.
//
//	f, err := regularfile.Open(path, os.O_RDWR|os.O_CREATE, 0o600)
//	b, err := regularfile.Read(path)
//
// Opening a named pipe waits until another program opens its other end, and reading a device may
// have no end. Either may replace a file of the project or of the agent's own folder, so these
// files are opened here: the error of anything but a regular file says what it is.
package regularfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular is the cause of the error of what is not a regular file.
var ErrNotRegular = errors.New("not a regular file")

// notRegular is the error of what is not a regular file.
type notRegular fs.FileMode

func (e notRegular) Error() string {
	kind := "something special"
	switch mode := fs.FileMode(e); {
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return "is " + kind + ", " + ErrNotRegular.Error()
}

func (notRegular) Unwrap() error { return ErrNotRegular }

// Open is like os.OpenFile, for regular files.
func Open(path string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, mode)
	if err != nil {
		// of a socket, of a folder, or of a pipe without a reader
		if info, failed := os.Stat(path); failed == nil && !info.Mode().IsRegular() {
			err = &fs.PathError{Op: "open", Path: path, Err: notRegular(info.Mode())}
		}
		return nil, err
	}
	return checked(f)
}

// OpenIn opens a regular file in root for reading.
func OpenIn(root *os.Root, path string) (*os.File, error) {
	f, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return checked(f)
}

// checked returns f if it is a regular file, and closes it otherwise.
func checked(f *os.File) (*os.File, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: notRegular(info.Mode())}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Read is like os.ReadFile, for regular files.
func Read(path string) ([]byte, error) {
	f, err := Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
