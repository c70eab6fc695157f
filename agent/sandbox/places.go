// This file lists paths: caches that tools write, secrets, and files from which programs run code.

package sandbox

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/agentscripts/agent/engine/gitdir"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/realpath"
)

// caches are paths in the user's home that common tools write: downloads and results of compilers.
var caches = []string{".cache", "Library/Caches", ".npm", ".yarn/berry", ".yarn/cache",
	".bun/install/cache", ".local/share/pnpm/store", ".pnpm-store", ".cargo/registry", ".cargo/git",
	".cargo/.package-cache", ".cargo/.package-cache-mutate", ".cargo/.global-cache", ".rustup/tmp",
	".gradle/caches", ".gradle/daemon", ".gradle/native", ".gradle/wrapper", ".m2/repository",
	".ivy2", ".nuget/packages", ".local/share/NuGet", ".bundle/cache", ".composer/cache", ".ccache",
	".terraform.d/plugin-cache", "go/pkg"}

// executedCaches are patterns of paths in caches from which shells and editors run code at each
// start.
var executedCaches = []string{".cache/p10k-*", ".cache/gitstatus", ".cache/zsh*",
	".cache/oh-my-zsh", ".cache/antidote", ".cache/antibody", ".cache/sheldon", ".cache/starship",
	".cache/fish", ".cache/nvim", ".cache/vim", ".cache/emacs"}

// cacheVariables are environment variables that name such folders.
var cacheVariables = []string{"XDG_CACHE_HOME", "GOCACHE", "GOMODCACHE", "GOTMPDIR",
	"npm_config_cache", "PIP_CACHE_DIR", "YARN_CACHE_FOLDER", "CCACHE_DIR", "UV_CACHE_DIR"}

// secrets are files and folders in the user's home that hold keys or other private data.
var secrets = []string{".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud", ".kube",
	".docker/config.json", ".netrc", "_netrc", ".git-credentials", ".config/git/credentials",
	".config/gh/hosts.yml", ".config/hub", ".pypirc", ".cargo/credentials",
	".cargo/credentials.toml",
	".password-store", ".local/share/keyrings", ".config/op", ".vault-token", ".pgpass", ".my.cnf",
	".claude/.credentials.json", ".codex/auth.json", ".config/github-copilot",
	".terraform.d/credentials.tfrc.json", ".gem/credentials", ".config/rclone/rclone.conf",
	".config/sops/age/keys.txt", ".oci", ".s3cfg", ".databrickscfg", ".Xauthority", ".viminfo",
	".sqlite_history",
	".mozilla", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware",
	".thunderbird",
	"Library/Keychains", "Library/Cookies", "Library/Application Support/Google/Chrome",
	"Library/Application Support/Firefox",
	".bash_history", ".zsh_history", ".python_history", ".psql_history", ".mysql_history",
	".node_repl_history", ".local/share/fish/fish_history"}

// executedFiles are files of a project from which programs outside of the sandbox run code. For
// .git, see gitFile and gitdir.Executed.
var executedFiles = []string{".agent", ".claude", ".envrc", ".mcp.json"}

// cacheOwners are the caches that programs create at their first use. A confined program cannot
// create a folder in the home directory, so makeCaches does it if the program is installed.
var cacheOwners = []struct{ program, path string }{{"go", "go/pkg"}, {"npm", ".npm"},
	{"cargo", ".cargo/registry"}, {"cargo", ".cargo/git"}, {"yarn", ".yarn/berry"},
	{"mvn", ".m2/repository"}, {"gradle", ".gradle/caches"}, {"pnpm", ".local/share/pnpm/store"},
	{"dotnet", ".nuget/packages"},
	{"composer", ".composer/cache"}}

// makeCaches creates the folders of caches that are missing.
func (s *Sandbox) makeCaches() {
	if s.o.User == "" {
		return
	}
	const private = 0o700
	_ = os.Mkdir(filepath.Join(s.o.User, ".cache"), private) // the program reports a failure
	for _, m := range cacheOwners {
		path := filepath.Join(s.o.User, m.path)
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		if _, err := exec.LookPath(m.program); err == nil {
			_ = os.MkdirAll(path, 0o755)
		}
	}
}

// caches returns the paths of caches.
func (s *Sandbox) caches(now *realpath.Resolver) (list []string) {
	if s.o.User != "" {
		for _, name := range caches {
			list = append(list, filepath.Join(s.o.User, name))
		}
	}
	for _, name := range cacheVariables {
		if path := s.o.Env(name); filepath.IsAbs(path) {
			list = append(list, path)
		}
	}
	for _, dir := range filepath.SplitList(s.o.Env("GOPATH")) {
		if filepath.IsAbs(dir) {
			list = append(list, filepath.Join(dir, "pkg"))
		}
	}
	return slices.DeleteFunc(list, func(path string) bool { return s.neverWritable(now, path) })
}

// ofCaches returns the paths in caches from which programs outside of the sandbox run code: those
// of executedCaches, and folders in PATH.
func (s *Sandbox) ofCaches(now *realpath.Resolver) (list []string) {
	if s.o.User != "" {
		for _, pattern := range executedCaches {
			found, _ := filepath.Glob(filepath.Join(glob.Escape(s.o.User), pattern))
			list = append(list, found...)
		}
	}
	return append(list, s.inPath(now, s.caches(now))...)
}

// inPath returns the folders in PATH that are in one of the folders.
func (s *Sandbox) inPath(now *realpath.Resolver, folders []string) (list []string) {
	for _, dir := range filepath.SplitList(s.o.Env("PATH")) {
		in := func(folder string) bool { return within(followed(now, folder), followed(now, dir)) }
		if filepath.IsAbs(dir) && slices.ContainsFunc(folders, in) && !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list
}

// temporary returns the folders of temporary files.
func (s *Sandbox) temporary(now *realpath.Resolver) []string {
	list := []string{"/tmp", "/var/tmp"}
	dir := cmp.Or(s.o.Env("TMPDIR"), os.TempDir())
	if filepath.IsAbs(dir) && !s.neverWritable(now, dir) {
		list = append(list, dir)
	}
	return list
}

// neverWritable reports whether path holds the user's home, or files of the system: an environment
// variable must not make it writable.
func (s *Sandbox) neverWritable(now *realpath.Resolver, path string) bool {
	path = followed(now, path)
	return within(path, s.o.User) || within(path, s.o.Home) || filepath.Dir(path) == path ||
		slices.ContainsFunc(systemFolders, func(dir string) bool { return within(dir, path) })
}

// systemFolders are folders of the operating system.
var systemFolders = []string{"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/dev",
	"/proc", "/sys", "/System", "/Library"}

// hidden returns the paths of secrets, without those that the user's settings open.
func (s *Sandbox) hidden() (list []string) {
	if s.o.User == "" {
		return nil
	}
	open := s.paths(s.o.Config.Readable)
	for _, name := range secrets {
		path := filepath.Join(s.o.User, name)
		if !slices.ContainsFunc(open, func(o string) bool { return within(o, path) }) {
			list = append(list, path)
		}
	}
	return list
}

// Unopened returns the paths in [sandbox] readable that have no effect, in words for the user,
// because they lie in a folder that is hidden as a whole.
func (s *Sandbox) Unopened() (texts []string) {
	hidden := s.hidden()
	for _, path := range s.paths(s.o.Config.Readable) {
		for _, dir := range hidden {
			if path != dir && within(dir, path) {
				texts = append(texts, "config.toml: [sandbox] readable: "+path+" stays hidden, "+
					"because "+dir+" is hidden as a whole: to open it, name "+dir)
			}
		}
	}
	return texts
}

// within reports whether path is dir or lies below it; false if one of them is "".
func within(dir, path string) bool {
	if dir == "" || path == "" {
		return false
	}
	_, ok := realpath.Below(dir, path)
	return ok
}

// gitFile returns the path of .git if it is a file, which names the folder of the repository; ""
// otherwise.
func gitFile(project string) string {
	path := filepath.Join(project, ".git")
	if st, err := os.Stat(path); err != nil || st.IsDir() {
		return ""
	}
	return path
}

// worktreeFiles returns the files by which git finds its settings in the linked work trees of a
// repository. dir is the repository's folder. A work tree below the project is left out: programs
// may remove it.
func worktreeFiles(dir, project string) (list []string) {
	for _, tree := range gitdir.Worktrees(dir) {
		if tree.Root != project && within(project, tree.Root) {
			continue
		}
		for _, name := range []string{"commondir", "gitdir", "config.worktree"} {
			list = append(list, filepath.Join(tree.Dir, name))
		}
	}
	return list
}

// repository returns the folder of the repository if project is a linked work tree or a submodule.
func repository(project string) []string {
	if r, ok := gitdir.At(project); ok && (r.Linked() || r.Submodule()) {
		return []string{r.Common}
	}
	return nil
}
