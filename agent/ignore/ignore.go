// Package ignore knows which files a repository ignores: .gitignore at every level,
// .git/info/exclude, and the user's own list, with the meaning that git gives them.
//
//	rules := ignore.Above(dir, user)          // what holds in dir because of what stands above it
//	rules = rules.Enter(dir, names, user)     // and of what stands in it
//	rules.Ignored(path, isDir)
//
// Who walks a tree does not go into a directory that is ignored: as in git, nothing in it can be
// kept then. What is tracked all the same is ignored here; the index is not read. Source:
// gitignore(5).
package ignore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	file = ".gitignore"
	// fileBytes is how much of a file of rules is read: far more than anybody writes.
	fileBytes = 1 << 20
)

// Rules are those that hold in a directory, the nearest first. nil are none. They do not change.
type Rules struct {
	outer *Rules
	base  string // directory that the patterns are relative to, with a slash behind it
	list  []rule // in order: the last that fits decides
}

// Parse adds the lines of a file to what holds in its directory. dir is absolute.
func (r *Rules) Parse(dir string, text []byte) *Rules {
	list := parsePattern(string(text[:min(len(text), fileBytes)]))
	if len(list) == 0 {
		return r
	}
	return &Rules{outer: r, base: strings.TrimSuffix(filepath.ToSlash(dir), "/") + "/", list: list}
}

// Ignored reports whether the file or directory is ignored. path is absolute, and below the
// directory of the rules.
func (r *Rules) Ignored(path string, isDir bool) bool {
	path = filepath.ToSlash(path)
	base := path[strings.LastIndexByte(path, '/')+1:]
	for ; r != nil; r = r.outer {
		rel, below := strings.CutPrefix(path, r.base)
		if !below {
			continue
		}
		for i := len(r.list) - 1; i >= 0; i-- {
			if x := &r.list[i]; x.matches(rel, base, isDir) {
				return !x.keep
			}
		}
	}
	return false
}

// Above returns what holds in dir, an absolute directory, because of the directories above it in
// the same repository; user are the files of rules that hold in every one.
func Above(dir string, user []string) *Rules {
	var above []string // from dir's parent up to the repository's root
	for d := dir; ; {
		up := filepath.Dir(d)
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			break
		}
		if up == d {
			return nil // no repository
		}
		d = up
		above = append(above, d)
	}
	if len(above) == 0 {
		return nil // it is the root: see Enter
	}
	slices.Reverse(above)
	rules := repository(above[0], user)
	for _, d := range above {
		rules = rules.readRules(d, filepath.Join(d, file))
	}
	return rules
}

// Enter returns what holds in dir when r holds above it. has reports what dir contains, by name.
func (r *Rules) Enter(dir string, has func(name string) bool, user []string) *Rules {
	if has(".git") { // another repository: what stands above it does not hold
		r = repository(dir, user)
	}
	if has(file) {
		r = r.readRules(dir, filepath.Join(dir, file))
	}
	return r
}

// repository returns what holds in all of a repository.
func repository(root string, user []string) *Rules {
	var rules *Rules
	for _, name := range user {
		rules = rules.readRules(root, name)
	}
	return rules.readRules(root, filepath.Join(gitDir(root), "info", "exclude"))
}

// gitDir is the directory with the repository's data: .git, or where the file .git of a worktree or
// submodule leads.
func gitDir(root string) string {
	dir := filepath.Join(root, ".git")
	line, _ := firstLine(dir)
	link, ok := strings.CutPrefix(line, "gitdir: ")
	if !ok {
		return dir
	}
	dir = absolute(root, link)
	if common, ok := firstLine(filepath.Join(dir, "commondir")); ok {
		dir = absolute(dir, common)
	}
	return dir
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func firstLine(name string) (string, bool) {
	text, ok := readSmall(name)
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line), ok
}

// readSmall reads a regular file that is not too large; git does not follow links here either.
func readSmall(name string) ([]byte, bool) {
	st, err := os.Lstat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() > fileBytes {
		return nil, false
	}
	b, err := os.ReadFile(name)
	return b, err == nil
}

// readRules adds the rules of a file. One that is not there, or cannot be read, has none.
func (r *Rules) readRules(dir, name string) *Rules {
	text, _ := readSmall(name)
	return r.Parse(dir, text)
}

// UserFiles are the files of rules that a user has for every repository. config is the user's
// directory of configuration, home the home directory; either may be "".
func UserFiles(home, config string) []string {
	if config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	if config == "" {
		return nil
	}
	return []string{filepath.Join(config, "git", "ignore")}
}
