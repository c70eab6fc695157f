package realpath

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzOf: where the system opens a file, by whatever links and dots, Of names this very file,
// without links.
func FuzzOf(f *testing.F) {
	f.Add("p/one/deep/b", "two", "../out")
	f.Add("p/one/../x", "two", "../out/deep") // not p/x
	f.Add("p/two/up/p/one/x", ".", "ROOT/out/deep/..")
	f.Add("p/one/one//./x/..", "two/p", "..")
	f.Add("p/one\n/\x1b[2J", "one/one", "two/\xff")
	f.Fuzz(func(t *testing.T, path, one, two string) {
		for _, s := range []string{path, one, two} {
			if len(s) > 200 || strings.ContainsRune(s, 0) {
				t.Skip("no system has such names")
			}
		}
		if one == "" || two == "" {
			t.Skip("no link leads nowhere")
		}
		dir := world(t, map[string]string{"p/x": "x", "out/x": "x", "out/deep/b": "x",
			"out/up": "-> ..", "p/one": "-> " + one, "p/two": "-> " + two})
		path = dir + string(filepath.Separator) + strings.ReplaceAll(path, "ROOT", dir)
		got, ok := Of(path)
		if !filepath.IsAbs(got) {
			t.Fatalf("%q: got %q", path, got)
		}
		want, err := os.Stat(path)
		if err != nil {
			return
		}
		is, err := os.Lstat(got)
		if !ok || err != nil || !os.SameFile(want, is) {
			t.Fatalf("%q: got %q, %v, %v, which is another file", path, got, ok, err)
		}
		if real, err := filepath.EvalSymlinks(got); err != nil || real != got {
			t.Fatalf("%q: got %q, which leads to %q, %v", path, got, real, err)
		}
		if there := new(Resolver).Existing(path); there != got {
			t.Fatalf("%q: Existing got %q, want %q", path, there, got)
		}
	})
}
