// This file finds the files that a command line means without naming each: by patterns, below
// folders, where copies come to lie.

package touch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/shell"
)

// expand adds what a pattern finds; false: that is not known.
func (t *Touched) expand(p shell.Path) bool {
	found, ok := t.glob(t.abs(p.Name))
	for _, one := range found {
		t.addPath(one, p.Writes)
		if p.Below {
			t.deep(one, p.Writes)
		}
	}
	return ok
}

// glob is what a shell finds by a pattern; false: there may be more.
func (t *Touched) glob(pattern string) (out []string, ok bool) {
	pattern = filepath.ToSlash(filepath.Clean(pattern))
	meta := 0
	for part := range strings.SplitSeq(pattern, "/") {
		if strings.ContainsAny(part, "*?[") {
			meta++
		}
	}
	if meta > maxMeta || strings.Contains(pattern, "**") || len(pattern) > realpath.MaxBytes {
		return nil, false
	}
	if before, ok := t.found[pattern]; ok {
		return before, true
	}
	cost := 1
	if meta == maxMeta {
		cost = deepGlob
	}
	if t.globs+cost > maxGlobs {
		return nil, false
	}
	t.globs += cost
	found, err := filepath.Glob(filepath.FromSlash(pattern))
	if err != nil || len(found) > maxFound {
		return nil, false
	}
	for _, one := range found {
		if !hidden(pattern, one) {
			out = append(out, one)
		}
	}
	if t.found == nil {
		t.found = map[string][]string{}
	}
	t.found[pattern] = out
	return out, true
}

// hidden reports whether a shell would not find a file by a pattern: its name begins with a dot
// that the pattern does not have.
func hidden(pattern, found string) bool {
	p, f := strings.Split(pattern, "/"), strings.Split(filepath.ToSlash(found), "/")
	for i := range min(len(p), len(f)) {
		if strings.HasPrefix(f[i], ".") && !strings.HasPrefix(p[i], ".") &&
			strings.ContainsAny(p[i], "*?[") {
			return true
		}
	}
	return false
}

// copies adds the files that come to lie at a path, or in that folder.
func (t *Touched) copies(p shell.Path, shopt bool) {
	from, to := []string{t.abs(p.From)}, []string{t.abs(p.Name)}
	for _, side := range []struct {
		pattern bool
		at      *[]string
	}{{p.FromPattern, &from}, {p.Pattern, &to}} {
		if !side.pattern {
			continue
		}
		found, ok := t.glob((*side.at)[0])
		if *side.at = append(*side.at, found...); shopt || !ok {
			t.doubt(true)
		}
	}
	for _, dst := range to {
		folder := isDir(dst) || strings.HasSuffix(dst, string(filepath.Separator))
		for _, src := range from {
			name := filepath.Base(src)
			if last := src[strings.LastIndexByte(src, filepath.Separator)+1:]; last == "." ||
				last == ".." || last == "" {
				t.below(src, dst, p.Below) // what is in it goes there itself
			}
			if folder {
				in := dst + string(filepath.Separator) + name
				t.addPath(in, true)
				t.below(src, in, p.Below)
			} else {
				t.below(src, dst, p.Below)
			}
		}
	}
}

// below adds the files below src as files below dst, including those that the same command line
// writes to src before.
func (t *Touched) below(src, dst string, is bool) {
	if !is {
		return
	}
	src, known := realpath.Of(src)
	l := t.list(src)
	if !known || len(l.files) > maxCopied || !l.all {
		t.doubt(true)
		return
	}
	for _, f := range append(slices.Clone(t.writes), l.files...) {
		if rest, ok := strings.CutPrefix(f, src+string(filepath.Separator)); ok {
			t.addPath(dst+string(filepath.Separator)+rest, true)
		}
	}
}

// list is what lies below a folder, as far as that is not too much.
func (t *Touched) list(dir string) listing {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.lists[dir]; ok {
		return l
	}
	l := listing{all: true, dirs: map[string]bool{}}
	_ = filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if len(l.files) == maxFound {
			l.all = false
			return filepath.SkipAll
		}
		if err != nil && !os.IsNotExist(err) {
			l.all = false
		}
		l.files = append(l.files, p)
		if e == nil || e.IsDir() {
			l.dirs[p] = true
		}
		return nil
	})
	if t.lists == nil {
		t.lists = map[string]listing{}
	}
	t.lists[dir] = l
	return l
}
