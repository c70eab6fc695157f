// This file decides what to watch, so that no change of a script is missed.

package load

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/realpath"
)

// plan lists what to watch, in real paths, which are the names in events.
type plan struct {
	dirs    map[string]bool // folders to watch
	folders map[string]bool // those of them that hold scripts: any script's name counts
	// paths that count individually: links, -e files, folders that come and go
	names      map[string]bool
	unreadable map[string]bool // paths whose changes of mode matter
}

// plan makes the plan for what a survey found.
func (l *Loader) plan(s *survey) *plan {
	p := &plan{dirs: map[string]bool{}, folders: map[string]bool{}, names: map[string]bool{},
		unreadable: map[string]bool{}}
	for _, dir := range s.folders {
		names, real := p.add(dir)
		if real != "" {
			p.dirs[real], p.folders[real] = true, true
		}
		if s.closed[dir] {
			p.unreadable[names[len(names)-1]] = true
		}
	}
	for _, path := range slices.Concat(s.extra, s.manifests) {
		p.add(path)
	}
	for _, path := range l.o.Settings.watched() {
		p.add(path)
	}
	if len(l.review.now) > 0 { // another process may accept versions that wait
		p.add(l.review.file.Path)
	}
	for _, e := range l.entries {
		// an extension of another host, whose format may have been removed
		if strings.Contains(e.name, "/") {
			p.add(e.at.path)
		}
	}
	for _, e := range l.entries {
		for _, path := range e.modules {
			names, _ := p.add(path)
			for _, name := range names {
				p.unreadable[name] = e.err != nil && e.err.Line == 0
			}
		}
	}
	for _, f := range s.files {
		if f.link {
			p.add(f.path)
		}
		// unreadable now, or possibly at the next look
		if e := l.entries[f.name]; f.builtin == nil &&
			(e == nil || e.err != nil && e.err.Line == 0) {
			for _, spot := range f.spots {
				p.unreadable[spot] = true
			}
		}
	}
	return p
}

// add plans to watch for changes of path itself, and of the links and folders that it goes through.
func (p *plan) add(path string) (names []string, real string) {
	names, real = realpath.Road(path)
	for _, name := range names {
		p.names[name], p.dirs[filepath.Dir(name)] = true, true
	}
	return names, real
}

// spotsOf returns the paths that count for a script or module at path.
func spotsOf(path string) []string {
	names, _ := realpath.Road(path)
	return names
}
