package realpath

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// world makes folders, files ("x"), and links ("-> to") in a temporary folder, which it returns
// without links.
func world(t *testing.T, things map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, what := range things {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		to, link := strings.CutPrefix(what, "-> ")
		switch {
		case link:
			if err := os.Symlink(strings.ReplaceAll(to, "ROOT", dir), p); err != nil {
				t.Skip("no links here")
			}
		case os.WriteFile(p, nil, 0o600) != nil:
			t.Fatal(p)
		}
	}
	return dir
}

func TestOf(t *testing.T) {
	t.Parallel()
	dir := world(t, map[string]string{
		"home/.ssh/id": "x", "p/src/a": "x", "out/deep/b": "x",
		"p/src/notes": "-> ../../home/.ssh/authorized_keys", // which is not there
		"p/one":       "-> two", "p/two": "-> ROOT/p/three", "p/three": "-> ../home/.ssh/new",
		"p/away": "-> ../out/deep", "p/gone": "-> nowhere/at/all", "out/deep/up": "-> ../made",
		"p/self": "-> self", "p/ring": "-> gnir", "p/gnir": "-> ring", "p/loop": "-> .",
	})
	tests := []struct {
		path, want string
		fails      bool
	}{
		{"p/src/a", "p/src/a", false},
		{"p/src/new/er", "p/src/new/er", false},
		{"p/src/notes", "home/.ssh/authorized_keys", false},
		{"p/one", "home/.ssh/new", false},
		{"p/away/b", "out/deep/b", false},
		{"p/away/../c", "out/c", false},
		{"p/away/up", "out/made", false},
		{"p/away/up/x/../y", "out/made/y", false},
		{"p/gone/x", "p/nowhere/at/all/x", false},
		{"p/gone/../../a", "p/nowhere/a", false},
		{"p/./src//a/", "p/src/a", false},
		{"p/loop/loop/src/a", "p/src/a", false},
		{"../../../../../../../../../../../../..", "/", false},
		{"p/self", "p/self", true},
		{"p/ring/x", "p/ring/x", true},
		{"p/" + strings.Repeat("loop/", 40) + "src", "p/src", false},
		{"p/" + strings.Repeat("loop/", 41) + "src", "p/" + strings.Repeat("loop/", 41) + "src",
			true},
		{"p/" + strings.Repeat("x/", 3000), "p/" + strings.Repeat("x/", 2999) + "x", true},
	}
	var now Resolver
	for _, tt := range tests {
		want := filepath.Join(dir, tt.want)
		if tt.want == "/" {
			want = filepath.VolumeName(dir) + string(filepath.Separator)
		}
		if got, ok := Of(dir + string(filepath.Separator) + tt.path); got != want ||
			ok == tt.fails {
			t.Errorf("%.60s: got %.200s, %v, want %.200s, %v", tt.path, got, ok, want, !tt.fails)
		}
		if got, ok := now.Of(dir + string(filepath.Separator) + tt.path); got != want ||
			ok == tt.fails {
			t.Errorf("%.60s: a Resolver got %.200s, %v", tt.path, got, ok)
		}
		there := ""
		if _, err := os.Lstat(want); err == nil && !tt.fails {
			there = want
		}
		if got := now.Existing(dir + string(filepath.Separator) + tt.path); got != there {
			t.Errorf("%.60s: got %.200s, want %.200s", tt.path, got, there)
		}
	}
}

// TestOfIsWhatTheSystemOpens: for existing paths, Of returns the result of filepath.EvalSymlinks.
func TestOfIsWhatTheSystemOpens(t *testing.T) {
	t.Parallel()
	dir := world(t, map[string]string{"a/b/c": "x", "l": "-> a/b", "a/up": "-> ..",
		"m": "-> l/../up/l"})
	for _, p := range []string{"l/c", "l/../b/c", "a/up/l/c", "m/c", "m/../up/a/up", "."} {
		p = dir + string(filepath.Separator) + filepath.FromSlash(p)
		want, err := filepath.EvalSymlinks(p)
		if got, ok := Of(p); err != nil || got != want || !ok {
			t.Errorf("%s: got %s, %v, want %s, %v", p, got, ok, want, err)
		}
	}
}

// TestWorkIsBounded: a path of 12 KB through a link to its own folder is given up after as many
// links as a system follows.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"links": "/p/" + strings.Repeat("loop/", 2500),
		"names": "/p/" + strings.Repeat("x/", 6000),
		"short": "/p/" + strings.Repeat("loop/", 800)} {
		looked := 0
		_, ok := followLinks(path, func(p string) (string, error) {
			if looked++; filepath.Base(p) == "loop" {
				return ".", nil
			}
			return "", os.ErrInvalid
		})
		if ok || looked > 100 {
			t.Errorf("%s: got %v after %d looks", name, ok, looked)
		}
	}
	looked := 0
	followLinks("/p/l", func(string) (string, error) {
		looked++
		return strings.Repeat("l/", 1000), nil
	})
	if looked > 2*maxLinks {
		t.Errorf("a link to many links: %d looks", looked)
	}
}

// TestLinks: the links on the way to a path, which need not exist.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir := world(t, map[string]string{"a/b/c": "x", "l": "-> a/b", "a/b/up": "-> ../../m",
		"m": "-> nowhere", "self": "-> self"})
	for path, want := range map[string]string{"l/c": "l", "l/up/x": "l a/b/up m", "a/b/c": "",
		"l/../b/up": "l a/b/up m", "self": strings.Repeat("self ", maxLinks), "none": ""} {
		var got []string
		for _, link := range new(Resolver).Links(dir + string(filepath.Separator) + path) {
			got = append(got, strings.TrimPrefix(link, dir+string(filepath.Separator)))
		}
		if text := strings.Join(got, " "); text != strings.TrimSpace(want) {
			t.Errorf("%s: got %q, want %q", path, text, want)
		}
	}
}

// TestRoad: what decides where a path leads.
func TestRoad(t *testing.T) {
	t.Parallel()
	dir := world(t, map[string]string{"a/b/c": "x", "l": "-> a/b", "a/b/up": "-> ../../m",
		"m": "-> nowhere/x", "self": "-> self", "gone": "-> none/../a", "abs": "-> ROOT/l"})
	for path, want := range map[string]string{"a/b/c": "a/b/c > a/b/c", "l/c": "l a/b/c > a/b/c",
		"l/up/x": "l a/b/up m nowhere > ", "none/x": "none > ", "l/../b": "l a/b > a/b",
		"gone": "gone none > ", "abs/c": "abs l a/b/c > a/b/c", "none/../a": "none > ",
		"self": strings.Repeat("self ", maxLinks+1) + "> ", "a/b/..": "a > a"} {
		names, real := Road(dir + string(filepath.Separator) + path)
		text := strings.Join(append(names, "> "+real), " ")
		text = strings.ReplaceAll(text, dir+string(filepath.Separator), "")
		if filepath.ToSlash(text) != want {
			t.Errorf("%s: got %s, want %s", path, text, want)
		}
	}
}
