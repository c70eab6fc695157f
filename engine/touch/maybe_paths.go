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
	made   bool // parts of the paths are glob.Unknown
	near   bool // with made: the names of their folders are known
	inside bool // with tree: links in the folder are followed
	below  bool // files below it are meant, too
	only   string
	other  bool // a folder outside of the project: a program may write what lies directly in it
	tool   bool // it is an argument of a tool, not a word of a command line

	// the files in a list that git has recorded are meant, too; nil = it is no such list
	recorded func() (files []string, ok bool)
}

// addMaybe adds a path or pattern that a program gets.
func (t *Touched) addMaybe(m shell.Maybe, shopt bool) {
	switch {
	case len(t.maybes) >= maxPaths:
		t.why.markUnknown(shell.Doubt{Cause: shell.TooMany, By: m.By, Reads: true,
			Writes: m.Writes})
		return
	case m.Tracked || m.FromRoot:
		files, odd, ok := tracked(t, m.Name, m.FromRoot)
		if !m.Tracked { // those of another commit
			one := m
			one.FromRoot, one.Below, one.Only = false, true, ""
			t.addMaybePath(one)
		}
		if !ok {
			t.why.markUnknown(shell.Doubt{Cause: shell.TooMany, By: m.By, Reads: true,
				Writes: m.Writes || odd})
		}
		m.Tracked, m.FromRoot, m.Only = false, false, ""
		for _, file := range files {
			m.Name, m.Below = file, realpath.IsDir(file)
			t.addMaybePath(m)
		}
		return
	case m.Split:
		_, _, known := fitting(t, m.Name, m.Only, true)
		if m.Pattern && becomeOthers(t, m.Name) || !m.Pattern && (!known || odd(m.Name)) {
			t.why.markUnknown(shell.Doubt{Cause: shell.TooMany, Word: m.Name, By: m.By,
				Reads: true, Writes: m.Writes})
		}
	}
	if !m.Pattern {
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
	switch {
	case m.Recorded != "":
		addRecorded(t, one, p, m)
		return
	case m.Tree:
		p, one.tree = workTree(p), true
	case m.Made:
		one.near = m.Near
		addMade(t, one, p)
		return
	case m.Inside:
		one.tree, one.inside, one.name = true, true, path.Clean(m.Name)
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
	if m.Writes && !one.tool && !m.Word && t.disk.spend(1) {
		top := one.paths[len(one.paths)-1]
		one.other = !within(filepath.ToSlash(t.project), filepath.ToSlash(top)) &&
			realpath.IsDir(p)
	}
	t.maybes = append(t.maybes, one)
}

// addMade adds a path of which parts are unknown.
func addMade(t *Touched, one maybe, p string) {
	one.made, one.folder = true, false
	one.paths = []string{filepath.Clean(p)}
	known := p[:strings.Index(p, glob.Unknown)]
	at := strings.LastIndex(known, separator)
	if dir, ok := t.disk.realFolder(p[:at+1]); ok && t.disk.spend(1) {
		one.paths = append(one.paths, filepath.Join(dir, p[at+1:]))
	}
	addExisting(t, &one, p)
	if !one.near {
		addDeeper(t, &one, p)
	}
	t.maybes = append(t.maybes, one)
}

// addExisting adds where links lead whose names may be p, of which parts are unknown.
func addExisting(t *Touched, one *maybe, p string) {
	pattern := globSigns.Replace(filepath.ToSlash(p))
	found, ok := t.disk.glob(strings.ReplaceAll(pattern, glob.Unknown, "*"))
	for _, name := range found {
		_, leads, resolved := t.disk.resolvePath(filepath.FromSlash(name))
		one.paths = append(one.paths, leads)
		info, err := os.Stat(leads)
		ok = ok && resolved && (err != nil || info.IsDir() || links(info) < 2)
	}
	for at := strings.Index(p, glob.Unknown); ; { // new files behind links to folders
		next := strings.IndexByte(p[at:], filepath.Separator)
		if at += next; next < 0 {
			break
		}
		pattern := globSigns.Replace(filepath.ToSlash(p[:at]))
		folders, all := t.disk.glob(strings.ReplaceAll(pattern, glob.Unknown, "*"))
		for _, name := range folders {
			dir, resolved := t.disk.links.Of(filepath.FromSlash(name))
			one.paths = append(one.paths, filepath.Join(dir, p[at:]))
			ok = ok && resolved
		}
		ok = ok && all && len(folders) <= maxFound
		at++
	}
	if !ok || len(found) > maxFound {
		t.why.markUnknown(shell.Doubt{Cause: shell.TooMany, Word: one.name, By: one.by, Reads: true,
			Writes: one.writes})
	}
}

// addDeeper adds where links below folders lead whose names may begin p: its unknown parts may have
// slashes.
func addDeeper(t *Touched, one *maybe, p string) {
	at := strings.Index(p, glob.Unknown)
	dir := p[:strings.LastIndex(p[:at], separator)+1]
	folders, ok := []string{filepath.Clean(dir)}, true
	if begins := p[len(dir):at]; begins != "" {
		folders, ok = t.disk.glob(globSigns.Replace(filepath.ToSlash(p[:at])) + "*")
		folders = slices.DeleteFunc(folders, func(f string) bool { return !realpath.IsDir(f) })
	}
	for _, folder := range folders {
		l := t.disk.listFolder(folder)
		ok = ok && l.all && t.disk.spend(len(l.links))
		for link := range l.links {
			for end := at; end <= len(p) && ok; end++ {
				if (end == len(p) || p[end:end+1] == separator) &&
					glob.Meets(filepath.ToSlash(link), filepath.ToSlash(p[:end])) {
					leads, resolved := t.disk.links.Of(link)
					one.paths, ok = append(one.paths, filepath.Join(leads, p[end:])), resolved
				}
			}
		}
	}
	if !ok {
		t.why.markUnknown(shell.Doubt{Cause: shell.TooMany, Word: one.name, By: one.by, Reads: true,
			Writes: one.writes})
	}
}

// globSigns makes the signs of patterns in a path plain letters.
var globSigns = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// MayWrite returns the paths that a program gets and may write.
func (t *Touched) MayWrite() (out []string) {
	for i := range t.maybes {
		if m := &t.maybes[i]; m.writes && !m.word && !m.folder && !m.made {
			out = append(out, m.paths...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// findBelow reports whether a file below m, if all are meant, may match a glob.
func (m *maybe) findBelow(d *disk, pattern string) bool {
	if !m.below {
		return false
	}
	top := m.paths[len(m.paths)-1]
	l := d.listFolder(top)
	return !l.all || slices.ContainsFunc(l.files, func(p string) bool {
		return glob.Match(pattern, filepath.ToSlash(p)) && m.selects(top, p)
	})
}

// selects reports whether m means a file below top: its name fits, or that of a folder above it.
func (m *maybe) selects(top, file string) bool {
	for ; m.only != "" && len(file) > len(top); file = filepath.Dir(file) {
		if fits, _ := path.Match(m.only, filepath.Base(file)); fits {
			return true
		}
	}
	return m.only == ""
}

// perhaps returns the word or argument by which a path that matches a glob for absolute paths may
// be touched, and the path; nil = there is none.
func (t *Touched) perhaps(what, pattern string) (*maybe, string) {
	last := pattern[strings.LastIndexByte(pattern, '/')+1:]
	names := strings.Trim(last, "*?") != "" // the pattern does not match every name
	fits := func(p string, folder, near bool) bool {
		if p = filepath.ToSlash(p); strings.Contains(p, glob.Unknown) {
			return glob.Meets(pattern, p) && (!near || matchesIn(pattern, path.Dir(p)))
		}
		return glob.Match(pattern, p) || folder && glob.Match(pattern, p+"/x")
	}
	for i := range t.maybes {
		m := &t.maybes[i]
		if what == "writes" && !m.writes || m.tree && !m.inside || m.word && !names {
			continue
		}
		for _, p := range m.paths {
			if fits(p, m.folder && (!m.inside || what == "writes"), m.near) || m.other &&
				what == "writes" && path.Dir(pattern) == filepath.ToSlash(p) {
				return m, p
			}
		}
		if m.findBelow(&t.disk, pattern) {
			return m, m.paths[len(m.paths)-1]
		}
		if p, ok := m.findRecorded(&t.disk, pattern); ok {
			return m, p
		}
	}
	return nil, ""
}

// matchesIn reports whether a glob may match a file that lies directly in a folder.
func matchesIn(pattern, dir string) bool {
	at := strings.LastIndexByte(pattern, '/')
	switch last := pattern[at+1:]; {
	case strings.Contains(pattern, "{"), last != "**" && strings.Contains(last, "**"):
		return true
	case last == "**":
		return glob.Match(pattern, strings.TrimSuffix(dir, "/")+"/x")
	}
	return at == 0 && dir == "/" || at > 0 && glob.Match(pattern[:at], dir)
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

// inTree reports whether git, or a program that unpacks, may write a file that matches a glob for
// absolute paths.
func (t *Touched) inTree(pattern string) bool {
	parts := strings.Split(pattern, "/")
	return slices.ContainsFunc(t.maybes, func(m maybe) bool {
		return m.tree && m.mayHold(&t.disk, parts, pattern)
	})
}

// mayHold reports whether a file that m may write, any of a folder, may match a glob; parts are the
// parts of that.
func (m *maybe) mayHold(d *disk, parts []string, pattern string) bool {
	below := func(dir string) bool { return matchesBelow(parts, dir) }
	if slices.ContainsFunc(m.paths, below) {
		return true
	}
	return m.inside && slices.ContainsFunc(m.paths, func(dir string) bool {
		targets, all := d.linksIn(dir)
		return !all || slices.ContainsFunc(targets, func(target string) bool {
			return below(target) || glob.Match(pattern, filepath.ToSlash(target))
		})
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
