package gitdir_test

import (
	"path/filepath"
	"slices"
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
