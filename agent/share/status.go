// This file compares what is installed with the lock file.

package share

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// Drift says how a script differs from its entry of the lock file.
type Drift string

// The kinds of drift.
const (
	DriftNone    Drift = ""        // it does not, or it has no entry: it was written here
	DriftEdited  Drift = "edited"  // its bytes are not those that were installed
	DriftMissing Drift = "missing" // its file is not there
	DriftBehind  Drift = "behind"  // its bytes are those that the lock file has named before
	DriftDropped Drift = "dropped" // the lock file has named it, and does not any more
)

// Status is what is known of one script without running it.
type Status struct {
	File   string
	Path   string
	Header scriptfile.Header
	Size   int    // in bytes
	Entry  *Entry // nil = it was not installed, but written here
	Drift  Drift
	// Base is the entry of the version that is here, with edits or without; nil = it is not known.
	Base *Entry
	// Dropped is the entry that it had, if the lock file does not name it any more.
	Dropped *Entry
	Edited  bool  // its bytes are not those that were installed
	Err     error // its file cannot be read
	Wrong   error // why an extension does not load; of a script, Broken tells

	sum string // of its bytes
}

// List returns the scripts of the folder and of the lock file, in order of their files.
func (in *Installer) List() ([]Status, error) {
	entries, err := in.Entries()
	if err != nil {
		return nil, err
	}
	if err := in.inside(in.Scripts); err != nil {
		return nil, err
	}
	named, _ := past{in}.entries() // CheckLock tells
	var out []Status
	files, err := os.ReadDir(in.Scripts)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, d := range files {
		if d.IsDir() || !in.Fetch.isScript(d.Name()) {
			continue
		}
		s := Status{File: d.Name(), Path: in.Path(d.Name()), Entry: entryOf(entries, d.Name())}
		text, err := readScript(s.Path)
		if failed := in.inside(s.Path); failed != nil {
			err = failed
		}
		if s.Err = err; err == nil {
			s.Size = len(text)
			s.Header, _ = load.ParseHeader(s.File, text)
			s.sum = newFile(s.File, text, Source{}, "").SHA256
			s.compare(entryOf(named, s.File))
		}
		out = append(out, s)
	}
	for i, e := range entries {
		if !slices.ContainsFunc(out, func(s Status) bool { return s.Entry == &entries[i] }) {
			out = append(out, Status{File: e.File, Path: in.Path(e.File), Entry: &entries[i],
				Drift: DriftMissing, Header: scriptfile.Header{Version: e.Version,
					Grants: e.Grants}})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].File < out[j].File })
	return out, nil
}

// Broken returns why a script does not load, as far as its text tells; nil = it may load, or ctx
// ended first. syntax is as Installer.Syntax.
func (s *Status) Broken(ctx context.Context,
	syntax func(ctx context.Context, name string, text []byte) error) error {
	text, err := readScript(s.Path)
	if err != nil || ctx.Err() != nil {
		return nil // s.Err tells
	}
	if _, wrong := load.ParseHeader(s.File, text); len(wrong) > 0 {
		return wrong[0]
	}
	if syntax == nil {
		return nil
	}
	if err = syntax(ctx, s.File, text); ctx.Err() != nil {
		return nil
	}
	return err
}

// EditsOf reports whether it is the version that an entry names, with edits: nothing is newer.
func (s *Status) EditsOf(e Entry) bool { return s.Edited && hasBytes(s.Base, e.SHA256) }

// SHA256 returns the hash of its bytes, in hex; "" if they cannot be read.
func (s *Status) SHA256() string { return s.sum }

// compare sets how a script differs from what the lock file says, and has said before.
func (s *Status) compare(before *Entry) {
	s.Base, s.Edited = before, !hasBytes(before, s.sum)
	switch {
	case s.Entry == nil && before == nil:
		s.Edited = false
	case s.Entry == nil:
		s.Drift, s.Dropped = DriftDropped, before
	case s.Entry.SHA256 == s.sum:
		s.Edited = false
	case s.Edited:
		s.Drift = DriftEdited
	default:
		s.Drift = DriftBehind
	}
}

// WholeName returns the one of the names that a word means: it may leave out the ending, or the
// manifest of an extension, or be one of the folders in a name, or a plugin without its market, if
// that leaves no doubt. A word that means none is returned as it is.
func WholeName(word string, names []string) (string, error) {
	var found, around []string
	for _, name := range names {
		if name == word {
			return word, nil
		}
		if withoutEnding(name) == word || strings.HasPrefix(name, word+"/") {
			found = append(found, name)
		}
		if strings.Contains(name, "/"+word+"/") || strings.HasPrefix(name, word+"@") {
			around = append(around, name)
		}
	}
	if len(found) == 0 {
		found = around
	}
	switch len(found) {
	case 0:
		return word, nil
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s may be %s: give the whole name", plain.RevealName(word),
		plain.RevealName(strings.Join(found, " or ")))
}

// Pin sets whether an installed script keeps its version when others are updated.
func (in *Installer) Pin(file string, on bool) error {
	return in.changeScripts("", func(list []Entry) ([]Entry, error) {
		e := entryOf(list, file)
		if e == nil {
			return nil, fmt.Errorf("%s was not installed: there is nothing to update", file)
		}
		e.Pinned = on
		return list, nil
	})
}
