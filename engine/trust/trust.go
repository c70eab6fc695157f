// Package trust remembers which bytes of a project the user trusts.
//
//	s := trust.New(home)
//	ok, never, err := s.Decided(trust.Item{Root: project, Path: path, SHA256: sum})
//
// What a repository brings is text that a stranger may have written: it takes no effect before the
// user has trusted these very bytes, in this place, with what they ask for. A changed byte, another
// place or another wish is another item. A store that cannot be read trusts nothing.
package trust

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/agentscripts/agent/engine/ledger"
)

// Item is what may be trusted: a file of a project, by its bytes.
type Item struct {
	Root   string   `json:"root"` // of the project
	Path   string   `json:"path"`
	SHA256 string   `json:"sha256"`           // of the bytes, hex
	Grants []string `json:"grants,omitempty"` // what they ask for, in order
}

func (i Item) same(x Item) bool {
	return i.Root == x.Root && i.Path == x.Path && i.SHA256 == x.SHA256 &&
		slices.Equal(i.Grants, x.Grants)
}

type entry struct {
	Item
	// the user does not want to be asked about these bytes again
	Never bool      `json:"never,omitempty"`
	Time  time.Time `json:"time"`
}

// Store is the store. Its methods are safe for concurrent use, by several processes too.
type Store struct{ file ledger.File[entry] }

// New makes a store in the agent's own directory; "" = nothing can be stored. Nothing is read or
// written yet.
func New(home string) *Store {
	if home == "" {
		return &Store{}
	}
	return &Store{ledger.File[entry]{Path: filepath.Join(home, "trust.json"), Version: 1}}
}

// Path is where the store is. Only its owner may read or write it.
func (s *Store) Path() string { return s.file.Path }

// Decided returns what the user has said of these bytes: trusted, never asked about again, or
// neither. The error says why the store cannot be read; then nothing is trusted.
func (s *Store) Decided(i Item) (trusted, never bool, err error) {
	entries, err := s.file.Read()
	if err != nil {
		return false, false, err
	}
	for _, e := range entries {
		if e.same(i) {
			return !e.Never, e.Never, nil
		}
	}
	return false, false, nil
}

// Trust remembers that the user trusts these bytes, or, with never, that he does not want to be
// asked about them again. What was said of other bytes of the same file is forgotten.
func (s *Store) Trust(i Item, never bool) error {
	return s.file.Update(func(entries []entry) []entry {
		return append(without(entries, i.Root, i.Path),
			entry{i, never, time.Now().UTC().Truncate(time.Second)})
	})
}

// Revoke forgets what was said of a file of a project.
func (s *Store) Revoke(root, path string) error {
	return s.file.Update(func(entries []entry) []entry { return without(entries, root, path) })
}

func without(entries []entry, root, path string) []entry {
	return slices.DeleteFunc(entries, func(e entry) bool {
		return e.Root == root &&
			e.Path == path
	})
}
