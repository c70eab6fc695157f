// This file stores edit leases: while one lasts, each save of a project's script is loaded.

package trust

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/agentscripts/agent/engine/gitdir"
	"github.com/agentscripts/agent/engine/ledger"
)

// Lease lets one script of a project load without a review of each save. It ends when the
// repository's HEAD moves, because the bytes may then come from another author.
type Lease struct {
	Root string    `json:"root"`
	Path string    `json:"path"`
	Head string    `json:"head"` // gitdir.Position.ID at its start
	Time time.Time `json:"time"`
	// hashes of bytes that a tool of the agent may have written: they wait for a review
	Tools []string `json:"tools,omitempty"`
}

// Leases is the list of leases. Its methods are safe for concurrent use, by several processes too.
type Leases struct{ file ledger.File[Lease] }

// maxToolBytes is the maximal number of hashes of tools' bytes in a lease.
const maxToolBytes = 200

// NewLeases makes the list in the agent's own directory; "" = nothing can be stored.
func NewLeases(home string) *Leases {
	if home == "" {
		return &Leases{}
	}
	return &Leases{ledger.File[Lease]{Path: filepath.Join(home, "state", "leases.json"),
		Version: 1, Private: true}}
}

// Path returns the path of the list.
func (l *Leases) Path() string { return l.file.Path }

// In returns the leases of a project.
func (l *Leases) In(root string) ([]Lease, error) {
	list, err := l.file.Read()
	return slices.DeleteFunc(list, func(x Lease) bool { return x.Root != root }), err
}

// Begin starts a lease, or restarts it if there is one.
func (l *Leases) Begin(root, path string) error {
	repo, _ := gitdir.Find(root)
	x := Lease{Root: root, Path: path, Head: repo.Position().ID,
		Time: time.Now().UTC().Truncate(time.Second)}
	return l.file.Update(func(list []Lease) []Lease {
		return append(without(list, root, path), x)
	})
}

// End ends a lease.
func (l *Leases) End(root, path string) error {
	return l.file.Update(func(list []Lease) []Lease { return without(list, root, path) })
}

// NoteTool records that a tool of the agent may have written the bytes with that hash.
func (l *Leases) NoteTool(root, path, hash string) error {
	return l.file.Update(func(list []Lease) []Lease {
		for i := range list {
			if x := &list[i]; x.Root == root && x.Path == path && !slices.Contains(x.Tools, hash) {
				x.Tools = append(x.Tools[max(0, len(x.Tools)+1-maxToolBytes):], hash)
			}
		}
		return list
	})
}

func without(list []Lease, root, path string) []Lease {
	return slices.DeleteFunc(list, func(x Lease) bool { return x.Root == root && x.Path == path })
}
