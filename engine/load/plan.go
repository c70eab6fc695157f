// This file decides what to watch, so that no change of a script is missed.

package load

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// plan lists what to watch, in real paths, which are the names in events.
type plan struct {
	dirs    map[string]bool // folders to watch
	folders map[string]bool // those of them that hold scripts: any script's name counts
	// paths that count individually: links, -e files, folders that come and go
	names      map[string]bool
	unreadable map[string]bool // paths for which a change of mode counts
}

// road is the chain of links from a path to its real place.
type road struct {
	dirs  []string // folders in which a change could redirect the path
	names []string // the paths in them that count
	real  string   // "" if the path leads nowhere
}

// maxLinks is how many links a path may go through: the same limit as in Linux.
const maxLinks = 40

// trace follows path through every symbolic link, to its end or to the first missing element.
func trace(path string) road {
	var r road
	volume := filepath.VolumeName(path)
	root := volume + string(filepath.Separator)
	cur, rest := root, split(path[len(volume):])
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		if part == ".." {
			cur = filepath.Dir(cur)
			continue
		}
		next := filepath.Join(cur, part)
		info, err := os.Lstat(next)
		link := err == nil && info.Mode()&os.ModeSymlink != 0
		if err != nil || link || len(rest) == 0 {
			r.dirs, r.names = append(r.dirs, cur), append(r.names, next)
		}
		if err != nil {
			return r
		}
		if !link {
			cur = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return r
		}
		if filepath.IsAbs(target) {
			volume = filepath.VolumeName(target)
			cur, target = volume+string(filepath.Separator), target[len(volume):]
		}
		rest = append(split(target), rest...)
	}
	r.real = cur
	return r
}

// split cuts a path into its elements, without "." and empty ones. It does not resolve "..", which
// after a link means another folder.
func split(path string) []string {
	var out []string
	for _, p := range strings.FieldsFunc(path, func(r rune) bool {
		return r == filepath.Separator ||
			r == '/'
	}) {
		if p != "." {
			out = append(out, p)
		}
	}
	return out
}

// plan makes the plan for what a survey found.
func (l *Loader) plan(s *survey) *plan {
	p := &plan{dirs: map[string]bool{}, folders: map[string]bool{}, names: map[string]bool{},
		unreadable: map[string]bool{}}
	for _, dir := range s.folders {
		r := p.add(dir)
		if r.real != "" {
			p.dirs[r.real], p.folders[r.real] = true, true
		}
		if s.closed[dir] {
			p.unreadable[r.names[len(r.names)-1]] = true
		}
	}
	for _, path := range slices.Concat(s.extra, s.manifests) {
		p.add(path)
	}
	if len(l.review.now) > 0 { // another process may accept what waits
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
			p.add(path)
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

func (p *plan) add(path string) road {
	r := trace(path)
	for _, dir := range r.dirs {
		p.dirs[dir] = true
	}
	for _, name := range r.names {
		p.names[name] = true
	}
	return r
}
