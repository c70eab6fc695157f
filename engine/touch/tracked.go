// This file finds the files that git lists.

package touch

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/gitdir"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/shell"
)

// tracked returns the files that git tracks below a folder. fromRoot: their names, as git prints
// them, are relative to the root of the work tree. ok is false if programs that get these names may
// use other files; odd, because they split a name, or take it as a flag.
func tracked(t *Touched, name string, fromRoot bool) (files []string, odd, ok bool) {
	dir, ok := t.disk.links.Of(t.abs(name))
	if !ok || t.environment.MovesGit() != "" {
		return nil, false, false
	}
	r, ok, certain := gitdir.FindCertain(dir)
	switch {
	case !certain:
		return nil, false, false
	case !ok: // git fails
		return nil, false, true
	case r.NamesTree(), fromRoot && r.Root != dir:
		return nil, false, false
	}
	names, err := r.TrackedFiles()
	if err != nil || len(names) > maxFound || !t.disk.spend(len(names)) {
		return nil, false, false
	}
	below, ok := realpath.Below(r.Root, dir)
	if !ok {
		return nil, false, false
	}
	prefix := ""
	if below != "." && below != "" {
		prefix = filepath.ToSlash(below) + "/"
	}
	for _, one := range names {
		one, in := strings.CutPrefix(one, prefix)
		if !in {
			continue
		}
		// a shell expands it, a program splits it or takes it as a flag, git quotes it
		if strings.HasPrefix(one, "-") || strings.ContainsFunc(one, func(r rune) bool {
			return r <= ' ' || r > '~' || strings.ContainsRune("*?[(\\'\"", r)
		}) {
			return nil, true, false
		}
		files = append(files, filepath.Join(dir, filepath.FromSlash(one)))
	}
	return files, false, true
}

// odd reports whether a name, or the name of a folder in it, may become others where a shell or a
// program reads it: it has bytes at which they split names, which they remove, or which make a
// pattern, or it begins as a flag does.
func odd(name string) bool {
	return strings.ContainsAny(name, " \t\n\v\f\r'\"\\*?[") || strings.HasPrefix(name, "-") ||
		strings.HasPrefix(name, "/-")
}

// makesOdd reports whether a command line may create a file with such a name.
func makesOdd(p *shell.Paths) bool {
	is := func(name string) bool { return odd(name) || odd(path.Base(name)) }
	return slices.ContainsFunc(p.All, func(one shell.Path) bool {
		return one.Writes && !one.Pattern && is(one.Name)
	}) || slices.ContainsFunc(p.Maybe, func(one shell.Maybe) bool {
		return one.Writes && !one.Pattern && !one.Word && is(one.Name)
	})
}

// addFiles adds files, and all files below those that are folders.
func addFiles(t *Touched, files []string, writes bool) {
	for _, one := range files {
		if t.addPath(one, writes); realpath.IsDir(one) {
			t.addFolder(one, writes)
		}
	}
}

// addRecorded adds files of which git, when it runs in dir, shows what it has recorded: see
// shell.Maybe.Recorded. The files of the current index count, and those that the line names.
func addRecorded(t *Touched, one maybe, dir string, m shell.Maybe) {
	if name := t.environment.MovesGit(); name != "" {
		t.why.markUnknown(shell.Doubt{Cause: shell.MovedGit, Word: name, By: one.by, Reads: true})
		return
	}
	if real, ok := t.disk.links.Of(dir); ok {
		dir = real
	}
	named := false
	for name := range strings.SplitSeq(m.Files, "\n") { // git refuses one that is a revision, too
		only := shell.Maybe{Recorded: name}
		if at := filepath.Join(dir, name); name != "" && t.disk.spend(1) && realpath.Exists(at) {
			addRecorded(t, one, dir, only)
			named = true
		}
	}
	if named {
		return
	}
	r, found, _ := gitdir.FindCertain(dir)
	name := m.Recorded
	if rest, rooted := strings.CutPrefix(name, "/"); rooted && found {
		dir, name = r.Root, rest
	}
	top := filepath.Join(dir, filepath.FromSlash(name))
	one.folder, one.name, one.only, one.below = false, name, "", false
	one.paths = []string{top}
	if one.recorded = func() ([]string, bool) { return nil, true }; found {
		one.recorded = sync.OnceValues(func() (files []string, ok bool) {
			names, err := r.TrackedFiles()
			return below(r.Root, names, top, m.Only), err == nil
		})
	}
	t.maybes = append(t.maybes, one)
}

// below returns the paths of files, whose names are relative to root, that lie below top. Their
// base names fit only, a pattern, if there is one.
func below(root string, names []string, top, only string) []string {
	root, top = filepath.ToSlash(root), filepath.ToSlash(top)
	for i, name := range names {
		names[i] = strings.TrimSuffix(root, "/") + "/" + name
	}
	return slices.DeleteFunc(names, func(p string) bool {
		fits, _ := path.Match(only, path.Base(p))
		return !within(top, p) || only != "" && !fits
	})
}

// findRecorded returns a file that git has recorded and that matches a glob. If it is not known
// what git has recorded, any may match.
func (m *maybe) findRecorded(d *disk, pattern string) (path string, ok bool) {
	if m.recorded == nil {
		return "", false
	}
	files, ok := m.recorded()
	if !ok || !d.spend(len(files)/matchesPerLook) {
		return m.paths[0], true
	}
	ending := pattern[strings.LastIndexAny(pattern, "*?[]{}\\/")+1:] // most names end otherwise
	for _, p := range files {
		if strings.HasSuffix(p, ending) && glob.Match(pattern, p) {
			return p, true
		}
	}
	return "", false
}
