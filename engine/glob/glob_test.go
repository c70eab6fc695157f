package glob

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"*.go", "a.go", true},
		{"*.go", "a/b.go", false},
		{"**/*.go", "a.go", true},
		{"**/*.go", "a/b/c.go", true},
		{"a/**", "a", true},
		{"a/**", "a/b/c", true},
		{"a/**", "ab", false},
		{"**", ".", true},
		{"{a,b}/c", "b/c", true},
		{`\*`, "*", true},
		{`\*`, "x", false},
		{"{a,b}" + strings.Repeat("{c,d}", 7), "acccdddd", true},
		{`{a\,b,c}`, "a,b", true},
	}
	for _, tt := range tests {
		if err := Check(tt.pattern); err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
		}
		if got := Match(tt.pattern, tt.path); got != tt.want {
			t.Errorf("%s, %s: got %v", tt.pattern, tt.path, got)
		}
	}
}

func TestBadPatterns(t *testing.T) {
	tests := []struct{ pattern, want string }{
		{"", `got "", want a pattern`},
		{"[a", "[a is no pattern: a [ or { does not end"},
		{"{a", "is no pattern"},
		{strings.Repeat("a", 5000), "has 5000 bytes, at most 4096"},
		{strings.Repeat("{a,b}", 12), "too many {...}"},
		// 31 * 31 * 31 * 31
		{strings.Repeat("{"+strings.Repeat("a,", 30)+"a}", 4), "too many {...}"},
		{strings.Repeat("{a,{b,c}}", 6), "too many {...}"},
		{strings.Repeat("{", 1000) + strings.Repeat("}", 1000), "too many {...}"},
	}
	for _, tt := range tests {
		if err := Check(tt.pattern); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.20s: got %v, want %s", tt.pattern, err, tt.want)
		}
	}
}

func TestCheckPath(t *testing.T) {
	t.Parallel()
	for _, ok := range []string{"**", "**/.env*", "src/**", "./src/*.go", "~/.ssh/**", "/etc/*",
		"~", "/", "../other/**", "{a,b}/*", "app/(group)/*.tsx",
		"a b/*", "a$b/*", "**/*.{env,pem}"} {
		if err := CheckPath(ok); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
	for pattern, want := range map[string]string{
		"":                  "want a pattern",
		"src/":              "write src/**",
		"$HOME/.ssh/**":     "write ~/.ssh/**",
		"${HOME}/x":         "write ~/x",
		"%USERPROFILE%/x":   "write ~/x",
		"^src/.*":           "no regular expression",
		`.*\.env`:           "no regular expression",
		"src/.*$":           "no regular expression",
		"**/.env|**/*.pem":  "write {**/.env,**/*.pem}",
		"**/.env, **/*.pem": "write {**/.env,**/*.pem}",
		"!**/x":             "all but",
		"src//x":            "write src/x",
		" src/**":           "space",
		"a[":                "is no pattern",
	} {
		if err := CheckPath(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", pattern, err, want)
		}
	}
}

func TestBase(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{"a/*": "/p[1]: a/*", "./a": "/p[1]: a",
		".": "/p[1]: ", "./": "/p[1]: ", "~": "/u: ", "~/": "/u: ", "~/a/**": "/u: a/**",
		"~a": "/p[1]: ~a", "/a/*": ": /a/*", "**/a": ": **/a", "./**": "/p[1]: **"} {
		folder, rest, ok := Base(pattern, "/p[1]", "/u")
		if got := folder + ": " + rest; got != want || !ok {
			t.Errorf("%s: got %q, %v, want %q", pattern, got, ok, want)
		}
	}
	for pattern, want := range map[string]bool{"a": false, ".": false, "~/a": false, "/a": true,
		"**": true} {
		if _, _, ok := Base(pattern, "", ""); ok != want {
			t.Errorf("%s without folders: got %v", pattern, ok)
		}
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ folder, rest, want string }{{"/p[1]", "a/*", `/p\[1]/a/*`},
		{"/", "a", "/a"}, {"/p", "", "/p"}, {"/p", ".", "/p"}, {"", "/a/*", "/a/*"},
		{"", "**/a", "**/a"}, {"/", "", "/"}} {
		if got := Join(test.folder, test.rest); got != test.want {
			t.Errorf("%q, %q: got %q, want %q", test.folder, test.rest, got, test.want)
		}
	}
}

// TestKept checks what GNU grep does with --include and --exclude: the last pattern that matches
// decides.
func TestKept(t *testing.T) {
	for _, tt := range []struct {
		patterns string
		kept     bool // .env
	}{
		{"", true}, {"*.go", false}, {".e*", true}, {"!.env", false}, {"!*.go", true},
		{"!.env .env", true}, {".env !.env", false}, {"*.go !x", false}, {"!x *.go", true},
		{"!", true},
	} {
		if got := Kept(strings.Fields(tt.patterns), ".env"); got != tt.kept {
			t.Errorf("%q: %v, want %v", tt.patterns, got, tt.kept)
		}
	}
}
