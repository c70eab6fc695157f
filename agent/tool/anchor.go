// This file opens files at the paths that the decision about the call was based on. A program that
// runs at the same time may replace a folder with a link in between, so that the path leads to a
// file that the user has not allowed.

package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
)

// decidedPath returns path with links followed. It fails if the result is not one of the paths that
// the decision was based on. If decided is empty, there was no decision.
func decidedPath(path string, decided []string) (string, error) {
	to, ok := realpath.Of(path)
	if !ok {
		return "", &fs.PathError{Op: "open", Path: path, Err: errors.New("too many links")}
	}
	if len(decided) > 0 && !slices.Contains(decided, to) {
		return "", movedError(path)
	}
	return to, nil
}

func movedError(path string) error {
	return fmt.Errorf("%s leads elsewhere than when the call was allowed: nothing was done", path)
}

// openFolder opens a folder. It fails if the path contains a link. With create it creates missing
// folders.
func openFolder(dir string, create bool) (*os.Root, error) {
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
	if at, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	opened, err := at.Stat(".")
	st, failed := os.Lstat(dir)
	if to, ok := realpath.Of(dir); err != nil || failed != nil || !ok || to != dir ||
		!os.SameFile(st, opened) {
		at.Close()
		return nil, errors.Join(err, failed, movedError(dir))
	}
	return at, nil
}

// walkTo implements openFolder by opening each folder of the path.
func walkTo(dir string, create bool) (*os.Root, error) {
	volume := filepath.VolumeName(dir) + string(filepath.Separator)
	at, err := os.OpenRoot(volume)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(dir, volume),
		string(filepath.Separator)) {
		if name == "" {
			continue
		}
		next, err := openBelow(at, name, create)
		at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// openBelow opens a folder in another one, unless it is a link.
func openBelow(at *os.Root, name string, create bool) (*os.Root, error) {
	st, err := at.Lstat(name)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := at.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err // the umask applies
		}
		st, err = at.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if st.Mode()&fs.ModeSymlink != 0 {
		return nil, movedError(filepath.Join(at.Name(), name))
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := next.Stat(".")
	if err == nil && !os.SameFile(st, opened) {
		err = movedError(filepath.Join(at.Name(), name))
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

// openDecided opens a file for reading, if path still leads to one of the decided paths.
func openDecided(path string, decided []string) (*os.File, error) {
	to, err := decidedPath(path, decided)
	if err != nil {
		return nil, err
	}
	f, err := openStraight(to)
	if errors.Is(err, errors.ErrUnsupported) {
		return openStep(to)
	}
	return f, err
}

// openStep opens the regular file at a path without links for reading, folder by folder.
func openStep(path string) (*os.File, error) {
	dir, err := openFolder(filepath.Dir(path), false)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	base := filepath.Base(path)
	st, err := dir.Lstat(base)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, movedError(path)
	}
	f, err := regularfile.OpenIn(dir, base)
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(st, opened) {
		f.Close()
		return nil, errors.Join(err, movedError(path))
	}
	return f, nil
}
