// This file lists the files from which git runs programs.

package gitdir

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine/realpath"
)

// maxIncludes is how many files of settings are read for one repository: they may include others.
const maxIncludes = 20

// ExecutedPaths returns the files and folders from which git runs programs in a repository and in
// its submodules, whether they exist or not: those named in Executed, the files .git of submodules,
// and what core.hooksPath and include.path of the settings name. home is the user's home; "" =
// none.
func (r Repository) ExecutedPaths(home string) (paths []string) {
	add := func(dir, root string) {
		for _, name := range Executed {
			paths = append(paths, filepath.Join(dir, name))
		}
		for _, name := range []string{"config", "config.worktree"} {
			paths = append(paths, namedBySettings(filepath.Join(dir, name), root, home)...)
		}
	}
	for _, dir := range Modules(r.Common) {
		root := workTree(dir)
		add(dir, root)
		if root != "" {
			paths = append(paths, filepath.Join(root, ".git"))
		}
	}
	if r.Dir != r.Common {
		add(r.Dir, r.Root)
	}
	add(r.Common, r.Root)
	if home != "" { // a relative path in them is in each repository
		for _, name := range []string{".gitconfig", ".config/git/config"} {
			paths = append(paths, namedBySettings(filepath.Join(home, name), r.Root, home)...)
		}
	}
	return paths
}

// workTree returns the work tree that the settings of a submodule name; "" = they name none.
func workTree(dir string) string {
	for _, s := range readSettings(filepath.Join(dir, "config")) {
		if s.key == "core.worktree" && s.value != "" {
			to, _ := realpath.Of(inFolder(dir, s.value, ""))
			return to
		}
	}
	return ""
}

// inFolder returns a path that is relative to dir, or to the user's home if it begins with ~. It is
// not cleaned: x/.. is another folder if x is a link.
func inFolder(dir, path, home string) string {
	if rest, ok := realpath.CutHome(path); ok && home != "" {
		return home + string(filepath.Separator) + filepath.FromSlash(rest)
	}
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return dir + string(filepath.Separator) + path
}

// namedBySettings returns the folders of hooks and the files of further settings that a file of
// settings names, and those that they name. root is the work tree; "" = there is none.
func namedBySettings(file, root, home string) (paths []string) {
	paths = included(file, home)
	for _, file := range append([]string{file}, paths[:min(len(paths), maxIncludes)]...) {
		for _, s := range readSettings(file) {
			if s.key == "core.hookspath" && s.value != "" && (root != "" ||
				filepath.IsAbs(s.value)) {
				hooks := filepath.Clean(inFolder(root, s.value, home))
				// those of husky run what is in the folder above
				if up := filepath.Dir(hooks); filepath.Base(hooks) == "_" && !holds(up, root) {
					hooks = up
				}
				if !holds(hooks, root) {
					paths = append(paths, hooks)
				}
			}
		}
	}
	return paths
}

// included returns the files that a file of settings includes, and those that they include. Of
// more than maxIncludes not all are returned.
func included(file, home string) (paths []string) {
	files := []string{file}
	for i := 0; i < len(files) && i < maxIncludes; i++ {
		for _, s := range readSettings(files[i]) {
			if s.value != "" && (s.key == "include.path" || s.key == "includeif.path") {
				files = append(files, filepath.Clean(inFolder(filepath.Dir(files[i]), s.value,
					home)))
			}
		}
	}
	return files[1:]
}

// holds reports whether a work tree is dir or below it: then all of it would count as hooks.
func holds(dir, root string) bool {
	_, ok := realpath.Below(dir, filepath.Clean(root))
	return ok && root != ""
}

// isFolder reports whether dir is git's folder of a repository, whatever its name.
func isFolder(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// Bare returns the repository whose folder is dir. It has no work tree.
func Bare(dir string) (r Repository, ok bool) {
	return Repository{Dir: dir, Common: dir}, isFolder(dir)
}

// inBare reports whether a path is that of a file from which git runs programs, or in a folder of
// them, in git's folder of any name.
func inBare(path string) bool {
	for _, name := range Executed {
		inside := string(filepath.Separator) + filepath.FromSlash(name) + string(filepath.Separator)
		whole := path + string(filepath.Separator)
		for from := 0; ; {
			at := strings.Index(whole[from:], inside)
			if at < 0 {
				break
			}
			if isFolder(whole[:from+at]) {
				return true
			}
			from += at + 1
		}
	}
	return false
}
