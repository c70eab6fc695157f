// This file finds out whether a tool may have written the new version of a script.

package load

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentscripts/agent/engine/internal/changes"
)

// written returns the paths that a program writes to change the script: the file, the links that
// lead to it, its modules, and their folders.
func (f *found) written(e *entry) []string {
	var out []string
	for _, path := range append([]string{f.path}, e.modules...) {
		for _, name := range spotsOf(path) {
			out = append(out, name, filepath.Dir(name))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// holdRest records, when the loader ends, versions that have not been checked: a tool may have
// written them just before the end.
func (r *review) holdRest(files []*found, entries map[string]*entry) {
	b := &batch{cause: "save", now: time.Now()}
	for _, f := range files {
		e := entries[f.name]
		if e == nil {
			e = &entry{name: f.name}
		}
		c := f.read()
		if c.trouble != nil || f.builtin != nil || f.given != nil {
			continue
		}
		lib := r.builder.library(f, c.bytes)
		e.modules = lib.paths
		c.setLibrary(lib)
		tool, user := r.changer(f, e, r.since(e, &c))
		if tool != "" && !user {
			r.hold(b, e, f, &c)
		}
	}
}

// byTool reports whether a tool may have written a script of a project since the last scan. At the
// first scan this includes tools of agents that were killed.
func (r *review) byTool(f *found, e *entry) bool {
	since := r.lastLook()
	changed := func() time.Time { return changedAt(f.written(e)) }
	if since.IsZero() {
		return r.beacon.others(changed, 0) != ""
	}
	tool, user := r.changer(f, e, since)
	if tool == "" {
		return r.beacon.others(changed, mutationWindow) != ""
	}
	return !user
}

// lastLook returns when the last scan began; zero before the second one.
func (r *review) lastLook() time.Time {
	if at := r.looked.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// since returns the last time at which a new version is known not to have existed yet; zero if that
// is unknown.
func (r *review) since(e *entry, c *content) time.Time {
	if e.hash == c.hash {
		return time.Time{}
	}
	return r.lastLook()
}

// changer returns a tool that may have written or removed the script, as ChangedBy does. If time
// stamps show no change after since, which may be zero, other files have come to the same path by
// renaming a folder that leads there, at an unknown time.
func (r *review) changer(f *found, e *entry, since time.Time) (tool string, user bool) {
	paths := f.written(e)
	from := changedAt(paths)
	to := from
	if from.Add(changes.StampLag).Before(since) {
		from, to = since, time.Now()
	}
	for _, path := range paths {
		t, u := r.eng.ChangedBy(path, from, to, mutationWindow)
		if t != "" && (tool == "" || user) {
			tool, user = t, u
		}
	}
	return tool, user
}

// changedAt returns the time of the last change of the paths; now, if the system does not record
// it.
func changedAt(paths []string) time.Time {
	var last time.Time
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			continue // then its folder was changed
		}
		at, ok := changes.TimeOf(info)
		if !ok {
			return time.Now()
		}
		if at.After(last) {
			last = at
		}
	}
	return last
}
