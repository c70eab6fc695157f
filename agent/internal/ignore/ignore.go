// Package ignore decides which files a repository ignores: .gitignore at every level,
// .git/info/exclude, and the user's own list, with the meaning that git gives them.
//
//	rules := ignore.Above(dir, user)          // what holds in dir because of what stands above it
//	rules = rules.Enter(dir, names, user)     // and of what stands in it
//	rules.Ignored(path, isDir)
//
// A walk must not enter an ignored directory: as in git, its files cannot be included again. A
// tracked file that matches is ignored here, because the index is not read. Source: gitignore(5).
package ignore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/gitdir"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/regularfile"
)

const (
	file = ".gitignore"
	// fileBytes is how much of a rules file is read: far more than such files contain.
	fileBytes = 1 << 20
)

// Rules are the rules of a directory, the nearest first; nil means none. They are immutable.
type Rules struct {
	outer *Rules
	base  string // base directory of the patterns, with a trailing slash
	list  []rule // in order: the last match decides
}

// Parse adds the lines of a file to the rules of its directory. dir is absolute.
func (r *Rules) Parse(dir string, text []byte) *Rules {
	list := parsePattern(string(plain.Head(text, fileBytes)))
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

// Above returns the rules for dir, an absolute directory, from the directories above it in the same
// repository; user are the rules files for every repository.
func Above(dir string, user []string) *Rules {
	var above []string // from dir's parent up to the repository's root
	for d := dir; ; {
		up := filepath.Dir(d)
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			break
		}
		if up == d {
			return nil // not in a repository
		}
		d = up
		above = append(above, d)
	}
	if len(above) == 0 {
		return nil // dir is the root: see Enter
	}
	slices.Reverse(above)
	rules := repository(above[0], user)
	for _, d := range above {
		rules = rules.readRules(d, filepath.Join(d, file))
	}
	return rules
}

// Enter returns the rules for dir, where r are those above it. has reports what dir contains, by
// name.
func (r *Rules) Enter(dir string, has func(name string) bool, user []string) *Rules {
	if has(".git") { // another repository: the rules above it do not apply
		r = repository(dir, user)
	}
	if has(file) {
		r = r.readRules(dir, filepath.Join(dir, file))
	}
	return r
}

// repository returns the rules for all of a repository.
func repository(root string, user []string) *Rules {
	var rules *Rules
	for _, name := range user {
		rules = rules.readRules(root, name)
	}
	if repo, ok := gitdir.At(root); ok {
		rules = rules.readRules(root, filepath.Join(repo.Common, "info", "exclude"))
	}
	return rules
}

// readSmall reads a regular file of limited size; git does not follow links here either.
func readSmall(name string) ([]byte, bool) {
	st, err := os.Lstat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() > fileBytes {
		return nil, false
	}
	b, err := regularfile.Read(name)
	return b, err == nil
}

// readRules adds the rules of a file. A missing or unreadable file has none.
func (r *Rules) readRules(dir, name string) *Rules {
	text, _ := readSmall(name)
	return r.Parse(dir, text)
}

// UserFiles returns the paths of a user's rules files for every repository. config is the user's
// configuration directory, home the home directory; either may be "".
func UserFiles(home, config string) []string {
	if config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	if config == "" {
		return nil
	}
	return []string{filepath.Join(config, "git", "ignore")}
}
