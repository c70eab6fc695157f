// This file asks for the user's consent before the instructions of a project import files from
// outside of it, such as notes of the user: the model would get texts that the project's authors
// must not see.

package program

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"sync"

	"github.com/agentscripts/agent/agent/internal/instruct"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/trust"
)

// grantImport is what such a file is trusted for.
const grantImport = "import"

// imports are the imports of files outside of the project. Its methods are safe for concurrent use.
type imports struct {
	mu   sync.Mutex
	once []string // allowed until the program ends
	// wanted are those that were not allowed: also of instructions that are only read with the
	// files beside them
	wanted []string
}

// mostWanted limits the imports that are remembered.
const mostWanted = 100

// importItem returns the item of a file that the project at root imports. The consent is about the
// path, not about the bytes, which are not the project's.
func importItem(root, path string) trust.Item {
	sum := sha256.Sum256([]byte(path))
	return trust.Item{Root: root, Path: path, SHA256: hex.EncodeToString(sum[:]),
		Grants: []string{grantImport}}
}

func isImport(i trust.Item) bool { return slices.Equal(i.Grants, []string{grantImport}) }

// importItems returns the files outside of the project that it imports.
func (p *Project) importItems(decided trust.Decisions) (list []*Item) {
	files := instruct.New(instruct.Options{Dir: p.places.Dir, Project: p.Scripts.Root,
		User: p.places.User, Home: p.home, Allowed: p.allows})
	for _, path := range p.imports.andWanted(files.Outside()) {
		i := &Item{Item: importItem(p.Scripts.Root, path), Kind: KindImport,
			Name: filepath.ToSlash(path), Standing: load.StandingNew,
			Wants: []load.Want{{Grant: grantImport,
				Means: "the project's instructions import this file of yours: the model gets it"}}}
		i.setStanding(decided)
		if i.Standing == load.StandingNew && p.imports.has(path) {
			i.Standing = load.StandingOnce
		}
		list = append(list, i)
	}
	return list
}

// allows reports whether the project may import a file outside of it, a real path.
func (p *Project) allows(path string) bool {
	if p.imports.has(path) {
		return true
	}
	decided, err := p.Scripts.Store().Read()
	if err != nil { // Look reports it
		return false
	}
	trusted, _ := decided.Of(importItem(p.Scripts.Root, path))
	if !trusted {
		p.imports.want(path)
	}
	return trusted
}

// want notes that an import was not allowed.
func (i *imports) want(path string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.wanted) < mostWanted && !slices.Contains(i.wanted, path) {
		i.wanted = append(i.wanted, path)
	}
}

// andWanted adds the imports that were not allowed to others.
func (i *imports) andWanted(paths []string) []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, path := range i.wanted {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

func (i *imports) has(path string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Contains(i.once, path)
}

// decide notes a decision about imports until the program ends.
func (i *imports) decide(d Decision, items []*Item) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, item := range items {
		if item.Kind != KindImport {
			continue
		}
		i.once = slices.DeleteFunc(i.once, func(path string) bool { return path == item.Path })
		if d == DecideOnce {
			i.once = append(i.once, item.Path)
		}
	}
}
