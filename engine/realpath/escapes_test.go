package realpath_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agentscripts/agent/engine/realpath"
)

func TestBelow(t *testing.T) {
	for _, test := range []struct{ dir, path, want string }{
		{"/a/b", "/a/b/c/d", "c/d"}, {"/a/b", "/a/b", "."}, {"/a/b", "/a/bc", ""},
		{"/a/b", "/a", ""}, {"/a/b", "/a/b/../c", ""},
		{"/a", "/a/..b/c", "..b/c"}, {"/", "/a", "a"}, {"/", "/", "."},
		{"/a/", "/a//b/./c", "b/c"}, {"/a/../b", "/b/c", "c"},
		{"a", "a/b", "b"}, {"a", "b", ""}, {"", "/a", ""}, {"a", "/a", ""},
	} {
		got, ok := realpath.Below(filepath.FromSlash(test.dir), filepath.FromSlash(test.path))
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s in %s: got %q, %v", test.path, test.dir, got, ok)
		}
	}
}

func TestEscapes(t *testing.T) {
	dir := t.TempDir()
	root, other := filepath.Join(dir, "root"), filepath.Join(dir, "other")
	for _, d := range []string{root, other} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"in": "x", "out": "../other/x", "loop": "loop",
		"../alias": "root"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	for path, want := range map[string]bool{"in": false, "out": true, "x": false, "loop": true,
		"out/..": true, ".": false, "..": true} {
		if got := realpath.Escapes(root, root+"/"+path); got != want {
			t.Errorf("%s: got %v", path, got)
		}
	}
	if realpath.Escapes(filepath.Join(dir, "alias"), filepath.Join(root, "x")) {
		t.Error("a root that is a link has nothing in it")
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a", filepath.Join(dir, "link")); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "hard")); err != nil {
		t.Skip("no hard links here: ", err)
	}
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"a", "a", true}, {"a", "link", true}, {"hard", "a", true}, {"a", "b", false},
		{"none", "none", true}, {"a", "none", false}, {"none", "a", false},
	} {
		if got := realpath.Same(filepath.Join(dir, test.a), filepath.Join(dir,
			test.b)); got != test.want {
			t.Errorf("%s, %s: got %v", test.a, test.b, got)
		}
	}
}
