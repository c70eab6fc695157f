// Package nolink opens files and folders by paths without links: what was checked is what is
// opened.
//
//	real, ok := realpath.Of(path)   // follow the links, and check the result
//	f, err := nolink.Open(real)     // fails if a link is on the way now
//
// A program that runs at the same time may replace a folder, or the file, with a link after the
// check. Then the error is ErrMoved, and nothing was read, made or changed. Only regular files and
// folders are opened, so that nothing waits for a pipe. It does not notice that a file has got
// other contents, or that a folder was renamed: the name still leads to what it names.
package nolink

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agentscripts/agent/engine/realpath"
)

var (
	// ErrMoved is the error of a path that leads elsewhere than when it was checked.
	ErrMoved = errors.New("it was replaced during the operation")
	// ErrNotPlain is the error of what is neither a regular file nor a folder.
	ErrNotPlain = errors.New("it is not a regular file")
)

// Open opens the regular file at path, an absolute path without links, for reading.
func Open(path string) (*os.File, error) {
	f, err := openAt(nil, path, false)
	if !errors.Is(err, errors.ErrUnsupported) {
		return f, err
	}
	return openSteps(path)
}

// openSteps is Open, folder by folder.
func openSteps(path string) (*os.File, error) {
	dir, err := OpenFolder(filepath.Dir(path), false)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return OpenIn(dir, filepath.Base(path), os.O_RDONLY)
}

// OpenIn opens the regular file name in an open folder. It never waits for a pipe or a device.
func OpenIn(at *os.Root, name string, flag int) (*os.File, error) {
	is, err := at.Lstat(name)
	if err == nil {
		err = Plain(is)
	}
	if err != nil {
		return nil, err
	}
	f, err := at.OpenFile(name, flag|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(is, now) {
		f.Close()
		return nil, ErrMoved
	}
	return f, nil
}

// Plain returns an error if info is not that of a regular file: ErrMoved for a link.
func Plain(info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return ErrMoved
	case info.IsDir():
		return syscall.EISDIR
	case !info.Mode().IsRegular():
		return ErrNotPlain
	}
	return nil
}

// Dot appends a separator and a dot to the name of a folder, so that opening it does not wait for a
// pipe.
func Dot(name string) string { return name + string(filepath.Separator) + "." }

// Enter opens the folder name in an open folder. If it does not exist and missing is not nil, it is
// created if missing returns nil.
func Enter(at *os.Root, name string, missing func() error) (*os.Root, error) {
	next, err := at.OpenRoot(Dot(name))
	if errors.Is(err, fs.ErrNotExist) && missing != nil {
		if err := missing(); err != nil {
			return nil, err
		}
		if err := at.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err // the umask applies
		}
		next, err = at.OpenRoot(Dot(name))
	}
	is, lerr := at.Lstat(name)
	switch {
	case lerr == nil && is.Mode()&fs.ModeSymlink != 0:
		lerr = ErrMoved
	case err != nil && lerr == nil && !is.IsDir():
		lerr = syscall.ENOTDIR
	case err != nil:
		lerr = err
	case lerr != nil:
		lerr = ErrMoved
	default:
		if now, err := next.Stat("."); err != nil || !os.SameFile(is, now) {
			lerr = ErrMoved
		}
	}
	if lerr != nil && err == nil {
		next.Close()
	}
	if lerr != nil {
		return nil, lerr
	}
	return next, nil
}

// OpenFolder opens a folder by an absolute path without links. With create it creates missing
// folders.
func OpenFolder(dir string, create bool) (*os.Root, error) {
	at, err := walkTo(dir, create)
	if !errors.Is(err, fs.ErrPermission) {
		return at, err
	}
	// a parent may be accessible but not readable, such as /home on some machines
	if create {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	if at, err = os.OpenRoot(Dot(dir)); err != nil {
		return nil, err
	}
	opened, err := at.Stat(".")
	st, failed := os.Lstat(dir)
	if to, ok := realpath.Of(dir); err != nil || failed != nil || !ok || to != dir ||
		!os.SameFile(st, opened) {
		at.Close()
		return nil, errors.Join(err, failed, ErrMoved)
	}
	return at, nil
}

// walkTo implements OpenFolder by opening each folder of the path.
func walkTo(dir string, create bool) (*os.Root, error) {
	volume := filepath.VolumeName(dir) + string(filepath.Separator)
	at, err := os.OpenRoot(volume)
	if err != nil {
		return nil, err
	}
	var missing func() error
	if create {
		missing = func() error { return nil }
	}
	return steps(at, strings.TrimPrefix(dir, volume), missing)
}

// steps opens a folder below at, name by name, and closes at.
func steps(at *os.Root, path string, missing func() error) (*os.Root, error) {
	for name := range strings.SplitSeq(path, string(filepath.Separator)) {
		if name == "" || name == "." {
			continue
		}
		next, err := Enter(at, name, missing)
		at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}
