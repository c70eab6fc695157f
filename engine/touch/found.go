// This file finds the files that a command line does not name one by one: those that match
// patterns, those below folders, and the results of copies.

package touch

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/shell"
)

// addMatches adds the files that match a pattern. It returns false if there may be others.
func (t *Touched) addMatches(p shell.Path) bool {
	found, ok := t.findPattern(p.Name)
	for _, one := range found {
		t.addPath(one, p.Writes)
		if p.Below {
			t.addFolder(one, p.Writes)
		}
	}
	return ok
}

// becomeOthers reports whether the names that match a pattern may be split into others where a
// program prints them, or it may print names of files in one of them.
func becomeOthers(t *Touched, pattern string) bool {
	found, ok := t.findPattern(pattern)
	return !ok || odd(strings.NewReplacer("*", "", "?", "", "[", "").Replace(pattern)) ||
		slices.ContainsFunc(found, func(one string) bool {
			return odd(filepath.Base(one)) || realpath.IsDir(one)
		})
}

// findPattern returns the files that a shell finds by a pattern. ok is false if there may be more.
func (t *Touched) findPattern(name string) (out []string, ok bool) {
	name, ok = shell.GoPattern(name)
	if !ok {
		return nil, false
	}
	if strings.Contains(name, "**") {
		return nil, false
	}
	patterns, ok := absPatterns(t, name)
	for _, pattern := range patterns {
		found, all := findBelow(t, pattern)
		out, ok = append(out, found...), ok && all
	}
	return out, ok
}

// absPatterns returns the absolute forms of a pattern: that without dots and, if .. may follow a
// link, that with the folder where it leads. ok is false if that is not known.
func absPatterns(t *Touched, name string) (out []string, ok bool) {
	// the names of its folders are no patterns
	in := &Touched{dir: glob.Escape(t.dir), home: glob.Escape(t.home)}
	raw := filepath.ToSlash(in.abs(name))
	out = []string{filepath.ToSlash(filepath.Clean(raw))}
	at := strings.LastIndex(raw+"/", "/../")
	if at < 0 {
		return out, true
	}
	folder, rest := raw[:at+len("/..")], raw[min(len(raw), at+len("/..")):]
	if strings.ContainsAny(unescaped(folder, "x"), "*?[") {
		return out, false
	}
	real, ok := t.disk.realFolder(filepath.FromSlash(unescaped(folder, "$1") + "/"))
	if !ok {
		return out, false
	}
	return append(out, glob.Escape(filepath.ToSlash(real))+rest), true
}

// findBelow is findPattern for an absolute pattern.
func findBelow(t *Touched, pattern string) (out []string, ok bool) {
	if len(pattern) > realpath.MaxBytes {
		return nil, false
	}
	if before, ok := t.found[pattern]; ok {
		return before, true
	}
	found, ok := t.disk.glob(pattern)
	if !ok {
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

// madeBy returns the paths that match a pattern and that the same command line writes before it, or
// that contain such paths.
func (t *Touched) madeBy(name string) (out []string) {
	pattern, ok := shell.GoPattern(name)
	if !ok || !t.disk.spend(len(t.writes)/matchesPerLook) {
		return nil
	}
	in := &Touched{dir: glob.Escape(t.dir), home: glob.Escape(t.home)}
	pattern = filepath.Clean(in.abs(pattern))
	for _, p := range t.writes[:min(len(t.writes), maxFound)] {
		for strings.Count(p, separator) > strings.Count(pattern, separator) {
			p = filepath.Dir(p)
		}
		if fits, _ := filepath.Match(pattern, p); fits && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// hidden reports whether a shell leaves out a file that matches a pattern, because one of its names
// begins with a dot and the pattern there does not.
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

// addCopies adds the files that a copy, move or link creates at a path, or in that folder.
func (t *Touched) addCopies(p shell.Path, shopt bool) {
	from, to := []string{t.abs(p.From)}, []string{t.abs(p.Name)}
	for _, side := range []struct {
		pattern bool
		name    string
		at      *[]string
	}{{p.FromPattern, p.From, &from}, {p.Pattern, p.Name, &to}} {
		if !side.pattern {
			continue
		}
		found, ok := t.findPattern(side.name)
		found = append(found, t.madeBy(side.name)...)
		if *side.at = append(*side.at, found...); shopt || !ok {
			t.why.markUnknown(t.why.now.doubt(shell.TooWide, true))
		}
	}
	for _, dst := range to {
		if t.disk.exhausted() {
			t.why.markUnknown(t.why.now.doubt(shell.TooMany, true))
			return
		}
		// d/.. is a folder also if the line makes d
		folder := t.disk.spend(1) && (realpath.IsDir(dst) || realpath.IsDir(filepath.Clean(dst))) ||
			strings.HasSuffix(dst, separator)
		for _, src := range from {
			if !t.disk.spend(1) {
				break
			}
			name := filepath.Base(src)
			if last := src[strings.LastIndexByte(src, filepath.Separator)+1:]; last == "." ||
				last == ".." || last == "" {
				t.addCopied(src, dst, p.Below) // the contents are copied, not the folder
			}
			if folder {
				in := dst + string(filepath.Separator) + name
				t.addPath(in, true)
				t.addCopied(src, in, p.Below)
			} else {
				t.addCopied(src, dst, p.Below)
			}
		}
	}
}

// addCopied adds the files below src as files below dst, including those that the same command line
// writes to src before. Without recursive it does nothing.
func (t *Touched) addCopied(src, dst string, recursive bool) {
	if !recursive {
		return
	}
	src, known := t.disk.links.Of(src)
	l := t.disk.listFolder(src)
	if !known || len(l.files) > maxCopied || !l.all {
		t.why.markUnknown(t.why.now.doubt(shell.TooMany, true))
		return
	}
	if !t.disk.spend(len(t.writes) + len(l.files)) {
		t.why.markUnknown(t.why.now.doubt(shell.TooMany, true))
		return
	}
	for _, f := range append(slices.Clone(t.writes), l.files...) {
		if rest, ok := strings.CutPrefix(f, src+string(filepath.Separator)); ok {
			t.addPath(dst+string(filepath.Separator)+rest, true)
		}
	}
}

// addOnly adds a folder, and the files below it whose names match. It returns false, and adds
// nothing, if there may be others.
func (t *Touched) addOnly(p shell.Path) bool {
	found, l, ok := fitting(t, p.Name, p.Only, p.Split)
	if !ok || len(found) > maxCopied {
		return false
	}
	for _, one := range append(found, p.Name) {
		if p.Files && l.dirs[one] {
			continue
		}
		if t.addPath(one, p.Writes); l.dirs[one] && one != l.files[0] { // a program may enter it
			t.addFolder(one, p.Writes)
		}
	}
	return true
}

// fitting returns the files below a folder whose names match. ok is false if there may be others,
// also because their names are split.
func fitting(t *Touched, folder, only string, split bool) (found []string, l listing, ok bool) {
	dir, ok := t.disk.links.Of(t.abs(folder))
	if !ok {
		return nil, l, false
	}
	l = t.disk.listFolder(dir)
	for _, one := range l.files {
		if fits, _ := path.Match(only, filepath.Base(one)); fits {
			if split && odd(one[len(dir):]) {
				return nil, l, false
			}
			found = append(found, one)
		}
	}
	return found, l, l.all
}
