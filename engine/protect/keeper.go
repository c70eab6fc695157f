// This file identifies the protected files: by place, and by file identity.

package protect

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/gitdir"
	"github.com/agentscripts/agent/engine/realpath"
)

// maxListed is how many files of a folder are identified individually, besides by their place.
const maxListed = 200

// thing is a protected file or folder.
type thing struct {
	path string      // with links followed
	info fs.FileInfo // nil: it does not exist
	why  string
}

// keeper holds the protected files.
type keeper struct {
	list       []thing
	repository []fs.FileInfo // files of the project's repository
	byGit      []thing       // those of them from which git runs programs
	project    string
	parents    map[string]string // why a folder is protected, by place; "" = it is not
	folders    map[string]string // where folders lie
}

// keeper examines the protected files.
func (p Places) keeper(project string, scripts []string) *keeper {
	k := &keeper{parents: map[string]string{}, folders: map[string]string{}}
	k.addPath(settings, p.Home)
	// they may have other names elsewhere
	for _, name := range []string{"config.toml", rules, "trust.json"} {
		k.addPath(settings, p.Home, name)
	}
	for _, path := range p.Own {
		k.addPath(settings, path)
	}
	k.addPath(script, p.Home, "scripts")
	k.addPath(script, p.Home, "extensions")
	for _, path := range append(append([]string{}, p.Scripts...), scripts...) {
		k.addPath(script, path)
	}
	if project != "" {
		k.project = real(project)
		k.addPath(script, project, ".agent", "scripts")
		k.addPath(script, project, ".agent", "extensions")
		if repo, ok := gitdir.At(k.project); ok {
			k.repository = slices.Concat(infos(repo.Dir), infos(repo.Common),
				infos(filepath.Join(repo.Common, "hooks")))
			k.addGit(repo, p.User)
		}
	}
	if p.User == "" {
		return k
	}
	for _, name := range startUpFiles {
		k.addPath(startUp, p.User, name)
	}
	k.addPath(keys, p.User, ".ssh")
	for _, info := range infos(filepath.Join(p.User, ".ssh")) {
		k.list = append(k.list,
			thing{filepath.Join(real(filepath.Join(p.User, ".ssh")), info.Name()), info, keys})
	}
	return k
}

// addGit adds the files from which git runs programs in a repository and in its submodules.
func (k *keeper) addGit(repo gitdir.Repository, home string) {
	for _, path := range repo.ExecutedPaths(home) {
		path = real(path)
		info, _ := os.Stat(path)
		k.byGit = append(k.byGit, thing{path, info, byGit})
		if info == nil || !info.IsDir() {
			continue
		}
		for _, one := range infos(path) {
			k.byGit = append(k.byGit, thing{filepath.Join(path, one.Name()), one, byGit})
		}
	}
}

// addPath adds a file or folder: its place, and the target if it is a link.
func (k *keeper) addPath(why string, elem ...string) {
	if elem[0] == "" {
		return
	}
	path := filepath.Join(elem...)
	dir := filepath.Dir(path)
	if _, ok := k.folders[dir]; !ok {
		k.folders[dir] = real(dir)
	}
	lies := filepath.Join(k.folders[dir], filepath.Base(path))
	leads := lies
	if _, err := os.Readlink(lies); err == nil {
		leads = real(lies)
		k.list = append(k.list, thing{lies, nil, why})
	}
	info, _ := os.Stat(leads)
	k.list = append(k.list, thing{leads, info, why})
}

// infos returns the files in a folder.
func infos(dir string) (out []fs.FileInfo) {
	list, _ := os.ReadDir(dir) // unlike os.Open, it does not wait if dir is a pipe
	for _, e := range list[:min(len(list), maxListed)] {
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if err == nil && info.Mode().IsRegular() {
			out = append(out, info)
		}
	}
	return out
}

// why returns why a path, with links followed, is protected; "" = it is not.
func (k *keeper) why(path string) string {
	info, _ := os.Stat(path)
	for _, one := range k.list {
		if path == one.path || info != nil && one.info != nil && os.SameFile(info, one.info) ||
			k.missing(path, one) {
			return one.why
		}
	}
	if why := k.inFolder(filepath.Dir(path)); why != "" {
		return why
	}
	if gitdir.Executes(path) || k.isExecutedByGit(path, info) {
		return byGit
	}
	return ""
}

// isExecutedByGit reports whether a path is that of a file from which git runs programs in the
// project's repository, or in a folder of them, or another name of such a file.
func (k *keeper) isExecutedByGit(path string, info fs.FileInfo) bool {
	return slices.ContainsFunc(k.byGit, func(one thing) bool {
		_, below := realpath.Below(one.path, path)
		return below || info != nil && one.info != nil && os.SameFile(info, one.info)
	})
}

// missing reports whether a path is that of a thing that does not exist, ignoring case if the
// system does.
func (k *keeper) missing(path string, one thing) bool {
	return one.info == nil && strings.EqualFold(filepath.Base(path), filepath.Base(one.path)) &&
		realpath.Same(filepath.Dir(path), filepath.Dir(one.path))
}

// inFolder returns why a folder, or one of its parents, is protected.
func (k *keeper) inFolder(dir string) string {
	if why, ok := k.parents[dir]; ok {
		return why
	}
	why := ""
	info, _ := os.Stat(dir)
	for _, one := range k.list {
		if dir == one.path || info != nil && one.info != nil && one.info.IsDir() &&
			os.SameFile(info, one.info) {
			why = one.why
			break
		}
	}
	if up := filepath.Dir(dir); why == "" && up != dir {
		why = k.inFolder(up)
	}
	k.parents[dir] = why
	return why
}

// isRepository reports whether a path is another name of a file of the project's .git.
func (k *keeper) isRepository(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	for _, one := range k.repository {
		if os.SameFile(info, one) {
			return true
		}
	}
	return false
}
