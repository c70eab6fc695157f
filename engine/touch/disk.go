// This file looks at the file system for the analysis of a call.

package touch

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
)

// disk looks at the file system for a call, within its budget.
type disk struct {
	budget

	// caches while the call is analyzed
	links   realpath.Resolver
	folders map[string]string   // real path, by path
	names   map[string][]string // of the files in a folder

	mu    sync.Mutex
	lists map[string]listing // by folder
}

// listing is the files and folders below a folder.
type listing struct {
	files []string
	dirs  map[string]bool // which of files are folders
	links map[string]bool // which of files are links
	all   bool            // files is complete
}

// realFolder returns a folder with links followed. It caches the results: commands name many files
// of the same folder.
func (d *disk) realFolder(dir string) (string, bool) {
	if real, ok := d.folders[dir]; ok {
		return real, true
	}
	real, ok := d.links.Of(dir)
	if ok {
		if d.folders == nil {
			d.folders = map[string]string{}
		}
		d.folders[dir] = real
	}
	return real, ok
}

// resolvePath returns an absolute path with the links of its folder followed (lies), and its target
// (leads). After a link, ".." is resolved as the operating system does. ok is false if the system
// cannot resolve the path: then no file can be opened by that name.
func (d *disk) resolvePath(p string) (lies, leads string, ok bool) {
	for len(p) > 1 && strings.HasSuffix(p, separator) {
		p = p[:len(p)-1]
	}
	at := strings.LastIndex(p, separator)
	if base := p[at+1:]; at < 0 || base == ".." || base == "." || base == "" {
		leads, ok = d.links.Of(p)
		return leads, leads, ok
	}
	dir, ok := d.realFolder(p[:at+1])
	if !ok {
		return filepath.Clean(p), filepath.Clean(p), false
	}
	lies = filepath.Join(dir, p[at+1:])
	if !d.spend(1 + len(lies)/longName) {
		return lies, lies, false
	}
	if _, err := os.Readlink(lies); err != nil { // no link
		return lies, lies, true
	}
	leads, ok = d.links.Of(lies)
	return lies, leads, ok
}

// glob returns the files that match an absolute pattern with slashes, at most maxFound.
func (d *disk) glob(pattern string) (found []string, ok bool) {
	parts := strings.Split(pattern, "/")
	found = []string{parts[0] + "/"}
	fixed := true // found is one folder, which may not exist
	for _, part := range parts[1:] {
		var next []string
		wild := strings.ContainsAny(unescaped(part, "x"), "*?[")
		for _, dir := range found {
			if !wild {
				one := filepath.Join(dir, unescaped(part, "$1"))
				if fixed || d.spend(1) && realpath.Exists(one) {
					next = append(next, one)
				}
				continue
			}
			names, ok := d.namesIn(dir)
			if !ok || !d.spend(1+len(names)/matchesPerLook) {
				return nil, false
			}
			for _, name := range names {
				if fits, err := path.Match(part, name); err != nil {
					return nil, false
				} else if fits {
					next = append(next, filepath.Join(dir, name))
				}
			}
		}
		if found, fixed = next, fixed && !wild; len(found) > maxFound || d.exhausted() {
			return nil, false
		}
	}
	if fixed && !realpath.Exists(found[0]) {
		return nil, true
	}
	return found, true
}

// escape matches a character behind a backslash in a pattern.
var escape = lazyregexp.New(`\\(.)`)

// unescaped returns a part of a pattern with each escaped character replaced.
func unescaped(part, by string) string {
	if !strings.Contains(part, `\`) {
		return part
	}
	return escape().ReplaceAllString(part, by)
}

// linksIn returns where the links below a folder lead. all is false if there may be others.
func (d *disk) linksIn(dir string) (targets []string, all bool) {
	l := d.listFolder(dir)
	for _, p := range l.files {
		if !l.links[p] {
			continue
		}
		target, ok := d.links.Of(p)
		if !ok {
			return nil, false
		}
		targets = append(targets, target)
	}
	return targets, l.all
}

// namesIn returns the names of the files in a folder; none, if it is none. ok is false if there may
// be others.
func (d *disk) namesIn(dir string) (names []string, ok bool) {
	if names, ok := d.names[dir]; ok {
		return names, true
	}
	list, all, err := d.readDir(dir, maxLooks)
	if !all && err == nil {
		return nil, false
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	if d.names == nil {
		d.names = map[string][]string{}
	}
	slices.Sort(names)
	d.names[dir] = names
	return names, true
}

// listFolder returns the files below a folder, at most maxFound.
func (d *disk) listFolder(dir string) listing {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l, ok := d.lists[dir]; ok {
		return l
	}
	l := listing{all: true, dirs: map[string]bool{}, links: map[string]bool{}}
	info, err := os.Lstat(dir)
	isDir := err != nil || info.IsDir()
	l.files, l.dirs[dir] = []string{dir}, isDir
	folders := []string{dir}
	for ; isDir && len(folders) > 0 && l.all; folders = folders[1:] {
		list, all, err := d.readDir(folders[0], maxFound-len(l.files))
		l.all = l.all && (all || os.IsNotExist(err))
		for _, e := range list {
			p := filepath.Join(folders[0], e.Name())
			if l.files = append(l.files, p); e.IsDir() {
				l.dirs[p], folders = true, append(folders, p)
			} else if e.Type()&os.ModeSymlink != 0 {
				l.links[p] = true
			}
		}
	}
	slices.Sort(l.files)
	if d.lists == nil {
		d.lists = map[string]listing{}
	}
	d.lists[dir] = l
	return l
}

// ignoreFiles are the files in which rg looks for patterns of what to leave out, and, with !, of
// what not to.
var ignoreFiles = []string{".ignore", ".rgignore", ".gitignore", ".git/info/exclude"}

// unhidden reports whether an ignore file in a folder above a hidden file may name it with !.
func unhidden(file string) bool {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		for _, name := range ignoreFiles {
			text, err := regularfile.Read(filepath.Join(dir, filepath.FromSlash(name)))
			if err == nil && namedWithNot(string(text), filepath.Base(file)) {
				return true
			}
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// namedWithNot reports whether a line of an ignore file that begins with ! may match a base name.
func namedWithNot(text, base string) bool {
	for line := range strings.Lines(text) {
		if pattern, not := strings.CutPrefix(line, "!"); not {
			fits, err := path.Match(path.Base(strings.TrimRight(pattern, "/ \t\r\n")), base)
			if fits || err != nil {
				return true
			}
		}
	}
	return false
}
