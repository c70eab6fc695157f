package trust_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agentscripts/agent/engine/trust"
)

// files writes files below a new folder.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestHead(t *testing.T) {
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
			if got := trust.Head(dir).ID; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestLeases(t *testing.T) {
	t.Parallel()
	l := trust.NewLeases(t.TempDir())
	root := files(t, map[string]string{".git/HEAD": "aaaa\n"})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(l.Begin(root, "a.lua"))
	check(l.Begin("/other", "b.lua"))
	check(l.NoteTool(root, "a.lua", "ff"))
	check(l.NoteTool(root, "a.lua", "ff"))
	list, err := l.In(root)
	if err != nil || len(list) != 1 || list[0].Path != "a.lua" || list[0].Head != "aaaa" ||
		len(list[0].Tools) != 1 {
		t.Fatalf("got %+v %v", list, err)
	}
	check(l.End(root, "a.lua"))
	if list, err := l.In(root); err != nil || len(list) != 0 {
		t.Errorf("got %+v %v", list, err)
	}
	if info, err := os.Stat(l.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v %v", info, err)
	}
}
