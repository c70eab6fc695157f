// Package gitdir finds the folders of git repositories and reads their files, without running git.
//
//	repo, ok := gitdir.Find("/p/src")
//	// {Root: "/p", Dir: "/p/.git", Common: "/p/.git", Head: "ref: refs/heads/main"}
//
// Only regular files of limited size are read, and no read blocks. The file .git may come from a
// stranger and name any folder: code that grants rights must ask Repository.Linked or
// Repository.Submodule. Source of the
// formats: gitrepository-layout(5), git-worktree(1), git-pack-refs(1).
package gitdir

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
)

const (
	// maxFile is the largest file read here, in bytes; git reads a file .git up to the same size.
	maxFile = 1 << 20
	// maxPacked is the largest packed-refs read, in bytes: about 200,000 references.
	maxPacked = 16 << 20
)

// Executed are the files in git's folder from which git runs programs, and commondir, which names
// the folder that holds them.
var Executed = []string{"config", "config.worktree", "hooks", "info/attributes", "commondir"}

// Executes reports whether a path, with links followed, is in any folder named .git, or in a folder
// of git with another name, a file from which git runs programs, or in a folder of them, also those
// of submodules and work trees; or .git itself, which may be a file that names another folder.
func Executes(path string) bool {
	words := strings.Split(strings.ToLower(filepath.ToSlash(path)), "/")
	i := slices.Index(words, ".git")
	if i < 0 {
		return inBare(path)
	}
	inside := words[i+1:]
	if len(inside) == 0 {
		return true
	}
	rest := "/" + strings.Join(inside, "/") + "/"
	for _, name := range Executed {
		at := strings.Index(rest, "/"+name+"/")
		if at == 0 || at > 0 && (inside[0] == "modules" || inside[0] == "worktrees") {
			return true
		}
	}
	return false
}

// Repository is the repository of a work tree.
type Repository struct {
	Root   string // the folder of the work tree, which holds .git
	Dir    string // git's folder of the work tree, which holds HEAD
	Common string // git's folder of the repository, which holds config, hooks and refs
	Head   string // the content of HEAD without white space around it; "" = it cannot be read
}

// At returns the repository whose work tree is root. ok is false if root/.git is neither a folder
// nor a file that names a path.
func At(root string) (r Repository, ok bool) {
	r = Repository{Root: root, Dir: filepath.Join(root, ".git")}
	st, err := os.Stat(r.Dir)
	if err != nil {
		return Repository{}, false
	}
	if !st.IsDir() { // of a linked work tree or a submodule
		if r.Dir, ok = namedPath(r.Dir, "gitdir: "); !ok {
			return Repository{}, false
		}
	}
	if r.Common, ok = namedPath(filepath.Join(r.Dir, "commondir"), ""); !ok {
		r.Common = r.Dir
	}
	b, _ := readFile(r.headFile(), maxFile)
	r.Head = strings.TrimSpace(string(b))
	return r, true
}

// Find returns the repository of dir: of the nearest of dir and the folders above it that has a
// HEAD.
func Find(dir string) (r Repository, ok bool) {
	if dir == "" {
		return Repository{}, false
	}
	for {
		if r, ok := At(dir); ok && r.Head != "" {
			return r, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return Repository{}, false
		}
		dir = up
	}
}

// FindCertain is Find for those who must not take another repository than git does. certain is
// false if git may use another one: a folder on the way is that of a repository, or has a .git that
// Find passes over.
func FindCertain(dir string) (r Repository, ok, certain bool) {
	r, ok = Find(dir)
	for at := dir; at != ""; {
		if isFolder(at) {
			return r, ok, false
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil && (!ok || at != r.Root) {
			return r, ok, false
		}
		up := filepath.Dir(at)
		if ok && at == r.Root || up == at {
			break
		}
		at = up
	}
	return r, ok, true
}

// NamesTree reports whether the configuration may name another work tree than Root. It may if it
// cannot be read, or includes other files.
func (r *Repository) NamesTree() bool {
	for _, file := range []string{filepath.Join(r.Common, "config"),
		filepath.Join(r.Common, "config.worktree"), filepath.Join(r.Dir, "config.worktree")} {
		b, err := readFile(file, maxFile)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		text := strings.ToLower(string(b))
		if err != nil || strings.Contains(text, "[include") {
			return true
		}
		for line := range strings.Lines(text) {
			if strings.Contains(line, "worktree") && strings.Contains(line, "=") {
				return true
			}
		}
	}
	return false
}

// Branch returns the branch of the work tree, and the first 12 digits of the commit if HEAD is
// detached.
func (r Repository) Branch() string {
	if name, ok := strings.CutPrefix(r.Head, "ref: refs/heads/"); ok {
		return name
	}
	const digits = 12
	return plain.Head(r.Head, digits)
}

// Linked reports whether the work tree is a linked one that its repository lists: Dir is
// Common/worktrees/NAME, and the file gitdir in it names Root/.git.
func (r Repository) Linked() bool {
	list := filepath.Dir(r.Dir)
	if filepath.Base(list) != "worktrees" || !realpath.Same(filepath.Dir(list), r.Common) {
		return false
	}
	back, ok := namedPath(filepath.Join(r.Dir, "gitdir"), "")
	return ok && realpath.Same(back, filepath.Join(r.Root, ".git"))
}

// Worktrees returns the linked work trees of the repository whose folder is common. Root is "" if
// it is unknown. Head is not read.
func Worktrees(common string) (list []Repository) {
	entries, _ := os.ReadDir(filepath.Join(common, "worktrees"))
	for _, e := range entries {
		r := Repository{Dir: filepath.Join(common, "worktrees", e.Name()), Common: common}
		if file, ok := namedPath(filepath.Join(r.Dir, "gitdir"), ""); ok {
			r.Root = filepath.Dir(file)
		}
		list = append(list, r)
	}
	return list
}

// Submodule reports whether the work tree is that of a submodule which its repository knows: Dir
// lies in modules of another repository, and core.worktree of its config names Root.
func (r Repository) Submodule() bool {
	modules := string(filepath.Separator) + "modules" + string(filepath.Separator)
	if r.Dir != r.Common || !strings.Contains(r.Dir, modules) {
		return false
	}
	root := workTree(r.Dir)
	return root != "" && realpath.Same(root, r.Root)
}

// maxModules is how many folders Modules looks at.
const maxModules = 1000

// Modules returns the folders of the submodules of the repository whose folder is common, also of
// those in submodules: up to maxModules.
func Modules(common string) (dirs []string) {
	looked := 0
	var search func(dir string)
	search = func(dir string) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if looked++; !e.IsDir() || looked > maxModules {
				continue
			}
			sub := filepath.Join(dir, e.Name())
			if _, err := os.Lstat(filepath.Join(sub, "HEAD")); err == nil {
				dirs = append(dirs, sub)
				sub = filepath.Join(sub, "modules")
			}
			search(sub) // names of submodules may have slashes
		}
	}
	search(filepath.Join(common, "modules"))
	return dirs
}

func (r Repository) headFile() string { return filepath.Join(r.Dir, "HEAD") }

// namedPath returns the path that a file holds behind a prefix, with links followed. It may be
// relative to the folder of the file.
func namedPath(file, prefix string) (path string, ok bool) {
	b, err := readFile(file, maxFile)
	if err != nil {
		return "", false
	}
	path, ok = strings.CutPrefix(strings.TrimSpace(string(b)), prefix)
	if !ok || path == "" || len(path) > realpath.MaxBytes || strings.ContainsAny(path, "\x00\n") {
		return "", false
	}
	if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
		// not cleaned: x/.. is another folder if x is a link
		path = filepath.Dir(file) + string(filepath.Separator) + path
	}
	return realpath.Of(path)
}

// readFile reads a regular file of at most maxBytes.
func readFile(path string, maxBytes int64) ([]byte, error) {
	f, err := regularfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch info, err := f.Stat(); {
	case err != nil:
		return nil, err
	case info.Size() > maxBytes:
		return nil, errors.New("too large")
	}
	return io.ReadAll(io.LimitReader(f, maxBytes))
}
