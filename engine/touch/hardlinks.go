// This file finds guarded files under their other names: hard links.

package touch

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/glob"
)

// linked caches which of the files that a call touches have several names. Its methods are safe for
// concurrent use.
type linked struct {
	mu    sync.Mutex
	named map[string]sameFiles // those that the call names, by kind of access
	below map[string]sameFiles // those below a folder
}

// sameFiles are files with several names; partly means that there may be others.
type sameFiles struct {
	list   []fs.FileInfo
	partly bool
}

// of returns the files with several names among paths. It looks at them once for each key.
func (l *linked) of(d *disk, cache *map[string]sameFiles, key string,
	paths func() []string) (found sameFiles) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := (*cache)[key]; ok {
		return known
	}
	for _, p := range paths() {
		if found.partly = !d.spend(1); found.partly {
			break
		}
		if info, err := os.Lstat(p); err == nil && info.Mode().IsRegular() && links(info) > 1 {
			found.list = append(found.list, info)
		}
	}
	if *cache == nil {
		*cache = map[string]sameFiles{}
	}
	(*cache)[key] = found
	return found
}

// has reports whether a file with several names was there when the call was decided about, or no
// guard is about files.
func (l *linked) has(info fs.FileInfo) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, found := range l.named {
		if found.partly || isAmong(info, found.list) {
			return true
		}
	}
	return len(l.named) == 0
}

// isAmong reports whether a file is one of a list.
func isAmong(info fs.FileInfo, list []fs.FileInfo) bool {
	return slices.ContainsFunc(list, func(one fs.FileInfo) bool { return os.SameFile(one, info) })
}

// Seen reports whether a file that is opened now, by a path that the call names, was compared with
// the files of guards under all its names, or need not be: it has one name only, or no guard is
// about files.
func (t *Touched) Seen(info fs.FileInfo) bool { return links(info) < 2 || t.linked.has(info) }

// otherNames reports whether a call touches a file that has another name which matches a pattern
// for absolute paths: one that it names, or one below its folders. folder is the part of the
// pattern without wildcards.
func (t *Touched) otherNames(what, folder, pattern string) (named, below, sure bool) {
	paths, deep, _ := t.touched(what)
	matching := sync.OnceValues(func() ([]fs.FileInfo, bool) {
		return t.disk.matching(folder, pattern, filepath.ToSlash(t.project))
	})
	any := func(list []fs.FileInfo) bool {
		guarded, _ := matching()
		return slices.ContainsFunc(guarded,
			func(info fs.FileInfo) bool { return isAmong(info, list) })
	}
	mine := t.linked.of(&t.disk, &t.linked.named, what, func() []string { return paths })
	if sure = !mine.partly; len(mine.list) > 0 {
		_, all := matching()
		named, sure = any(mine.list), sure && all
	}
	// to look for the files of the pattern costs less than to look at all below the folders, unless
	// they may be anywhere in the project
	wide := within(folder, filepath.ToSlash(t.project))
	for i := 0; i < len(deep) && !named && !below; i++ {
		if !wide {
			if guarded, _ := matching(); len(guarded) == 0 {
				break
			}
		}
		dir := &deep[i]
		found := t.linked.of(&t.disk, &t.linked.below, dir.dir+"\x00"+dir.key, func() []string {
			l := t.disk.listFolder(dir.dir)
			return slices.DeleteFunc(slices.Clone(l.files),
				func(p string) bool { return l.dirs[p] || !dir.touches(p) })
		})
		below = len(found.list) > 0 && any(found.list)
	}
	return named, below, named || below || sure
}

// matching returns the files with several names that match a pattern for absolute paths. One that
// begins with ** is looked for in the project, but not in folders of packages.
func (d *disk) matching(folder, pattern, project string) (list []fs.FileInfo, all bool) {
	if within(folder, project) {
		folder = project
	}
	all = true
	for folders := []string{filepath.FromSlash(folder)}; len(folders) > 0; folders = folders[1:] {
		entries, whole, err := d.readDir(folders[0], maxLooks)
		if err == nil && !whole {
			return list, false
		}
		for _, e := range entries {
			p := filepath.Join(folders[0], e.Name())
			switch {
			case e.IsDir() && e.Name() != "node_modules" &&
				!strings.HasSuffix(p, filepath.FromSlash(".git/objects")):
				folders = append(folders, p)
			case !e.Type().IsRegular() || !glob.Match(pattern, filepath.ToSlash(p)):
			default:
				if all = d.spend(1); !all {
					return list, false
				}
				if info, err := os.Lstat(p); err == nil && links(info) > 1 {
					list = append(list, info)
				}
			}
		}
	}
	if info, err := os.Lstat(filepath.FromSlash(folder)); err == nil && info.Mode().IsRegular() &&
		glob.Match(pattern, folder) && links(info) > 1 {
		list = append(list, info)
	}
	return list, all
}
