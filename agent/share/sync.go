// This file tells what was taken out of the lock file by others, or is an older version of what it
// has now, from what was written here: a file of its own keeps what the lock file has named, and
// this machine has had.

package share

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
)

// past is what the lock file has named, and this machine has had.
type past struct{ in *Installer }

func (p past) path() string {
	return filepath.Join(p.in.state(), p.in.own("installed")+".json")
}

// entries returns the entries as they were then.
func (p past) entries() ([]Entry, error) {
	list, err := readLock(p.path(), p.in.Fetch.CheckName)
	if err != nil {
		err = fmt.Errorf("%w; or remove it: what it names counts as written here then", err)
	}
	return list, err
}

// noteEntries notes what the lock file names, now that a change has led from before to after. What
// the change has taken out, or is not there any more, is forgotten. merged is the file that has
// got the version of its entry, merged with edits; "" = none.
func (p past) noteEntries(before, after []Entry, merged string) error {
	was, _ := p.entries() // one that cannot be read is replaced
	var now []Entry
	for _, e := range after {
		old := entryOf(was, e.File)
		if old != nil && sameEntry(*old, e) {
			now = append(now, e)
			continue
		}
		was := entryOf(before, e.File)
		switch sum, _ := p.in.hash(e.File); {
		case sum == e.SHA256, was == nil || was.SHA256 != e.SHA256, // with edits, if not the same
			e.File == merged:
			now = append(now, e)
		case old != nil && sum != "":
			now = append(now, *old)
		}
	}
	for _, e := range was {
		if entryOf(after, e.File) == nil && entryOf(before, e.File) == nil &&
			realpath.Exists(p.in.Path(e.File)) {
			now = append(now, e)
		}
	}
	if sameEntries(was, now) {
		return nil
	}
	return writeLock(p.path(), now)
}

// sameEntries reports whether two lists have the same entries in any order.
func sameEntries(a, b []Entry) bool {
	return slices.EqualFunc(sortedEntries(a), sortedEntries(b), sameEntry)
}

func sameEntry(a, b Entry) bool {
	return a.File == b.File && a.Name == b.Name && a.Source == b.Source &&
		a.Resolved == b.Resolved && a.SHA256 == b.SHA256 && a.Version == b.Version &&
		a.Pinned == b.Pinned && a.Team == b.Team && a.Installed.Equal(b.Installed) &&
		slices.Equal(a.Grants, b.Grants)
}

// Note notes which scripts of the lock file are here, if that has not been noted yet.
func (in *Installer) Note() error {
	return in.changeScripts("", func(list []Entry) ([]Entry, error) { return list, nil })
}

// CheckLock reports an error if there is no lock file, or if it is not known what was in it:
// nothing may be removed because of that.
func (in *Installer) CheckLock() error {
	if _, err := os.Stat(in.Lock); err != nil {
		return fmt.Errorf("%s: %w: without a lock file there is nothing to be equal to", in.Lock,
			plain.Cause(err))
	}
	_, err := past{in}.entries()
	return err
}

// errChanged is the error of a change that is not the one that the user has agreed to.
var errChanged = errors.New("changed since you were asked: say it again")

// RemoveAsListed removes a script if it and its entry are as List returned them. Restore brings it
// back with its entry.
func (in *Installer) RemoveAsListed(s Status) error {
	return in.changeScripts("", func(list []Entry) ([]Entry, error) {
		e := entryOf(list, s.File)
		if (e == nil) != (s.Entry == nil) || e != nil && !sameEntry(*e, *s.Entry) {
			return nil, fmt.Errorf("%s: the lock file has %w", s.File, errChanged)
		}
		text, err := in.readInPlace(s.File)
		if errors.Is(err, fs.ErrNotExist) && s.Drift == DriftMissing {
			return withoutEntry(list, s.File), nil
		}
		if err != nil {
			return nil, err
		}
		if newFile(s.File, text, Source{}, "").SHA256 != s.sum {
			return nil, fmt.Errorf("%s has %w", s.File, errChanged)
		}
		return in.removeScript(list, s.File, text, cmp.Or(s.Entry, s.Dropped))
	})
}
