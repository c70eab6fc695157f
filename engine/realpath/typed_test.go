package realpath

import "testing"

func TestTyped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ path, home, want string }{
		{"a/../b", "/home/u", "/p/b"},
		{"/a/./b", "/home/u", "/a/b"},
		{"~", "/home/u", "/home/u"},
		{"~/a", "/home/u", "/home/u/a"},
		{"~u/a", "/home/u", "/p/~u/a"},
		{"~/a", "", "/p/~/a"},
	} {
		if got := Typed(tt.path, "/p", tt.home); got != tt.want {
			t.Errorf("%q with home %q: got %q, want %q", tt.path, tt.home, got, tt.want)
		}
	}
}

func TestCutHome(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, rest string
		ok         bool
	}{
		{"~", "", true}, {"~/", "", true}, {"~/a/b", "a/b", true}, {"~//a", "/a", true},
		{"", "", false}, {"~u", "", false}, {"~u/a", "", false}, {"a/~", "", false}, {"/~", "",
			false},
	} {
		if rest, ok := CutHome(tt.path); rest != tt.rest || ok != tt.ok {
			t.Errorf("%q: got %q, %v", tt.path, rest, ok)
		}
	}
}
