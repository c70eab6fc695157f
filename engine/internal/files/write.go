// This file changes files and folders.

package files

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/nolink"
)

// newMode is the mode of a new file before the umask is applied.
const newMode = 0o666

// target is a path to be changed: an open folder, and a name in it.
type target struct {
	*os.Root
	name string
	is   fs.FileInfo // nil: it does not exist
	keep *keeper
	spot spot
}

// target opens the folder of path. link: a link at the end is not followed. missing: missing
// folders are created if the grants cover them. A protected path is an error.
func (r *Reach) target(path string, link, missing bool) (*target, error) {
	if r.files.lies(r.files.real(path, !link)) {
		return nil, r.protected(path)
	}
	s, err := r.reached(write, path, !link)
	if err != nil {
		return nil, err
	}
	t := &target{keep: r.files.keeper(), spot: s}
	var make func(rel string) error
	if missing {
		make = func(rel string) error { return r.mayMake(spot{s.anchor, rel}) }
	}
	dir, name := s.parent()
	look := func(e entry) error {
		if t.keep.enters(e) {
			return r.protected(path)
		}
		return nil
	}
	if r.files.lies(s.path()) {
		return nil, r.protected(path)
	}
	if t.Root, err = enterFolder(dir, look, make); err != nil {
		return nil, err
	}
	t.name = name
	if here, err := t.Stat("."); err != nil || t.keep.enters(entry{info: here, next: name}) {
		t.Close()
		return nil, errors.Join(err, r.protected(path))
	}
	is, err := t.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err == nil && t.keep.is(is):
		err = r.protected(path)
	case err == nil && !link && is.Mode()&fs.ModeSymlink != 0:
		err = nolink.ErrMoved
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	t.is = is
	return t, nil
}

func (r *Reach) protected(path string) error {
	return r.failWith(Denied, path, "the agent's own settings are protected")
}

// mayMake returns nil if a grant covers the folder s or a path in it.
func (r *Reach) mayMake(s spot) error {
	for _, fits := range []func(grant, string) bool{grant.covers, grant.mayHold} {
		if _, ok := r.grantFor(write, s.path(), fits); ok {
			return nil
		}
	}
	return r.needs(write, s.path())
}

// change calls do with the target of a path, again if it was replaced meanwhile.
func (r *Reach) change(path string, link, missing bool, do func(t *target) error) error {
	return r.world(path, retryMoved(func() error {
		t, err := r.target(path, link, missing)
		if err != nil {
			return err
		}
		defer t.Close()
		return do(t)
	}))
}

// Write replaces a file in one step, or creates it and its folders. The file keeps its mode. A link
// stays: its target is replaced. After the end of ctx, nothing is replaced.
func (r *Reach) Write(ctx context.Context, path string, content []byte) error {
	return r.change(path, false, true, func(t *target) error {
		mode := fs.FileMode(newMode)
		if t.is != nil {
			if err := nolink.Plain(t.is); err != nil {
				return err
			}
			mode = 0o600 // until it gets that of the old file
		}
		beside := ".new-" + rand.Text()
		f, err := t.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return err
		}
		draft := atomicfile.Draft{File: f, Dir: t.Root, Name: beside}
		if t.is != nil {
			if err := f.Chmod(t.is.Mode().Perm()); err != nil {
				draft.Discard()
				return err
			}
		}
		return draft.Put(ctx, content, t.name, true)
	})
}

// Append appends to a file, or creates it and its folders. Concurrent calls do not overwrite each
// other.
func (r *Reach) Append(path string, content []byte) error {
	return r.change(path, false, true, func(t *target) (err error) {
		var f *os.File
		if t.is == nil {
			f, err = t.OpenFile(t.name, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, newMode)
			if errors.Is(err, fs.ErrExist) {
				return nolink.ErrMoved
			}
		} else {
			f, err = nolink.OpenIn(t.Root, t.name, os.O_WRONLY|os.O_APPEND)
		}
		if err != nil {
			return err
		}
		_, err = f.Write(content)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		return err
	})
}

// Mkdir creates a folder and the folders above it. An existing folder is no error.
func (r *Reach) Mkdir(path string) error {
	return r.change(path, false, true, func(t *target) error {
		if t.is != nil && !t.is.IsDir() {
			return fs.ErrExist
		}
		if t.is != nil {
			return nil
		}
		err := t.Mkdir(t.name, 0o777)
		if errors.Is(err, fs.ErrExist) {
			return nolink.ErrMoved
		}
		return err
	})
}

// Remove removes a file, a link or an empty folder; with all, also a folder with contents, if a
// grant covers all of them.
func (r *Reach) Remove(path string, all bool) error {
	return r.change(path, true, false, func(t *target) error {
		switch {
		case t.is == nil:
			return fs.ErrNotExist
		case t.spot.rel == ".":
			return r.failWith(Denied, path, "it is the root folder of the grant")
		case !t.is.IsDir():
			return t.Root.Remove(t.name)
		case t.keep.holds(t.is):
			return r.protected(path)
		case !all:
			return t.Root.Remove(t.name)
		}
		if _, ok := r.grantFor(write, t.spot.path(), grant.coversTree); !ok {
			return r.needs(write, filepath.Join(t.spot.path(), "**"))
		}
		return t.RemoveAll(t.name)
	})
}

// Rename renames a file, link or folder, and replaces a file with the new name. The grants must
// cover both names, and for a folder all possible contents. A file that the script cannot read
// cannot be moved to where it can.
func (r *Reach) Rename(from, to string) error {
	if _, err := r.reached(write, to, false); err != nil {
		return err
	}
	return r.change(from, true, false, func(old *target) error {
		if old.is == nil {
			return fs.ErrNotExist
		}
		return r.change(to, true, true, func(new *target) error {
			if err := r.mayMove(old, new, from); err != nil {
				return err
			}
			return move(old, new)
		})
	})
}

func (r *Reach) mayMove(old, new *target, from string) error {
	fits := grant.covers
	whole := func(real string) string { return real }
	if old.is.IsDir() {
		if old.keep.holds(old.is) {
			return r.protected(from)
		}
		fits = grant.coversTree
		whole = func(real string) string { return filepath.Join(real, "**") }
	}
	for _, t := range []*target{old, new} {
		if t.spot.rel == "." {
			return r.failWith(Denied, from, "it is the root folder of a grant")
		}
		if _, ok := r.grantFor(write, t.spot.path(), fits); !ok {
			return r.needs(write, whole(t.spot.path()))
		}
	}
	_, readable := r.grantFor(read, old.spot.path(), fits)
	if !readable && r.visible(new.spot.path(), old.is.IsDir()) {
		return r.needs(read, whole(old.spot.path()))
	}
	return nil
}
