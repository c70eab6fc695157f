// This file follows paths: from the folder of the call, over links, to where they lie.

package touch

import (
	"os"
	"path/filepath"
	"strings"
)

// abs is a path from the root, as the call sees it, with .. in it as it is written.
func (t *Touched) abs(name string) string {
	if name == "~" || strings.HasPrefix(name, "~/") {
		name = t.home + name[1:]
	}
	if name = filepath.FromSlash(name); !filepath.IsAbs(name) {
		name = t.dir + string(filepath.Separator) + name
	}
	return name
}

// follow is a path without .. in it: behind a link that is the folder in which what it leads to lies.
func follow(p string) string {
	at := filepath.VolumeName(p) + string(filepath.Separator)
	for part := range strings.SplitSeq(p[len(filepath.VolumeName(p)):], string(filepath.Separator)) {
		if part == ".." {
			at = filepath.Dir(real(at))
		} else {
			at = filepath.Join(at, part)
		}
	}
	return at
}

func isDir(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}

// real is where a path leads: what is there of it is followed, the rest is as it is.
func real(p string) string {
	rest := ""
	for dir := p; ; dir = filepath.Dir(dir) {
		if found, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(found, rest)
		}
		if to, err := os.Readlink(dir); err == nil { // a link to what is not there yet
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(dir), to)
			}
			return filepath.Join(parent(to), rest)
		}
		if dir == filepath.Dir(dir) {
			return p
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// parent is p with links followed in its folder.
func parent(p string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(p))
	if err != nil {
		return p
	}
	return filepath.Join(dir, filepath.Base(p))
}
