// This file recognizes files that a tool may have written when they are part of other versions of
// scripts: together with a change by the user, and under other paths.

package load

import (
	"maps"
	"slices"
)

// wasInForce reports whether a content is the last good version of its script.
func (r *review) wasInForce(f *found, c *content) bool {
	last := r.good.getRecord(f.path)
	return last != nil && last.Hash == c.hash
}

// carried returns the reason why a version waits that has a file which already waits, as part of an
// earlier version or under another path: neither a save of the script by the user, nor a new name
// of its folder, accepts what a tool wrote into a module. "" = it has no such file.
func (r *review) carried(e *entry, f *found, c *content) string {
	var fresh []string
	for _, path := range slices.Sorted(maps.Keys(r.now)) {
		h := r.now[path]
		if h.Accepted {
			continue
		}
		if fresh == nil {
			fresh = r.freshParts(e, f, c)
		}
		same := h.Name == f.name // otherwise the user may have copied it
		if same && h.SHA256 == c.hash || slices.ContainsFunc(fresh, func(part string) bool {
			return slices.Contains(h.Parts, part) && (same || part != hashOf(c.bytes))
		}) {
			return h.Why
		}
	}
	return ""
}

// waitsElsewhere reports whether one of the files waits under another path.
func (r *review) waitsElsewhere(path string, parts []string) bool {
	for at, h := range r.now {
		if at != path && slices.ContainsFunc(parts,
			func(part string) bool { return slices.Contains(h.Parts, part) }) {
			return true
		}
	}
	return false
}

// freshParts returns the hashes of the files of a version that the version in force, or else the
// last good one, does not have.
func (r *review) freshParts(e *entry, f *found, c *content) []string {
	old := r.previousVersion(e, f.path)
	have := partsOf(old.bytes, old.Modules)
	return slices.DeleteFunc(partsOf(c.bytes, modulesOf(c.library)),
		func(part string) bool { return slices.Contains(have, part) })
}

func partsOf(script []byte, modules []recordModule) []string {
	parts := []string{hashOf(script)}
	for _, m := range modules {
		parts = append(parts, hashOf(m.bytes))
	}
	return parts
}
