package gitdir_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/gitdir"
)

// TestExecutedPaths: what settings name, as git reads them.
func TestExecutedPaths(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]string{
		"[core]\n\thooksPath = .githooks\n":                    "r/.githooks",
		"[core] hookspath=h # why\n":                           "r/h",
		"[CORE]\nHooksPath = \"a b\" ; x\n":                    "r/a b",
		"[core]\nhooksPath = a\\\nb\n":                         "r/ab",
		"[core]\nhooksPath = a\\\"b\n":                         "r/a\"b",
		"[core]\r\nhooksPath = crlf\r\n":                       "r/crlf",
		"[core]\nhooksPath = .husky/_\n":                       "r/.husky",
		"[core]\nhooksPath = _\n":                              "r/_",
		"[core]\nhooksPath = ~/hooks\n":                        "home/hooks",
		"[core]\nhooksPath = ROOT/out\n":                       "out",
		"[include]\npath = ../own\n":                           "r/own",
		"[includeIf \"gitdir:x]\"]\npath = inc\n":              "r/.git/inc",
		"[include]\npath = ../more\n":                          "r/further", // by that file
		"[alias]\n\tx = !y\n[core]\n\teditor=v\n\thooksPath=h": "r/h",
	} {
		dir := files(t, map[string]string{"r/.git/HEAD": "x", "r/.git/config": settings,
			"r/more":          "[include]\npath = further\n[include]\npath = more\n",
			"home/.gitconfig": "[core]\nhooksPath = .everywhere\n"})
		r, _ := gitdir.At(filepath.Join(dir, "r"))
		got := r.ExecutedPaths(filepath.Join(dir, "home"))
		for _, name := range []string{want, "r/.git/hooks", "r/.git/config", "r/.everywhere"} {
			if !slices.Contains(got, filepath.Join(dir, name)) {
				t.Errorf("%q: %s is missing: %q", settings, name, got)
			}
		}
	}
	// what holds the work tree itself is no folder of hooks
	for _, settings := range []string{"[core]\nhooksPath = .\n", "[core]\nhooksPath = ..\n",
		"[core]\nhooksPath =\n", "[core\nhooksPath = h\n", "[core]\n#hooksPath = h\n",
		"[cored]\nhooksPath = h\n"} {
		dir := files(t, map[string]string{"r/.git/config": settings})
		r, _ := gitdir.At(filepath.Join(dir, "r"))
		if got := r.ExecutedPaths(""); len(got) != len(gitdir.Executed) {
			t.Errorf("%q: %q", settings, got)
		}
	}
}

// TestExecutes: files in git's folder of any name.
func TestExecutes(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{"bare/HEAD": "x", "bare/objects/x": "", "bare/refs/x": "",
		"src/HEAD": "x", "src/config/HEAD": "x", "src/config/objects/x": "",
		"src/config/refs/x": ""})
	for name, want := range map[string]bool{"bare/config": true, "bare/hooks": true,
		"bare/hooks/post-commit": true, "bare/info/attributes": true, "bare/HEAD": false,
		"bare/info/exclude": false, "src/config": false, "src/hooks/x": false,
		"src/config/config": true, "bare/x/config": false, "x/.git/hooks/y": true} {
		if got := gitdir.Executes(filepath.Join(dir, name)); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// TestExecutedEndlessly: settings that include themselves, and a loop of files.
func TestExecutedEndlessly(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{"r/.git/config": "[include]\npath=config\n[include]\n" +
		"path=b\n",
		"r/.git/b": "[include]\npath=config\n[include]\npath=b\n"})
	r, _ := gitdir.At(filepath.Join(dir, "r"))
	if got := r.ExecutedPaths(""); len(got) > 100 {
		t.Errorf("%d paths", len(got))
	}
}

// TestRunsPrograms: which settings of a repository make git run a program while it only reads.
func TestRunsPrograms(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]bool{
		"[core]\n\tbare = false\n[user]\n\tname = x\n":                                      false,
		"[core]\n\tfsmonitor = true\n":                                                      false,
		"[core]\n\tfsmonitor\n":                                                             false,
		"[core]\nhooksPath = .husky\npager = x\n":                                           false,
		"[filter \"lfs\"]\nclean = git-lfs clean -- %f\nprocess = git-lfs filter-process\n": false,

		"[core]\n\tfsmonitor = ./x.sh\n":                                   true,
		"[filter \"lfs\"]\nclean = \"git-lfs clean -- %f; x\"\n":           true,
		"[filter \"a\"]\nprocess = x\n":                                    true,
		"[diff]\nexternal = x\n":                                           true,
		"[diff \"a\"]\ncommand = x\n":                                      true,
		"[diff.a] textConv = x\n":                                          true,
		"[core]\nsshCommand = x\n":                                         true,
		"[gpg \"ssh\"]\nprogram = x\n":                                     true,
		"[include]\npath = ../more\n":                                      true,
		"[includeIf \"gitdir:x\"]\npath = ../more\n":                       true,
		"[a]\n" + strings.Repeat("b = c\n", 1<<19) + "[core]\nfsmonitor=x": true,
	} {
		dir := files(t, map[string]string{"r/.git/HEAD": "x", "r/.git/config": settings,
			"r/more":          "[diff]\nexternal = x\n",
			"home/.gitconfig": "[core]\nfsmonitor = x\n"})
		r, _ := gitdir.At(filepath.Join(dir, "r"))
		if got := r.RunsPrograms(filepath.Join(dir, "home")); got != want {
			t.Errorf("%.60q: got %v, want %v", settings, got, want)
		}
	}
	for _, name := range []string{"r/.git/config.worktree", "r/.git/modules/sub/config"} {
		dir := files(t, map[string]string{"r/.git/HEAD": "x", "r/.git/config": "",
			"r/.git/modules/sub/HEAD": "x", "r/.git/modules/sub/objects/a": "",
			"r/.git/modules/sub/refs/a": ""})
		r, _ := gitdir.At(filepath.Join(dir, "r"))
		if r.RunsPrograms("") {
			t.Error("without settings")
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("[core]\nfsmonitor=x\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
		if !r.RunsPrograms("") {
			t.Errorf("%s was not read", name)
		}
	}
}
