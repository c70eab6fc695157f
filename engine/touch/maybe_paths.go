// This file finds the files that a call may touch: possible paths among words and arguments whose
// use is unknown.

package touch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/shell"
)

// maybe is a path that may be read, or written.
type maybe struct {
	paths  []string // the path with its folder's links resolved, and its target
	name   string   // as it is written
	by     string   // the program or the tool that gets it
	writes bool
	folder bool // the path lies in this folder
	word   bool // it may be no path: it counts for patterns that name it
}

// maybe adds a path that a program gets.
func (t *Touched) maybe(m shell.Maybe, shopt bool) {
	switch {
	case len(t.maybes) >= maxPaths:
		t.doubt(m.Writes)
		return
	case !m.Pattern:
		t.addMaybe(m)
		return
	}
	found, ok := t.glob(t.abs(m.Name))
	if m.Pattern = false; shopt || !ok { // some file in the folder before the first * or ?
		below, _ := glob.Split(m.Name)
		folder := m
		folder.Name, folder.Folder = below, true
		t.addMaybe(folder)
	}
	for _, one := range found {
		m.Name = one
		t.addMaybe(m)
	}
}

func (t *Touched) addMaybe(m shell.Maybe) {
	p := t.abs(m.Name)
	one := maybe{name: m.Name, by: m.By, writes: m.Writes,
		folder: m.Folder || strings.HasSuffix(m.Name, "/")}
	if strings.ContainsAny(m.Name, " \t") && !isDir(filepath.Dir(p)) { // a text
		return
	}
	one.paths = []string{filepath.Clean(p)}
	if lies, leads, ok := t.places(p); ok {
		one.paths = append(one.paths, lies, leads)
	}
	slices.Sort(one.paths)
	one.paths = slices.Compact(one.paths)
	if m.Word {
		info, err := os.Stat(p)
		one.word = err != nil || info.IsDir()
	}
	t.maybes = append(t.maybes, one)
}

// argument adds a text passed to a tool whose use of it is unknown.
func (t *Touched) argument(text, tool string, writes bool) {
	path := strings.Contains(text, "/") || strings.HasPrefix(text, "~") ||
		strings.HasPrefix(text, ".")
	if !path || len(text) > maxArgument || strings.ContainsAny(text, "\n\x00") ||
		strings.Contains(text, "://") {
		return
	}
	t.maybe(shell.Maybe{Name: text, By: tool, Writes: writes}, false)
}

// maxArgument bounds how long a path among arguments is, in bytes.
const maxArgument = 4 << 10

// MayWrite returns the paths that may be written, where it is not known what a program does with
// them.
func (t *Touched) MayWrite() (out []string) {
	for i := range t.maybes {
		if m := &t.maybes[i]; m.writes && !m.word && !m.folder {
			out = append(out, m.paths...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// perhaps returns the program or tool that may touch a path matching a glob for absolute paths; ""
// if there is none.
func (t *Touched) perhaps(what, pattern string) string {
	last := pattern[strings.LastIndexByte(pattern, '/')+1:]
	names := strings.Trim(last, "*?") != "" // the rule does not take any name
	fits := func(path string, folder bool) bool {
		path = filepath.ToSlash(path)
		return glob.Match(pattern, path) || folder && glob.Match(pattern, path+"/x")
	}
	for i := range t.maybes {
		m := &t.maybes[i]
		if what == "writes" && !m.writes || m.word && !names || !slices.ContainsFunc(m.paths,
			func(p string) bool { return fits(p, m.folder) }) {
			continue
		}
		verb := " may read "
		if what == "writes" {
			verb = " may write "
		}
		return m.by + verb + m.name
	}
	return ""
}
