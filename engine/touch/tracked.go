// This file finds the files that git lists.

package touch

import (
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine/gitdir"
	"github.com/agentscripts/agent/engine/realpath"
)

// tracked returns the files that git tracks below a folder. fromRoot: their names, as git prints
// them, are relative to the root of the work tree. ok is false if programs that get these names may
// use other files; odd, because they split a name, or take it as a flag.
func tracked(t *Touched, name string, fromRoot bool) (files []string, odd, ok bool) {
	dir, ok := t.disk.links.Of(t.abs(name))
	if !ok || t.environment.MovesGit() {
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

// oddBytes are the letters at which programs split names, or which they remove.
const oddBytes = " \t\n\v\f\r'\"\\"

// addFiles adds files, and all files below those that are folders.
func addFiles(t *Touched, files []string, writes bool) {
	for _, one := range files {
		if t.addPath(one, writes); realpath.IsDir(one) {
			t.addFolder(one, writes)
		}
	}
}
