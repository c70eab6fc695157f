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
		{"/a", "/a/..b/c", "..b/c"}, {"/", "/a", "a"}, {"", "/a", ""}, {"a", "/a", ""},
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
