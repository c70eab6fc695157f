package instruct_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/internal/instruct"
	"github.com/agentscripts/agent/engine/realpath"
)

// world is a project and a home directory with files.
type world struct {
	t    *testing.T
	o    instruct.Options
	root string
	said []string
}

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	root, _ := realpath.Of(t.TempDir())
	w := &world{t: t, root: root}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.o = instruct.Options{Dir: w.path("proj"), Project: w.path("proj"),
		Home: w.path("user/.agent"), User: w.path("user"), Say: func(level, text string) {
			w.said = append(w.said, strings.ReplaceAll(text, root+"/", ""))
		}}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

// names returns the files of texts, below the folder of the test.
func (w *world) names(texts []instruct.Text) string {
	var out []string
	for _, x := range texts {
		path, _ := filepath.Rel(w.root, x.Path)
		out = append(out, filepath.ToSlash(path))
	}
	return strings.Join(out, " ")
}

func (w *world) wants(got, want string, said ...string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("got %s\nwant %s", got, want)
	}
	said = slices.DeleteFunc(said, func(s string) bool { return s == "" })
	w.said = slices.DeleteFunc(w.said,
		func(s string) bool { return strings.Contains(s, "there is no AGENTS.md beside it") })
	if !slices.Equal(w.said, said) {
		w.t.Errorf("said %q\nwant %q", w.said, said)
	}
	w.said = nil
}

// TestFilesOfClaudeCode checks which files are read, in which order.
func TestFilesOfClaudeCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"user/.claude/CLAUDE.md": "user @more.md",
		"user/.claude/more.md": "more", "user/.agent/AGENTS.md": "own",
		"proj/CLAUDE.md": "project", "proj/CLAUDE.local.md": "local",
		"proj/a/.claude/CLAUDE.md": "hidden", "proj/a/b/AGENTS.md": "agents",
		"proj/a/b/CLAUDE.md": "not read", "proj/a/c/AGENTS.md": "imported",
		"proj/a/c/CLAUDE.md": "@AGENTS.md and more", "proj/node_modules/x/CLAUDE.md": "foreign",
		"proj/other/CLAUDE.md": "other"})
	const ignored = "proj/a/b/CLAUDE.md is not read: AGENTS.md is"
	w.wants(w.names(w.with("proj/a/b").Always()), "proj/CLAUDE.md proj/CLAUDE.local.md "+
		"proj/a/.claude/CLAUDE.md proj/a/b/AGENTS.md user/.agent/AGENTS.md "+
		"user/.claude/CLAUDE.md user/.claude/more.md", ignored)
	w.wants(w.names(w.with("proj/a/c").Always()), "proj/CLAUDE.md proj/CLAUDE.local.md "+
		"proj/a/.claude/CLAUDE.md proj/a/c/CLAUDE.md proj/a/c/AGENTS.md user/.agent/AGENTS.md "+
		"user/.claude/CLAUDE.md user/.claude/more.md")
	for path, want := range map[string]string{"a/b/x.go": "proj/a/.claude/CLAUDE.md " +
		"proj/a/b/AGENTS.md", "x.go": "", w.path("proj/other/deep/x.go"): "proj/other/CLAUDE.md",
		"node_modules/x/x.js": "", "../user/.claude/x": ""} {
		said := ""
		if strings.Contains(want, "a/b/") {
			said = ignored
		}
		w.wants(w.names(w.with("proj").Near(path)), want, said)
	}
	w.wants(w.names(w.with("proj/a").Near("b/x.go")), "proj/a/b/AGENTS.md", ignored)
}

func (w *world) with(dir string) *instruct.Files {
	o := w.o
	o.Dir = w.path(dir)
	return instruct.New(o)
}

// TestImports checks what is imported, and that a mistake is named with its line.
func TestImports(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       string // after CLAUDE.md
		said       string
	}{
		{"relative, twice", "See @docs/a.md.\nand @./docs/a.md", "docs/a.md", ""},
		{"space", `@docs/with\ space.md`, "docs/with space.md", ""},
		{"in code", "`see @docs/a.md here` ``@docs/a.md``\n" +
			"```\n@docs/a.md\n```\n~~~\n@docs/a.md\n~~~",
			"", ""},
		{"words", "@types/node ask @bob, me@docs/a.md", "", ""},
		{"a folder", "@docs", "", ""},
		{"missing", "\n@docs/b.md", "",
			"proj/CLAUDE.md:2: @docs/b.md is not read: no such file or directory"},
		{"a loop", "@docs/loop.md", "docs/loop.md",
			"proj/docs/loop.md:1: @../CLAUDE.md is a loop: the file is read once"},
		{"deep", "@deep/1.md", "deep/1.md deep/2.md deep/3.md deep/4.md deep/5.md",
			"proj/deep/5.md:1: @6.md is not read: more than 5 files import each other in a row"},
		{"binary", "@docs/bin.txt", "",
			"proj/docs/bin.txt: is no text: the model does not get it"},
		{"huge", "@docs/huge.md", "docs/huge.md",
			"proj/docs/huge.md: larger than 64 KB: the model does not get the rest"},
		{"link out", "@docs/link.md", "",
			"proj/docs/link.md: links out of the project: the model does not get its text"},
		{"outside", "@~/secret.md", "", "proj/CLAUDE.md:1: @~/secret.md is outside of the " +
			"project: the model does not get it before you allow that: /trust, or agent trust add"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"proj/CLAUDE.md": tt.text, "proj/docs/a.md": "a",
				"proj/docs/with space.md": "a", "proj/docs/loop.md": "@../CLAUDE.md",
				"proj/deep/1.md": "@2.md", "proj/deep/2.md": "@3.md", "proj/deep/3.md": "@4.md",
				"proj/deep/4.md": "@5.md", "proj/deep/5.md": "@6.md", "proj/deep/6.md": "6",
				"proj/docs/bin.txt": "a\x00b", "proj/docs/huge.md": strings.Repeat("x ", 40<<10),
				"user/secret.md": "SECRET"})
			if err := os.Symlink(w.path("user/secret.md"),
				w.path("proj/docs/link.md")); err != nil {
				t.Skip(err)
			}
			texts := w.with("proj").Always()
			w.wants(strings.ReplaceAll(w.names(texts)+" ", "proj/", ""),
				strings.TrimSpace("CLAUDE.md "+tt.want)+" ", tt.said)
			for _, x := range texts {
				if strings.Contains(x.Text, "SECRET") || len(x.Text) > instruct.MaxBytes+10 {
					t.Errorf("%s: got %d bytes", x.Path, len(x.Text))
				}
			}
		})
	}
}

// TestConsent checks that a file outside of the project is imported only if that is allowed, also
// if another such file imports it, and that the user's own files need no consent.
func TestConsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"proj/CLAUDE.md": "@~/one.md", "user/one.md": "@two.md",
		"user/two.md": "two", "user/.claude/CLAUDE.md": "@~/three.md", "user/three.md": "three"})
	var allowed []string
	w.o.Allowed = func(path string) bool { return slices.Contains(allowed, path) }
	check := func(outside, always string) {
		t.Helper()
		files := w.with("proj")
		if got := strings.ReplaceAll(strings.Join(files.Outside(), " "), w.root+"/", ""); got !=
			outside {
			t.Errorf("got %s, want %s", got, outside)
		}
		if got := w.names(files.Always()); got != always {
			t.Errorf("got %s, want %s", got, always)
		}
	}
	check("user/one.md", "proj/CLAUDE.md user/.claude/CLAUDE.md user/three.md")
	allowed = []string{w.path("user/one.md")}
	check("user/one.md user/two.md",
		"proj/CLAUDE.md user/one.md user/.claude/CLAUDE.md user/three.md")
	allowed = append(allowed, w.path("user/two.md"))
	check("user/one.md user/two.md",
		"proj/CLAUDE.md user/one.md user/two.md user/.claude/CLAUDE.md user/three.md")
}
