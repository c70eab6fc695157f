// Package trust stores which bytes of a project the user trusts.
//
//	s := trust.New(home, nil)
//	decided, err := s.Read()
//	ok, never := decided.Of(trust.Item{Root: project, Path: path, SHA256: sum})
//
// Files of a repository may have been written by a stranger. They have no effect until the user has
// trusted exactly these bytes, at this path, with the grants they ask for. Other bytes, another
// path or other grants are another item. With a store that cannot be read, nothing is trusted.
package trust

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/agentscripts/agent/engine/ledger"
)

// Item is a file of a project that may be trusted, identified by its bytes.
type Item struct {
	Root   string   `json:"root"` // of the project
	Path   string   `json:"path"`
	SHA256 string   `json:"sha256"`           // of the bytes, hex
	Grants []string `json:"grants,omitempty"` // what they ask for, in order
}

// Same reports whether both items are the same bytes at the same path, with the same grants.
func (i Item) Same(x Item) bool {
	return i.at(x.Root, x.Path) && i.SHA256 == x.SHA256 && slices.Equal(i.Grants, x.Grants)
}

func (i Item) at(root, path string) bool { return i.Root == root && i.Path == path }

type entry struct {
	Item
	// the user does not want to be asked about these bytes again
	Never bool `json:"never,omitempty"`
	// the bytes were trusted, and a tool may have put them into the file again
	Held bool      `json:"held,omitempty"`
	Time time.Time `json:"time"`
}

// Store is the file with the user's decisions. Its methods are safe for concurrent use, also by
// several processes.
type Store struct{ file ledger.File[entry] }

// New returns a store in the agent's own directory; "" = nothing can be stored. It does not read or
// write anything. keeper says which version of the file is in force; nil = the file itself.
func New(home string, keeper ledger.Keeper) *Store {
	if home == "" {
		return &Store{}
	}
	return &Store{ledger.File[entry]{Path: filepath.Join(home, "trust.json"), Version: 1,
		Private: true, Keeper: keeper}}
}

// Path returns the path of the file. Only its owner may read or write it.
func (s *Store) Path() string { return s.file.Path }

// Decisions are the user's decisions as they were read from the store. The zero Decisions trusts
// nothing.
type Decisions struct{ entries []entry }

// Read reads all decisions. The error says why the store cannot be read; then nothing is trusted.
func (s *Store) Read() (Decisions, error) {
	entries, err := s.file.Read()
	return Decisions{entries}, err
}

// Of returns the user's decision about these bytes: trusted, never ask again, or none.
func (d Decisions) Of(i Item) (trusted, never bool) {
	for _, e := range d.entries {
		if e.Same(i) {
			return e.trusted(), e.Never
		}
	}
	return false, false
}

func (e entry) trusted() bool { return !e.Never && !e.Held }

// Trusted returns the bytes that the user trusts at a path of a project. If there are several, it
// returns those that were in force last.
func (d Decisions) Trusted(root, path string) (Item, bool) {
	for _, e := range slices.Backward(d.entries) {
		if e.at(root, path) && e.trusted() {
			return e.Item, true
		}
	}
	return Item{}, false
}

// Held reports whether a tool may have put trusted bytes into a file again.
func (d Decisions) Held(root, path string) bool {
	return slices.ContainsFunc(d.entries,
		func(e entry) bool { return e.at(root, path) && e.Held })
}

// Needs reports whether bytes with that hash are trusted in any project.
func (d Decisions) Needs(hash string) bool {
	return slices.ContainsFunc(d.entries,
		func(e entry) bool { return e.SHA256 == hash && !e.Never })
}

// In returns the trusted items of a project, as Trusted does for each path.
func (d Decisions) In(root string) (items []Item) {
	for _, e := range d.entries {
		if now, ok := d.Trusted(root, e.Path); ok && e.Root == root && now.Same(e.Item) {
			items = append(items, now)
		}
	}
	return items
}

// Trust records that the user trusts all of these items. It deletes the decisions about other bytes
// of the same files.
func (s *Store) Trust(items ...Item) error {
	return s.update(items, false, func(entry, Item) bool { return false })
}

// TrustAlso is like Trust, but the last few other bytes of the same files stay trusted, because a
// file may have other bytes on another branch.
func (s *Store) TrustAlso(items ...Item) error {
	return s.update(items, false, func(e entry, i Item) bool {
		return !e.Never && !e.Same(i)
	})
}

// Renew records that trusted bytes are in force again.
func (s *Store) Renew(i Item) error {
	return s.file.Update(func(entries []entry) []entry {
		n := slices.IndexFunc(entries,
			func(e entry) bool { return e.Same(i) && e.trusted() })
		if n < 0 {
			return entries
		}
		for at := range entries {
			entries[at].Held = entries[at].Held && !entries[at].at(i.Root, i.Path)
		}
		now := entries[n]
		return append(slices.Delete(entries, n, n+1), now)
	})
}

// Hold records that a tool may have written trusted bytes to their file again: they are not trusted
// until the user trusts them again, or the file has had other trusted bytes meanwhile.
func (s *Store) Hold(i Item) error {
	return s.file.Update(func(entries []entry) []entry {
		for n := range entries {
			entries[n].Held = entries[n].Held || entries[n].Same(i) && !entries[n].Never
		}
		return entries
	})
}

// maxEarlier is the number of earlier bytes of a file that stay trusted: enough for a few branches.
const maxEarlier = 8

// Refuse records that the user does not want to be asked about these bytes again. Other bytes of
// the same files stay trusted.
func (s *Store) Refuse(items ...Item) error {
	return s.update(items, true, func(e entry, i Item) bool {
		return !e.Never && (e.SHA256 != i.SHA256 || !slices.Equal(e.Grants, i.Grants))
	})
}

// update replaces the decisions about the files of items, except entries that keeps selects.
func (s *Store) update(items []Item, never bool, keeps func(entry, Item) bool) error {
	now := time.Now().UTC().Truncate(time.Second)
	return s.file.Update(func(entries []entry) []entry {
		for _, i := range items {
			entries = slices.DeleteFunc(entries,
				func(e entry) bool { return e.at(i.Root, i.Path) && !keeps(e, i) })
			entries = append(withoutOldest(entries, i), entry{Item: i, Never: never, Time: now})
		}
		return entries
	})
}

// withoutOldest removes the oldest entries of a file if there are more than maxEarlier.
func withoutOldest(entries []entry, i Item) []entry {
	more := -maxEarlier
	for _, e := range entries {
		if e.at(i.Root, i.Path) {
			more++
		}
	}
	return slices.DeleteFunc(entries, func(e entry) bool {
		if more <= 0 || !e.at(i.Root, i.Path) {
			return false
		}
		more--
		return true
	})
}

// Revoke deletes the decisions about files of a project.
func (s *Store) Revoke(root string, paths ...string) error {
	return s.file.Update(func(entries []entry) []entry {
		return slices.DeleteFunc(entries,
			func(e entry) bool { return e.Root == root && slices.Contains(paths, e.Path) })
	})
}
