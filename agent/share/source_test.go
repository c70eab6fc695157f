package share

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"
)

// TestParseSource checks where each form of a source leads.
func TestParseSource(t *testing.T) {
	t.Parallel()
	sum := strings.Repeat("0a", 32)
	for text, want := range map[string]Source{
		"https://github.com/o/r/raw/v1/x.lua": {Kind: KindURL,
			At: "https://github.com/o/r/raw/v1/x.lua"},
		"https://example.com/a/x.lua": {Kind: KindURL, At: "https://example.com/a/x.lua"},
		"https://example.com/x.js#sha256=" + sum: {Kind: KindURL,
			At: "https://example.com/x.js", SHA256: sum},
		"gist:2decf6c4":            {At: "https://gist.github.com/2decf6c4.git"},
		"gist:me/2decf6c4@0123abc": {At: "https://gist.github.com/2decf6c4.git", Ref: "0123abc"},
		"github:o/r":               {At: "https://github.com/o/r.git"},
		"github:o/r.git/dir/x.lua@v1.2": {At: "https://github.com/o/r.git", Path: "dir/x.lua",
			Ref: "v1.2"},
		"git:https://h.org/a/b.git": {At: "https://h.org/a/b.git"},
		"git:https://h.org/a/b.git@feature/x//d/e/": {At: "https://h.org/a/b.git",
			Ref: "feature/x", Path: "d/e"},
		"git:git@h.org:a/b.git@main//x.js": {At: "git@h.org:a/b.git", Ref: "main", Path: "x.js"},
		"git:ssh://git@h.org/a/b":          {At: "ssh://git@h.org/a/b"},
		"git:/srv/repo@v2":                 {At: "/srv/repo", Ref: "v2"},
		"git:file:///srv/repo//x.lua":      {At: "file:///srv/repo", Path: "x.lua"},
	} {
		got, err := ParseSource(text)
		want.Kind = cmp.Or(want.Kind, KindGit)
		if want.text = text; err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", text, got, err, want)
		}
	}
	got, err := ParseSource("./x.lua")
	if at, _ := filepath.Abs("x.lua"); err != nil || got.Kind != KindFile || got.At != at ||
		got.String() != at {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestWrongSources checks that a wrong source is refused, and what is said.
func TestWrongSources(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                            "want a path",
		"x\n.lua":                                     "want a path",
		"http://example.com/x.lua":                    "use https",
		"ftp://example.com/x.lua":                     "want a path",
		"https:///x.lua":                              "no host",
		"https://u:hunter2@example.com/x":             "password",
		"https://u:hunter2@ex ample.com/x":            "invalid character",
		"https://u:hunter2@example.com/x\n":           "want a path",
		"ftp://u:hunter2@example.com/x":               "want a path",
		"https://example.com/x.lua?a=b&token=hunter2": "has a secret, token",
		"git:https://u:hunter2@h/a@--x":               "password",
		"git:https://ghp_hunter2@h/a":                 "password",
		"https://example.com/x#sha256=12":             "64 digits",
		"https://example.com/x#md5=1":                 "64 digits",
		"gist:../x":                                   "id of a gist",
		"gist:12@--x":                                 "a branch, a tag or a commit",
		"github:o":                                    "OWNER/REPOSITORY",
		"github:-o/r":                                 "OWNER/REPOSITORY",
		"github:o/r/../../x":                          "inside of the repository",
		"github:o/r@":                                 "a branch, a tag or a commit",
		"git:--upload-pack=touch x":                   "want https://",
		"git:-x@h:y":                                  "begins with -",
		"git:ext::sh -c x":                            "want https://",
		"git:ext://sh":                                "not supported",
		"git:https://h/a@--upload-pack=x":             "a branch, a tag or a commit",
		"git:https://h/a@a..b":                        "a branch, a tag or a commit",
		"git:https://h/a//../b":                       "inside of the repository",
		"git:https://h/a//:(top)x":                    "inside of the repository",
		"git:https://u:hunter2@h/a":                   "password",
		"git:relative/path":                           "want https://",
		"https://github.com/o/r":                      `did you mean "github:o/r"?`,
		"https://www.github.com/o/r/blob/v1/a/x.lua":  `did you mean "github:o/r/a/x.lua@v1"?`,
		"https://github.com/o/r.git":                  `did you mean "github:o/r"?`,
		"https://github.com/o/r/tree/main":            `did you mean "github:o/r@main"?`,
		"https://gist.github.com/me/2decf6c4":         `did you mean "gist:2decf6c4"?`,
	} {
		if _, err := ParseSource(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: the error shows the secret: %v", text, err)
		}
	}
}

// FuzzParseSource checks that no text makes a source that begins with a hyphen, or leads out of a
// repository.
func FuzzParseSource(f *testing.F) {
	for _, s := range []string{"git:git@h:a@b//c", "github:o/r/x@y", "gist:12@a",
		"https://h/x#sha256=1", "git:ssh://-oProxyCommand=x/y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSource(text)
		if err != nil {
			return
		}
		if s.Kind == KindGit && (strings.HasPrefix(s.At, "-") || strings.HasPrefix(s.Ref, "-") ||
			strings.HasPrefix(s.Path, "../") || strings.HasPrefix(s.Path, "/")) {
			t.Errorf("%q: got %+v", text, s)
		}
		if again, err := ParseSource(s.String()); err != nil || again != s {
			t.Errorf("%q: then %+v, %v, before %+v", text, again, err, s)
		}
	})
}
