package glob

import "testing"

func TestMeets(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"/**/.env", "/p/log-\x00", false}, {"/**/.env", "/p/\x00", false},
		{"/**/.env", "/p/\x00/.env", true}, {"/**/.env", "/p/.env", true},
		{"/**/.env", "/p/.e\x00", true}, {"/**/.env", "/p/x.env", false},
		{"/**/*.env", "/p/x\x00", true}, {"/**/*.log", "/p/x-\x00.log", true},
		{"/**/*.log", "/p/x-\x00.txt", false}, {"/h/.bashrc", "/p/\x00", false},
		{"/h/.bashrc", "/h/\x00", false}, {"/h/a/b", "/h/\x00", true}, {"/h/a?b", "/h/a\x00", true},
		{"/h/*/b", "/h/x\x00/b", true}, {"/h/*/b", "/h/x/\x00/c", false}, {"/**", "/x\x00", true},
		{"/h/{a,b}", "/x\x00", true}, {"/h/ab", "/h/a\x00b", true}, {"/h/**/b", "/h/b", true},
		{"/h/**/b", "/h/a/c/b", true}, {"/h/**/b", "/h/ab", false}, {"/h/a", "/h/a/\x00", false},
		{"/h/a*", "/h/a/\x00", false}, {"/h/a**", "/h/a/\x00", true},
	} {
		if got := Meets(c.pattern, c.text); got != c.want {
			t.Errorf("%q %q: got %v", c.pattern, c.text, got)
		}
	}
}

// FuzzMeets compares with Match: a text without unknown characters meets what it matches, and one
// with some meets at least what it matches with any characters there.
func FuzzMeets(f *testing.F) {
	f.Add("/**/.env*", "/p/a", "x", "/b")
	f.Add("/h/*/?", "/h/", "", "/c")
	f.Fuzz(func(t *testing.T, pattern, before, middle, after string) {
		if CheckPath(pattern) != nil || len(pattern+before+middle+after) > 60 {
			return
		}
		for _, m := range []string{middle, "a" + middle} {
			for i := range len(m) {
				if m[i] == '.' && (i == 0 || m[i-1] == '/') || m[i] == 0 {
					return
				}
			}
			if Match(pattern, before+m+after) && !Meets(pattern, before+Unknown+after) {
				t.Errorf("%q matches %q, and does not meet %q", pattern, before+m+after,
					before+Unknown+after)
			}
		}
		if Match(pattern, before) && !Meets(pattern, before) {
			t.Errorf("%q does not meet %q", pattern, before)
		}
	})
}
