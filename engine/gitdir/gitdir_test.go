package gitdir_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/gitdir"
)

// files writes files below a new folder, and links for texts like "-> target". ROOT in a text is
// that folder.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if to, link := strings.CutPrefix(text, "-> "); link {
			err = os.Symlink(to, path)
		} else {
			err = os.WriteFile(path, []byte(strings.ReplaceAll(text, "ROOT", dir)), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestAt: which folders a .git leads to.
func TestAt(t *testing.T) {
	t.Parallel()
	const file = "gitdir: ../main/.git/worktrees/w\n"
	long := strings.Repeat("x/", 2050)
	for name, test := range map[string]struct {
		files       map[string]string
		dir, common string // "" = there is no repository
	}{
		"nothing":      {map[string]string{"w/a": ""}, "", ""},
		"a folder":     {map[string]string{"w/.git/HEAD": "aaaa\n"}, "w/.git", "w/.git"},
		"an empty one": {map[string]string{"w/.git/x": ""}, "w/.git", "w/.git"},
		"a work tree": {map[string]string{"w/.git": file,
			"main/.git/worktrees/w/commondir": "../..\n"}, "main/.git/worktrees/w", "main/.git"},
		"a submodule": {map[string]string{"w/.git": "gitdir: ../main/.git/modules/w\r\n",
			"main/.git/modules/w/HEAD": "aaaa\n"}, "main/.git/modules/w", "main/.git/modules/w"},
		"a link": {map[string]string{"w/.git": "-> ../main/.git", "main/.git/HEAD": "aaaa\n"},
			"w/.git", "w/.git"},
		"a link to a file": {map[string]string{"w/.git": "-> ../g", "g": file},
			"main/.git/worktrees/w", "main/.git/worktrees/w"},
		// the parent of a link is the parent of what it leads to
		"a path through a link": {map[string]string{"w/.git": "gitdir: l/../git",
			"w/l":   "-> ../a/b",
			"a/b/x": "", "a/git/HEAD": "aaaa\n"}, "a/git", "a/git"},
		"a link that loops": {map[string]string{"w/.git": "-> .git"}, "", ""},
		"a path that loops": {map[string]string{"w/.git": "gitdir: l/x", "w/l": "-> l"}, "", ""},
		"no path":           {map[string]string{"w/.git": "gitdir: \n"}, "", ""},
		"no name":           {map[string]string{"w/.git": "main\n"}, "", ""},
		"two lines":         {map[string]string{"w/.git": "gitdir: a\nb"}, "", ""},
		"a zero byte":       {map[string]string{"w/.git": "gitdir: a\x00b"}, "", ""},
		"a long path":       {map[string]string{"w/.git": "gitdir: " + long}, "", ""},
		"a large file": {map[string]string{"w/.git": file + strings.Repeat(" ", 1<<20)}, "",
			""},
		"a commondir of its own": {map[string]string{"w/.git/commondir": "../../main\n"}, "w/.git",
			"main"},
		"an empty commondir": {map[string]string{"w/.git/commondir": "\n"}, "w/.git", "w/.git"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := files(t, test.files)
			repo, ok := gitdir.At(filepath.Join(dir, "w"))
			if !ok {
				if test.dir != "" {
					t.Fatal("no repository was found")
				}
				return
			}
			want := gitdir.Repository{Root: filepath.Join(dir, "w"), Head: repo.Head,
				Dir: filepath.Join(dir, test.dir), Common: filepath.Join(dir, test.common)}
			if repo != want {
				t.Errorf("got %+v, want %+v", repo, want)
			}
		})
	}
}

// TestLinked: a repository must list the work tree; a file .git alone proves nothing.
func TestLinked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"listed": {map[string]string{"w/.git": "gitdir: ../r/worktrees/w",
			"r/worktrees/w/commondir": "../..", "r/worktrees/w/gitdir": "ROOT/w/.git"}, true},
		"listed by a relative path": {map[string]string{"w/.git": "gitdir: ../r/worktrees/w",
			"r/worktrees/w/commondir": "../..",
			"r/worktrees/w/gitdir":    "../../../w/.git"}, true},
		"not listed": {map[string]string{"w/.git": "gitdir: ../r/worktrees/w",
			"r/worktrees/w/commondir": "../.."}, false},
		"another one": {map[string]string{"w/.git": "gitdir: ../r/worktrees/w", "v/.git": "",
			"r/worktrees/w/commondir": "../..", "r/worktrees/w/gitdir": "ROOT/v/.git"}, false},
		// r is the attacker's, and names the victim's folder
		"another common folder": {map[string]string{"w/.git": "gitdir: r/worktrees/w",
			"w/r/worktrees/w/commondir": "../../../../home",
			"w/r/worktrees/w/gitdir":    "ROOT/w/.git", "home/x": ""}, false},
		"elsewhere in the folder": {map[string]string{"w/.git": "gitdir: ../r/trees/w",
			"r/trees/w/commondir": "../..", "r/trees/w/gitdir": "ROOT/w/.git"}, false},
		"the main work tree": {map[string]string{"w/.git/HEAD": "aaaa"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := files(t, test.files)
			repo, _ := gitdir.At(filepath.Join(dir, "w"))
			if got := repo.Linked(); got != test.want {
				t.Errorf("%+v: got %v", repo, got)
			}
		})
	}
}

// TestSubmodule: the module's config must name the work tree; a file .git alone proves nothing.
func TestSubmodule(t *testing.T) {
	t.Parallel()
	const file = "gitdir: ../r/.git/modules/a/w"
	config := func(text string) map[string]string {
		return map[string]string{"w/.git": file, "r/.git/modules/a/w/HEAD": "aaaa",
			"r/.git/modules/a/w/config": text}
	}
	for name, test := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"named": {config("[core]\n\tbare = false\n\tworktree = ../../../../../w\n"),
			true},
		"named absolutely": {config("[remote]\nworktree = /x\n[core]\nworktree = ROOT/w"), true},
		"another one":      {config("[core]\n\tworktree = ../../../../../v\n"), false},
		"in another place": {config("[x]\n\tworktree = ../../../../../w\n"), false},
		"not named":        {config("[core]\n\tbare = false\n"), false},
		"without a config": {map[string]string{"w/.git": file,
			"r/.git/modules/a/w/HEAD": "a"}, false},
		"a main repository": {map[string]string{"w/.git/config": "[core]\nworktree = .."}, false},
		"not among modules": {map[string]string{"w/.git": "gitdir: ../r/w",
			"r/w/config": "[core]\nworktree = ../../w"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := files(t, test.files)
			repo, _ := gitdir.At(filepath.Join(dir, "w"))
			if got := repo.Submodule(); got != test.want {
				t.Errorf("%+v: got %v", repo, got)
			}
		})
	}
}

// TestModules: submodules whose names have slashes, and submodules of submodules.
func TestModules(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{"modules/a/HEAD": "x", "modules/b/c/HEAD": "x",
		"modules/a/modules/d/HEAD": "x", "modules/a/objects/HEAD": "x", "modules/f": "x"})
	var want []string
	for _, name := range []string{"a", "a/modules/d", "b/c"} {
		want = append(want, filepath.Join(dir, "modules", filepath.FromSlash(name)))
	}
	if got := gitdir.Modules(dir); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := gitdir.Modules(filepath.Join(dir, "modules")); got != nil {
		t.Errorf("without modules: got %q", got)
	}
}

func TestWorktrees(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{"r/worktrees/a/gitdir": "ROOT/a/.git\n",
		"r/worktrees/b/HEAD": "aaaa\n"})
	list := gitdir.Worktrees(filepath.Join(dir, "r"))
	if len(list) != 2 || list[0].Root != filepath.Join(dir, "a") || list[1].Root != "" ||
		list[1].Dir != filepath.Join(dir, "r", "worktrees", "b") {
		t.Errorf("got %+v", list)
	}
	if list := gitdir.Worktrees(dir); len(list) != 0 {
		t.Errorf("without worktrees: got %+v", list)
	}
}

func TestBranch(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{".git/HEAD": "ref: refs/heads/feature/x\n", "a/b/c": "",
		"w/.git": "gitdir: ../.git/worktrees/w\n", "broken/.git/x": "",
		".git/worktrees/w/HEAD": "0123456789abcdef0123\n"})
	for sub, want := range map[string]string{"a/b": "feature/x", "w": "0123456789ab",
		"broken": "feature/x"} {
		repo, _ := gitdir.Find(filepath.Join(dir, sub))
		if got := repo.Branch(); got != want {
			t.Errorf("%s: got %q, want %q", sub, got, want)
		}
	}
	for _, nowhere := range []string{"", "/", t.TempDir()} {
		if repo, ok := gitdir.Find(nowhere); ok || repo.Branch() != "" {
			t.Errorf("%q: got %+v", nowhere, repo)
		}
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		in    string
		want  string
	}{
		"no repository": {map[string]string{"a": ""}, ".", ""},
		"a branch": {map[string]string{".git/HEAD": "ref: refs/heads/main\n",
			".git/refs/heads/main": "aaaa\n"}, ".", "ref: refs/heads/main aaaa"},
		"below": {map[string]string{".git/HEAD": "ref: refs/heads/main\n",
			".git/refs/heads/main": "aaaa\n", "x/y/z": ""}, "x/y", "ref: refs/heads/main aaaa"},
		"no commit yet": {map[string]string{".git/HEAD": "ref: refs/heads/main\n"}, ".",
			"ref: refs/heads/main"},
		"detached": {map[string]string{".git/HEAD": "aaaa\n"}, ".", "aaaa"},
		"packed": {map[string]string{".git/HEAD": "ref: refs/heads/main\n",
			".git/packed-refs": "# pack-refs with: peeled\nbbbb refs/heads/mainly\n" +
				"aaaa refs/heads/main\n^cccc\n"}, ".", "ref: refs/heads/main aaaa"},
		"a work tree": {map[string]string{"tree/.git": "gitdir: ../main/.git/worktrees/tree\n",
			"main/.git/worktrees/tree/HEAD":      "ref: refs/heads/side\n",
			"main/.git/worktrees/tree/commondir": "../..\n",
			"main/.git/refs/heads/side":          "aaaa\n",
			"main/.git/HEAD":                     "ref: refs/heads/main\n"}, "tree",
			"ref: refs/heads/side aaaa"},
		"reftable": {map[string]string{".git/HEAD": "ref: refs/heads/.invalid\n",
			".git/reftable/tables.list": "0x1-0x2.ref\n"}, ".",
			"ref: refs/heads/.invalid 0x1-0x2.ref\n"},
		"a path that leaves": {map[string]string{".git/HEAD": "ref: ../../secret\n"}, ".",
			"ref: ../../secret"},
		"garbage": {map[string]string{".git": "nothing"}, ".", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(files(t, test.files), test.in)
			repo, _ := gitdir.Find(dir)
			if got := repo.Position().ID; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
