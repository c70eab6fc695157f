// This file records which scripts guarded something, so that a missing one is detected at the next
// start.

package load

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/ledger"
)

// known is a script that guarded something when it was last in force.
type known struct {
	Name   string   `json:"name"`
	Path   string   `json:"path"`
	SHA256 string   `json:"sha256"`           // of that version, see record.Hash
	Guards []string `json:"guards,omitempty"` // of its header
	// it is a file of settings, and no script: see Settings
	Setting bool `json:"setting,omitempty"`
}

func (k *known) same(x known) bool {
	return k.Name == x.Name && k.Path == x.Path && k.SHA256 == x.SHA256 &&
		slices.Equal(k.Guards, x.Guards)
}

// roll is the list of known scripts, in two copies, so that deleting or rewriting one copy does not
// lose it. It is used under the loader's lock.
type roll struct {
	files  []ledger.File[known] // the first one takes precedence
	now    map[string]known     // by path
	differ bool                 // the copies differ
	names  map[string]string    // see Options.Names
	// the settings of the list are meant, and not its scripts
	settings bool
}

func newRoll(home, outside string) *roll {
	r := &roll{now: map[string]known{}}
	for _, path := range []string{outside, under(home, "state", "guards.json")} {
		if path != "" && home != "" {
			r.files = append(r.files, ledger.File[known]{Path: path, Version: 1})
		}
	}
	return r
}

// readCopies reads both copies and merges them. The error says which one could not be read.
func (r *roll) readCopies() (err error) {
	for i, file := range r.files {
		list, failed := file.Read()
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("the list of scripts that guarded calls cannot be "+
				"read completely: %w",
				failed))
			continue
		}
		list = slices.DeleteFunc(list, func(k known) bool { return k.Setting != r.settings })
		before := len(r.now)
		for _, k := range list {
			old, ok := r.now[k.Path]
			if i > 0 && (!ok || !old.same(k)) {
				r.differ = true
			}
			if !ok {
				r.now[k.Path] = k
			}
		}
		r.differ = r.differ || i > 0 && len(list) != before
	}
	return err
}

// at returns the known script at path, or an earlier version of it at another path; or nil.
func (r *roll) at(path string) *known {
	if k, ok := r.now[path]; ok {
		return &k
	}
	for _, other := range r.versions(path) {
		k := r.now[other]
		return &k
	}
	return nil
}

// versions returns the paths of known versions of the extension at path, if these have one name.
func (r *roll) versions(path string) (paths []string) {
	name, lasting := r.names[path]
	for other, k := range r.now {
		if lasting && other != path && strings.HasPrefix(k.Name, name+"/") {
			paths = append(paths, other)
		}
	}
	slices.Sort(paths)
	return paths
}

// keep updates the list with the versions that are now in force, and removes the paths in gone.
func (r *roll) keep(gens []*engine.Generation, gone []string) error {
	next := maps.Clone(r.now)
	for _, g := range gens {
		gone = append(gone, r.versions(g.Path)...)
		switch {
		case !protects(g):
			gone = append(gone, g.Path)
		// scripts given with -e are needed only when they are given again, and then a missing one
		// is an error anyway
		case mayDisable(g.Source):
			next[g.Path] = known{Name: g.Name, Path: g.Path, SHA256: g.Hash,
				Guards: g.Header.Guards}
		}
	}
	for _, path := range gone {
		delete(next, path)
		for _, other := range r.versions(path) {
			delete(next, other)
		}
	}
	same := func(a, b known) bool { return a.same(b) }
	if !r.differ && maps.EqualFunc(next, r.now, same) {
		return nil
	}
	return r.store(next)
}

// keepSetting puts a file of settings into the list.
func (r *roll) keepSetting(k known) error {
	if old, ok := r.now[k.Path]; ok && old.same(k) && !r.differ {
		return nil
	}
	next := maps.Clone(r.now)
	next[k.Path] = k
	return r.store(next)
}

// store writes a list to both copies.
func (r *roll) store(next map[string]known) error {
	old := r.now
	r.now, r.differ = next, false
	var err error
	for _, file := range r.files {
		err = errors.Join(err,
			file.Update(func(list []known) []known { return r.merge(list, old, next) }))
	}
	return err
}

// merge applies the changes from old to next to a copy. Entries that another process has added
// remain.
func (r *roll) merge(list []known, old, next map[string]known) []known {
	list = slices.DeleteFunc(list, func(k known) bool {
		_, had := old[k.Path]
		_, has := next[k.Path]
		return k.Setting == r.settings && (had || has)
	})
	list = slices.AppendSeq(list, maps.Values(next))
	sort.Slice(list, func(i, j int) bool { return list[i].Path < list[j].Path })
	return list
}

// protects reports whether g guards calls or masks messages to the model, so that its absence
// matters.
func protects(g *engine.Generation) bool {
	return len(g.Registry.Redactors) > 0 || slices.ContainsFunc(g.Registry.Handlers,
		func(h *engine.Handler) bool {
			return IsGuard(h) ||
				slices.Contains([]string{"tool_permission", "tool_result", "llm_message"}, h.Event)
		})
}

// Forget removes deleted scripts of the user from the list, as /reload does, so the next start does
// not report them as missing. With no names it removes nothing. It returns the names of all missing
// scripts.
func Forget(home, outside string, runtimes []engine.Runtime,
	names ...string) (missed []string, err error) {
	home = absolute(home)
	r, good := newRoll(home, absolute(outside)), newGoodStore(home)
	if err := r.readCopies(); err != nil {
		return nil, err
	}
	var gone []string
	visit := func(name, path string) {
		_, err := os.Lstat(path)
		missing := errors.Is(err, fs.ErrNotExist)
		if !missing && isPart(name, path) {
			src, err := ReadManifest(runtimes, path)
			missing = err == nil && src == nil
		}
		if !missing || slices.Contains(gone, path) {
			return
		}
		missed = append(missed, name)
		if slices.Contains(names, name) {
			gone = append(gone, path)
		}
	}
	for _, k := range r.now {
		visit(k.Name, k.Path)
	}
	for _, rec := range good.all() {
		dir := filepath.Dir(rec.Path)
		if strings.Contains(rec.Name, "/") {
			dir = filepath.Dir(dir)
		}
		if r.at(rec.Path) == nil &&
			(dir == under(home, "scripts") || dir == under(home, "extensions")) {
			visit(rec.Name, rec.Path)
		}
	}
	slices.Sort(missed)
	for _, path := range gone {
		err = errors.Join(err, good.remove(path))
	}
	if len(gone) > 0 {
		err = errors.Join(err, r.keep(nil, gone))
	}
	return slices.Compact(missed), err
}
