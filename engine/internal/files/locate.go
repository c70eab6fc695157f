// This file follows the links of a path, and opens the result without following links again.

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agentscripts/agent/engine/realpath"
)

// locate follows all links of an absolute path. Names that do not exist or cannot be examined are
// not changed.
func locate(path string) string {
	real, _ := realpath.Of(path)
	return real
}

// real returns a path of a script with links followed. last: a link at the end is followed too.
func (f *Files) real(path string, last bool) string {
	path = f.absolute(path)
	if last {
		return locate(path)
	}
	return filepath.Join(locate(filepath.Dir(path)), filepath.Base(path))
}

// entry is a folder on the way to the target.
type entry struct {
	info fs.FileInfo
	next string // the next name; "" = this folder is the target
	rel  string // the path of next below the anchor
}

// enterFolder opens the folder at s, name by name from the anchor; none of them may be a link. It
// calls look, which may be nil, for each folder on the way. If missing is not nil, missing folders
// are created for which it returns nil.
func enterFolder(s spot, look func(entry) error, missing func(rel string) error) (*os.Root, error) {
	at, err := os.OpenRoot(folder(s.anchor))
	if err != nil {
		return nil, err
	}
	var names []string
	if s.rel != "." {
		names = strings.Split(s.rel, "/")
	}
	for i := 0; ; i++ {
		if look != nil {
			e := entry{}
			if i < len(names) {
				e.next, e.rel = names[i], strings.Join(names[:i+1], "/")
			}
			if e.info, err = at.Stat("."); err == nil {
				err = look(e)
			}
			if err != nil {
				at.Close()
				return nil, err
			}
		}
		if i == len(names) {
			return at, nil
		}
		var make func() error
		if missing != nil {
			make = func() error { return missing(strings.Join(names[:i+1], "/")) }
		}
		next, err := openFolder(at, names[i], make)
		at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
}

// folder appends a separator and a dot to a name, so that opening it does not wait for a pipe.
func folder(name string) string { return name + string(filepath.Separator) + "." }

// openFolder opens the folder name in at. It verifies after opening that name is this folder, and
// not a link.
func openFolder(at *os.Root, name string, missing func() error) (*os.Root, error) {
	next, err := at.OpenRoot(folder(name))
	if errors.Is(err, fs.ErrNotExist) && missing != nil {
		if err := missing(); err != nil {
			return nil, err
		}
		if err := at.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		next, err = at.OpenRoot(folder(name))
	}
	is, lerr := at.Lstat(name)
	switch {
	case lerr == nil && is.Mode()&fs.ModeSymlink != 0:
		lerr = errMoved
	case err != nil && lerr == nil && !is.IsDir():
		lerr = syscall.ENOTDIR
	case err != nil:
		lerr = err
	case lerr != nil:
		lerr = errMoved
	default:
		if now, err := next.Stat("."); err != nil || !os.SameFile(is, now) {
			lerr = errMoved
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

// notPlain returns an error if info is not that of a regular file.
func notPlain(info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return errMoved
	case info.IsDir():
		return syscall.EISDIR
	case !info.Mode().IsRegular():
		return errNotPlain
	}
	return nil
}

// openPlain opens the regular file name in at. It never waits for a pipe or a device.
func openPlain(at *os.Root, name string, flag int) (*os.File, error) {
	is, err := at.Lstat(name)
	if err == nil {
		err = notPlain(is)
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
		return nil, errMoved
	}
	return f, nil
}
