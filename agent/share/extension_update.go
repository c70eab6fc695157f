// This file finds newer versions of extensions of other hosts where they were installed from.

package share

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"sort"

	"github.com/agentscripts/agent/engine/realpath"
)

// path returns the path of the list of what was installed. It is not a part of the lock file: that
// is for scripts, which others can check by their hash.
func (t Extensions) path() string {
	return filepath.Join(t.In.state(), t.In.own("extensions")+".json")
}

// installed returns what is known of the installed extensions. Entry.File is their folder, and
// Entry.SHA256 the hash of their files.
func (t Extensions) installed() ([]Entry, error) {
	return readLock(t.path(), func(string) error { return nil })
}

// Entries returns that of those that are in their places.
func (t Extensions) Entries() ([]Entry, error) {
	list, err := t.installed()
	return slices.DeleteFunc(list, func(e Entry) bool {
		return !realpath.Exists(filepath.Join(t.In.Extensions, e.File))
	}), err
}

// Pin sets whether an installed extension keeps its version when others are updated.
func (t Extensions) Pin(s Status, on bool) error {
	folder, err := t.FolderOf(s)
	if err != nil {
		return err
	}
	return t.In.changeScripts("", func(list []Entry) ([]Entry, error) {
		installed, err := t.installed()
		e := entryOf(installed, folder)
		switch {
		case err != nil:
			return nil, err
		case e == nil:
			return nil, fmt.Errorf("%s was not installed: there is nothing to update", s.File)
		}
		e.Pinned = on
		return list, writeLock(t.path(), installed)
	})
}

// entry is what the list says of an extension.
func (x *Extension) entry(in *Installer) Entry {
	return Entry{File: x.Folder, Name: x.Header.Name, Source: x.From.String(),
		Resolved: x.Resolved, SHA256: hashParts(x.Parts), Version: x.Header.Version,
		Grants: x.Header.Grants, Installed: in.now()}
}

// Newer returns the version that the source of an installed extension offers now; nil if that is
// the one that was installed, or is in its place.
func (t Extensions) Newer(ctx context.Context, e Entry) (*Extension, error) {
	s, err := ParseSource(e.Source)
	if err != nil || s.Kind != KindFile && s.Exact() {
		return nil, err
	}
	x, err := t.Offered(ctx, s, e.File)
	switch {
	case err != nil:
		return nil, err
	case x == nil:
		if _, err = t.In.Fetch.Fetch(ctx, s); err == nil {
			err = fmt.Errorf("%s is not an extension any more", s)
		}
		return nil, err
	case x.Same() || hashParts(x.Parts) == e.SHA256:
		return nil, nil
	}
	x.Edited = x.was != e.SHA256
	x.agreed = !x.Edited
	return x, nil
}

// hashParts returns the hash of the files of an extension, which it sorts by their paths.
func hashParts(parts []Part) string {
	sort.Slice(parts, func(i, j int) bool { return parts[i].Path < parts[j].Path })
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%s %v %d\n", p.Path, p.Executable, len(p.Bytes))
		h.Write(p.Bytes)
	}
	return hex.EncodeToString(h.Sum(nil))
}
