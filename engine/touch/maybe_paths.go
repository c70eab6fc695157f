// This file finds the paths that a call may touch: words and arguments that look like paths and
// whose use is unknown.

package touch

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/gitdir"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/shell"
)

// maybe is a path that may be read or written.
type maybe struct {
	paths  []string // the path with its folder's links resolved, and its target
	name   string   // as in the command line
	by     string   // the program or the tool that gets it
	writes bool
	folder bool // any path in this folder
	word   bool // possibly not a path: only patterns that name it match
	tree   bool // any path below this folder
	below  bool // files below it are meant, too
	only   string
	tool   bool // it is an argument of a tool, not a word of a command line
}

// addMaybe adds a path or pattern that a program gets.
func (t *Touched) addMaybe(m shell.Maybe, shopt bool) {
	switch {
	case len(t.maybes) >= maxPaths:
		t.why.markUnknown(shell.Doubt{Cause: shell.TooMany, By: m.By, Reads: true,
			Writes: m.Writes})
		return
	case !m.Pattern:
		t.addMaybePath(m)
		return
	}
	found, ok := t.findPattern(m.Name)
	if m.Pattern = false; shopt || !ok { // some file in the folder before the first * or ?
		below, _ := glob.Split(m.Name)
		folder := m
		folder.Name, folder.Folder = below, true
		t.addMaybePath(folder)
	}
	for _, one := range found {
		m.Name = one
		t.addMaybePath(m)
	}
}

func (t *Touched) addMaybePath(m shell.Maybe) {
	if !t.disk.spend(1) {
		t.why.markUnknown(shell.Doubt{Cause: shell.TooMany, Word: m.Name, By: m.By, Reads: true,
			Writes: m.Writes})
		return
	}
	p := t.abs(m.Name)
	one := maybe{name: m.Name, by: m.By, writes: m.Writes, below: m.Below, only: m.Only,
		tool:   len(t.commands) == 0,
		folder: m.Folder || strings.HasSuffix(m.Name, "/")}
	if strings.ContainsAny(m.Name, " \t") && !realpath.IsDir(filepath.Dir(p)) { // prose, not a path
		return
	}
	if m.Tree {
		p, one.tree = workTree(p), true
	}
	one.paths = []string{filepath.Clean(p)}
	if lies, leads, ok := t.disk.resolvePath(p); ok {
		one.paths = append(one.paths, lies, leads)
	}
	slices.Sort(one.paths)
	one.paths = slices.Compact(one.paths)
	if m.Word && t.disk.spend(1) {
		info, err := os.Stat(p)
		one.word = err != nil || info.IsDir()
	}
	t.maybes = append(t.maybes, one)
}

// MayWrite returns the paths that a program gets and may write.
func (t *Touched) MayWrite() (out []string) {
	for i := range t.maybes {
		if m := &t.maybes[i]; m.writes && !m.word && !m.folder {
			out = append(out, m.paths...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// findBelow reports whether a file below m, if all are meant, may match a glob.
func (t *Touched) findBelow(m *maybe, pattern string) bool {
	if !m.below {
		return false
	}
	l := t.disk.listFolder(m.paths[len(m.paths)-1])
	return !l.all || slices.ContainsFunc(l.files, func(p string) bool {
		fits, _ := path.Match(m.only, filepath.Base(p))
		return (fits || m.only == "") && glob.Match(pattern, filepath.ToSlash(p))
	})
}

// perhaps returns the word or argument by which a path that matches a glob for absolute paths may
// be touched, and the path; nil = there is none.
func (t *Touched) perhaps(what, pattern string) (*maybe, string) {
	last := pattern[strings.LastIndexByte(pattern, '/')+1:]
	names := strings.Trim(last, "*?") != "" // the pattern does not match every name
	fits := func(p string, folder bool) bool {
		p = filepath.ToSlash(p)
		return glob.Match(pattern, p) || folder && glob.Match(pattern, p+"/x")
	}
	for i := range t.maybes {
		m := &t.maybes[i]
		if what == "writes" && !m.writes || m.tree || m.word && !names {
			continue
		}
		for _, p := range m.paths {
			if fits(p, m.folder) {
				return m, p
			}
		}
		if t.findBelow(m, pattern) {
			return m, m.paths[len(m.paths)-1]
		}
	}
	return nil, ""
}

// mayVerb says what may be done with a path.
func mayVerb(what string) string {
	if what == "writes" {
		return " may write "
	}
	return " may read "
}

// workTree returns the root of the work tree of git that holds a folder; the folder itself if there
// is none, and the root of all folders if the work tree may be elsewhere.
func workTree(dir string) string {
	dir = filepath.Clean(dir)
	switch r, ok := gitdir.Find(dir); {
	case !ok:
		return dir
	case r.NamesTree():
		return separator
	default:
		return r.Root
	}
}

// inTree reports whether git may write a file that matches a glob for absolute paths.
func inTree(all []maybe, pattern string) bool {
	parts := strings.Split(pattern, "/")
	return slices.ContainsFunc(all, func(m maybe) bool {
		return m.tree && slices.ContainsFunc(m.paths,
			func(dir string) bool { return matchesBelow(parts, dir) })
	})
}

// matchesBelow reports whether a glob, split at slashes, may match a path below a folder. With
// braces it may.
func matchesBelow(pattern []string, dir string) bool {
	if dir == separator {
		return true
	}
	parts := strings.Split(strings.Trim(filepath.ToSlash(dir), "/"), "/")
	pattern = pattern[1:] // it is absolute
	for i, part := range parts {
		if i >= len(pattern) {
			return false
		}
		if one := pattern[i]; one == "**" || strings.Contains(one, "{") {
			return true
		} else if !glob.Match(one, part) {
			return false
		}
	}
	return len(pattern) > len(parts)
}
