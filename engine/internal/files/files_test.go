package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/audit"
	"github.com/agentscripts/agent/engine/internal/files"
	"github.com/agentscripts/agent/engine/trust"
)

// place is a user's home with a project (~/work) and the agent's own directory (~/.agent).
type place struct {
	t    *testing.T
	home string
	f    *files.Files
}

func newPlace(t *testing.T) *place {
	t.Helper()
	home := t.TempDir()
	p := &place{t, home,
		files.New(files.Options{Project: filepath.Join(home, "work"),
			CWD: filepath.Join(home, "work"), User: home, Home: filepath.Join(home, ".agent")})}
	for name, text := range map[string]string{"work/a.txt": "a", "work/src/b.go": "b",
		"work/src/deep/c.go": "c", "work/.env": "env", "secret": "secret",
		"notes/n.md": "n", ".agent/trust.json": "{}", ".agent/state/good/x": "x",
		".agent/scripts/s.lua": "s", ".agent/AGENTS.md": "be kind"} {
		p.put(name, text)
	}
	return p
}

func (p *place) path(name string) string { return filepath.Join(p.home, filepath.FromSlash(name)) }

func (p *place) put(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) link(to, name string) {
	p.t.Helper()
	if err := os.Symlink(to, p.path(name)); err != nil {
		p.t.Skip(err)
	}
}

func (p *place) get(name string) string {
	b, err := os.ReadFile(p.path(name))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// said returns an error in short form: its code, or the missing grant.
func said(err error) string {
	var world *files.Error
	var needs *files.NeedsError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &world):
		return world.Code
	case errors.As(err, &needs):
		return needs.Kind + ":" + needs.Path
	}
	return err.Error()
}

func TestGrants(t *testing.T) {
	p := newPlace(t)
	p.link("..", "work/up")
	p.link("../secret", "work/alias")
	p.link("src", "work/code")
	p.link("nowhere", "work/broken")
	p.link("round", "work/round")
	p.link(p.path("work/src"), "sources")
	p.link("notes", "cloud")
	tests := []struct{ grant, path, want string }{
		{"./**", "a.txt", ""},
		{"**", "src/deep/c.go", ""},
		{"./src/**", "a.txt", "fs.read:./a.txt"},
		{"src/*.go", "src/b.go", ""},
		{"src/*.go", "src/deep/c.go", "fs.read:./src/deep/c.go"},
		{"./**", "../secret", "fs.read:~/secret"},
		{"./**", "src/../../secret", "fs.read:~/secret"},
		{"./**", "up/secret", "fs.read:~/secret"},
		// a repository brings links: they widen nothing
		{"./up/**", "up/secret", "fs.read:~/secret"},
		{"~/work/up/**", "up/secret", "fs.read:~/secret"},
		{"./**", "alias", "fs.read:~/secret"},
		{"./src/**", "code/b.go", ""},
		{"./**", "broken", "not_found"},
		{"./**", "round", "invalid"},
		{"./**", "none/none", "not_found"},
		{"./src/**", "none", "fs.read:./none"}, // and not whether it is there
		{"./**", "~/work/a.txt", ""},
		{"~/work/*", "a.txt", ""},
		{"~/sources/*", "src/b.go", ""}, // a link of the home is the user's
		{"~/cloud/*", "~/notes/n.md", ""},
		{"~/cloud/*", "~/cloud/n.md", ""},
		{"~/notes/*", "~/cloud/n.md", ""},
		{"~/secret", "~/secret", ""},
		{"../secret", "../secret", ""},
		{"~/**", "~/secret", ""},
		{p.path("work") + "/a.txt", "a.txt", ""},
		{"/**", "a.txt", ""},
		{"[", "a.txt", "fs.read:./a.txt"},
		{"", "a.txt", "fs.read:./a.txt"},
		{"./{src,none}/**", "src/deep/c.go", ""},
		{"./**", ".", "is_directory"},
		{"./**", ".env", "fs.read:./.env"}, // a name that begins with a dot must be named
		{"/**", ".env", "fs.read:./.env"},
		{"./.env", ".env", ""},
		{"./**/.env", ".env", ""},
		{"./**", ".git/config", "fs.read:./.git/config"},
		{"./.git/**", ".git/config", "not_found"},
		{"./.git/**", ".git/.x", "fs.read:./.git/.x"},
		{"~/work/.env", ".env", ""},
	}
	for _, tt := range tests {
		_, err := p.f.Reach([]string{tt.grant}, nil, "").Read(tt.path, files.Part{})
		if got := said(err); got != tt.want {
			t.Errorf("%s, %s: got %q (%v), want %q", tt.grant, tt.path, got, err, tt.want)
		}
	}
	if _, err := p.f.Reach(nil, []string{"./**"}, "").Read("a.txt",
		files.Part{}); said(err) != "fs.read:./a.txt" {
		t.Errorf("what may be written is not what may be read: %v", err)
	}
}

func TestListsShowWhatIsGranted(t *testing.T) {
	p := newPlace(t)
	p.link("../secret", "work/alias")
	r := p.f.Reach([]string{"./src/*.go", "./none/**"}, nil, "")
	list, err := r.List(".")
	if err != nil || len(list) != 1 || list[0].Name != "src" {
		t.Errorf("got %v, %v", list, err)
	}
	if list, err = r.List("src"); err != nil || len(list) != 1 ||
		list[0] != (files.Entry{Name: "b.go", Kind: "file"}) {
		t.Errorf("got %v, %v", list, err)
	}
	if _, err = r.List("~/notes"); said(err) != "fs.read:~/notes/**" {
		t.Errorf("got %v", err)
	}
	found, err := r.Find(t.Context(), "**", false, 0)
	if err != nil || strings.Join(found, " ") != "src/b.go" {
		t.Errorf("found %v, %v", found, err)
	}
	found, err = p.f.Reach([]string{"./**"}, nil, "").Find(t.Context(), "**/*", false, 0)
	if want := "a.txt src/b.go src/deep/c.go"; err != nil || strings.Join(found, " ") != want {
		t.Errorf("found %v, %v, want %s", found, err, want)
	}
	found, err = p.f.Reach([]string{"./{**,.*}"}, nil, "").Find(t.Context(), "**", false, 0)
	if want := ".env a.txt src/b.go src/deep/c.go"; err != nil || strings.Join(found, " ") != want {
		t.Errorf("found %v, %v, want %s", found, err, want)
	}
	if list, err = p.f.Reach([]string{"./**"}, nil, "").List("."); err != nil ||
		slices.ContainsFunc(list, func(e files.Entry) bool { return e.Name[0] == '.' }) {
		t.Errorf("listed %v, %v, want no name that begins with a dot", list, err)
	}
}

func TestProtectedFilesStay(t *testing.T) {
	p := newPlace(t)
	p.link(".agent", "dot")
	r := p.f.Reach([]string{"~/**", "/**"}, []string{"~/**", "~/.agent", "~/.agent/**", "~/dot/**",
		"/**"}, "")
	for _, path := range []string{"~/.agent/trust.json", "~/.agent/trust.json.lock",
		"~/.agent/permissions.json", "~/.agent/config.toml", "~/.agent/TRUST.json",
		"~/.agent/state/good/x", "~/.agent/state", "~/.agent/extensions/a/run",
		"~/.agent/scripts/new.lua",
		"~/.agent/scripts/new/x.lua", "~/dot/trust.json", "~/work/../.agent/scripts/s.lua"} {
		for name, do := range map[string]func() error{
			"write":  func() error { return r.Write(t.Context(), path, []byte("mine")) },
			"append": func() error { return r.Append(path, []byte("mine")) },
			"mkdir":  func() error { return r.Mkdir(path) },
			"remove": func() error { return r.Remove(path, true) },
			"from":   func() error { return r.Rename(path, "~/elsewhere") },
			"to":     func() error { return r.Rename("~/secret", path) },
		} {
			if err := do(); said(err) != "denied" {
				t.Errorf("%s %s: got %v", name, path, err)
			}
		}
	}
	for _, path := range []string{"~/.agent", "~"} {
		if err := r.Remove(path, true); said(err) != "denied" {
			t.Errorf("remove %s: %v", path, err)
		}
		if err := r.Rename(path, p.home+"-moved"); said(err) != "denied" {
			t.Errorf("rename %s: %v", path, err)
		}
	}
	if p.get(".agent/trust.json") != "{}" || p.get(".agent/state/good/x") != "x" ||
		p.get(".agent/scripts/s.lua") != "s" {
		t.Error("something was changed")
	}
	if err := r.Write(t.Context(), "~/.agent/AGENTS.md", []byte("be short")); err != nil ||
		p.get(".agent/AGENTS.md") != "be short" {
		t.Errorf("what is no setting: %v", err)
	}
	os.RemoveAll(p.path(".agent"))
	if err := r.Write(t.Context(), "~/.agent/scripts/first.lua", nil); said(err) != "denied" {
		t.Errorf("before there is a directory: %v", err)
	}
}

// TestAgentHomeElsewhere: ~/.agent is the agent's own directory, even if that is elsewhere.
func TestAgentHomeElsewhere(t *testing.T) {
	p := newPlace(t)
	own := t.TempDir()
	f := files.New(files.Options{Project: p.path("work"), CWD: p.path("work"), User: p.home,
		Home: own})
	r := f.Reach([]string{"~/.agent/notes/**"}, []string{"~/.agent/notes/**"}, "")
	if err := r.Write(t.Context(), "~/.agent/notes/a.txt", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(own, "notes", "a.txt")); err != nil || string(b) != "x" {
		t.Errorf("got %q, %v", b, err)
	}
	if err := r.Write(t.Context(), filepath.Join(p.home, ".agent", "notes", "a.txt"),
		[]byte("x")); said(err) == "" {
		t.Error("the grant reached another directory of that name")
	}
	if err := r.Write(t.Context(), "~/.agent/scripts/a.lua", nil); said(err) != "denied" {
		t.Errorf("scripts: %v", err)
	}
	if err := r.Write(t.Context(), "~/.agentx/a", nil); said(err) == "" {
		t.Error("another name that begins so was written")
	}
}

// TestHiddenNames: a wildcard of fs.write does not match names that begin with a dot, by any path
// to them.
func TestHiddenNames(t *testing.T) {
	p := newPlace(t)
	for _, name := range []string{"work/.git/hooks/old", "work/.git/config",
		"work/sub/.agent/scripts/x.lua", ".ssh/config", ".config/fish/config.fish",
		"work/src/.envrc"} {
		p.put(name, "old")
	}
	p.link(".git", "work/plain")
	tests := []struct{ grant, path, want string }{
		{"./**", ".git/hooks/pre-commit", "fs.write:./.git/hooks/pre-commit"},
		{"./**", ".git/config", "fs.write:./.git/config"},
		{"./**", "plain/config", "fs.write:./.git/config"},
		{"./plain/**", "plain/config", "fs.write:./.git/config"},
		{"./**", "src/../.git/config", "fs.write:./.git/config"},
		{"./**", ".GIT/config", "fs.write:./.GIT/config"},
		{"./**", "\u200c.git/config", "fs.write:./\u200c.git/config"},
		{"./**", ".agent/scripts/new.lua", "fs.write:./.agent/scripts/new.lua"},
		{"./**", "src/.envrc", "fs.write:./src/.envrc"},
		{"./*", ".envrc", "fs.write:./.envrc"},
		{"./?envrc", ".envrc", "fs.write:./.envrc"},
		{"./[.]envrc", ".envrc", "fs.write:./.envrc"},
		{"./{*,src/*}", ".envrc", "fs.write:./.envrc"},
		{"~/**", "~/.bashrc", "fs.write:~/.bashrc"},
		{"~/**", "~/.config/fish/config.fish", "fs.write:~/.config/fish/config.fish"},
		{"~/**", ".git/config", "fs.write:./.git/config"},
		{"/**", "~/.ssh/config", "fs.write:~/.ssh/config"},
		{"./.git/**", ".git/.x", "fs.write:./.git/.x"},
		{"./.git/**", "sub/.git/config", "fs.write:./sub/.git/config"},
		{"./.git/**", ".git/hooks/pre-commit", ""},
		{"./.g*/**", ".git/config", ""},
		{"./{.git,.envrc}", ".envrc", ""},
		{"./\\.envrc", ".envrc", ""},
		{"**/.agent/**", "sub/.agent/scripts/x.lua", ""},
		{"./src/.*", "src/.envrc", ""},
		{"~/.config/fish/*", "~/.config/fish/config.fish", ""},
		{"./**", "src/b.go", ""},
		{"./**", "src/v1..2.txt", ""},
	}
	for _, tt := range tests {
		r := p.f.Reach(nil, []string{tt.grant}, "")
		for name, do := range map[string]func() error{
			"write":  func() error { return r.Write(t.Context(), tt.path, []byte("mine")) },
			"append": func() error { return r.Append(tt.path, []byte("mine")) },
		} {
			if err := do(); said(err) != tt.want {
				t.Errorf("%s, %s %s: got %v, want %q", tt.grant, name, tt.path, err, tt.want)
			}
		}
	}
	r := p.f.Reach([]string{"./**"}, []string{"./**"}, "")
	p.put("work/hooks/config", "mine")
	for name, err := range map[string]error{"mkdir": r.Mkdir(".git/new"),
		"remove": r.Remove(".git", true), "from": r.Rename(".git", "git"),
		"to": r.Rename("hooks", ".git2")} {
		if !strings.HasPrefix(said(err), "fs.write:./.git") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestWrite(t *testing.T) {
	p := newPlace(t)
	p.link("src/b.go", "work/alias")
	p.link("../secret", "work/out")
	r := p.f.Reach(nil, []string{"./**", "~/new/*/*.md"}, "")
	if err := os.Chmod(p.path("work/src/b.go"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := r.Write(t.Context(), "alias", []byte("new")); err != nil ||
		p.get("work/src/b.go") != "new" {
		t.Errorf("by a link: %v, %s", err, p.get("work/src/b.go"))
	}
	if info, err := os.Stat(p.path("work/src/b.go")); runtime.GOOS != "windows" &&
		(err != nil || info.Mode().Perm() != 0o640) {
		t.Errorf("it has another mode: %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(p.path("work/alias")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is none any more: %v", err)
	}
	if err := r.Write(t.Context(), "out", []byte("x")); said(err) != "fs.write:~/secret" ||
		p.get("secret") != "secret" {
		t.Errorf("by a link out: %v", err)
	}
	if err := r.Write(t.Context(), "~/new/day/x.md", []byte("x")); err != nil ||
		p.get("new/day/x.md") != "x" {
		t.Errorf("with folders: %v", err)
	}
	if err := r.Mkdir("~/new/day/other"); said(err) != "fs.write:~/new/day/other" {
		t.Errorf("a folder that nothing needs: %v", err)
	}
	over, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("over"))
	if err := r.Write(over, "a.txt", []byte("late")); err == nil || p.get("work/a.txt") != "a" {
		t.Errorf("after the end: %v", err)
	}
	left, err := filepath.Glob(p.path("work/.new-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestRemoveAndRename(t *testing.T) {
	p := newPlace(t)
	p.link("../notes", "work/notes")
	p.link("deep", "work/src/alias")
	some := p.f.Reach([]string{"./**"}, []string{"./*", "~/secret"}, "")
	all := p.f.Reach(nil, []string{"./**"}, "")
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"a folder of which not all is granted", some.Remove("src", true), "fs.write:./src/**"},
		{"the same, renamed", some.Rename("src", "src2"), "fs.write:./src/**"},
		{"what cannot be read", some.Rename("~/secret", "mine"), "fs.read:~/secret"},
		{"a place that is not granted", some.Rename("a.txt", "src/a.txt"), "fs.write:./src/a.txt"},
		{"a full folder", all.Remove("src", false), "not_empty"},
		{"where the grant begins", all.Remove(".", true), "denied"},
		{"a link to a folder", all.Remove("notes", true), ""},
		{"a link, renamed", all.Rename("src/alias", "alias"), ""},
		{"across folders", all.Rename("a.txt", "src/new/a.txt"), ""},
		{"a folder", all.Rename("src", "code"), ""},
		{"all of a folder", all.Remove("code", true), ""},
	}
	for _, tt := range tests {
		if got := said(tt.err); got != tt.want {
			t.Errorf("%s: got %q (%v), want %q", tt.name, got, tt.err, tt.want)
		}
	}
	if p.get("notes/n.md") != "n" {
		t.Error("what a link leads to was removed")
	}
	if to, err := os.Readlink(p.path("work/alias")); err != nil || to != "deep" {
		t.Errorf("the link: %s, %v", to, err)
	}
}

func TestLimits(t *testing.T) {
	p := newPlace(t)
	r := p.f.Reach([]string{"./**"}, []string{"./**"}, "")
	large := bytes.Repeat([]byte("x"), files.MaxRead+1)
	if err := r.Write(t.Context(), "large", large); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read("large", files.Part{}); said(err) != files.TooLarge {
		t.Errorf("read: %v", err)
	}
	if b, err := r.Read("large", files.Part{Offset: files.MaxRead - 1, Limit: 10}); err != nil ||
		string(b) != "xx" {
		t.Errorf("a part: %d bytes, %v", len(b), err)
	}
	if _, err := r.Lines(t.Context(), "large", files.Part{}); said(err) != files.TooLarge {
		t.Errorf("one line: %v", err)
	}
	p.put("work/lines", strings.Repeat("\n", files.MaxLines+1))
	if _, err := r.Lines(t.Context(), "lines", files.Part{}); said(err) != files.TooLarge {
		t.Errorf("lines: %v", err)
	}
	if l, err := r.Lines(t.Context(), "lines", files.Part{Offset: files.MaxLines - 1,
		Limit: 5}); err != nil || len(l) != 2 {
		t.Errorf("some lines: %d, %v", len(l), err)
	}
	for i := range 5 {
		p.put(filepath.Join("work/many", string(rune('a'+i))), "")
	}
	if found, err := r.Find(t.Context(), "many/*", false, 3); err != nil || len(found) != 3 {
		t.Errorf("found %v, %v", found, err)
	}
}

// TestExchangedFolder: a folder is replaced by a link to a folder outside between check and use.
// Nothing outside is read or written.
func TestExchangedFolder(t *testing.T) {
	ops := map[string]func(r *files.Reach) (string, error){
		"read": func(r *files.Reach) (string, error) {
			b, err := r.Read("dir/f", files.Part{})
			return string(b), err
		},
		"lines": func(r *files.Reach) (string, error) {
			l, err := r.Lines(context.Background(), "dir/f", files.Part{})
			return strings.Join(l, ""), err
		},
		"list": func(r *files.Reach) (string, error) {
			l, err := r.List("dir")
			return fmt.Sprint(l), err
		},
		"find": func(r *files.Reach) (string, error) {
			l, err := r.Find(context.Background(), "dir/*", false, 0)
			return fmt.Sprint(l), err
		},
		"stat": func(r *files.Reach) (string, error) {
			i, err := r.Stat("dir/f")
			return fmt.Sprint("outside ", i.Size), err
		},
		"write": func(r *files.Reach) (string, error) {
			return "outside", r.Write(context.Background(), "dir/f", []byte("mine"))
		},
		"append": func(r *files.Reach) (string, error) {
			return "outside",
				r.Append("dir/f", []byte("mine"))
		},
		"mkdir": func(r *files.Reach) (string, error) { return "outside", r.Mkdir("dir/made") },
		"remove": func(r *files.Reach) (string, error) {
			return "outside",
				r.Remove("dir/f", true)
		},
		"from": func(r *files.Reach) (string, error) {
			return "outside",
				r.Rename("dir/f", "taken")
		},
		"to": func(r *files.Reach) (string, error) {
			return "outside",
				r.Rename("a.txt", "dir/f")
		},
	}
	for name, op := range ops {
		for _, link := range []string{"../outside", "relative", "absolute"} {
			p := newPlace(t)
			p.put("work/dir/f", "inside")
			p.put("outside/f", "outside")
			p.put("outside/outside", "")
			p.put("work/closed/f", "outside")
			p.put("work/closed/outside", "")
			// which is below the anchor, and not granted
			to := map[string]string{"absolute": p.path("outside"), "relative": "closed"}[link]
			if to == "" {
				to = link
			}
			p.f.Looked(func() {
				p.f.Looked(nil)
				if err := os.Rename(p.path("work/dir"), p.path("work/aside")); err != nil {
					t.Error(err)
				}
				p.link(to, "work/dir")
			})
			grants := []string{"./dir/**", "./a.txt", "./taken"}
			if got, err := op(p.f.Reach(grants, grants, "")); err == nil &&
				strings.Contains(got, "outside") {
				t.Errorf("%s, %s: got %q", name, to, got)
			}
			for _, dir := range []string{"outside", "work/closed"} {
				left, err := os.ReadDir(p.path(dir))
				if err != nil || len(left) != 2 || p.get(dir+"/f") != "outside" {
					t.Errorf("%s: in %s there is %v, %v", name, dir, left, err)
				}
			}
		}
	}
}

// TestProtectedNames: files of other packages in the agent's directory are protected.
func TestProtectedNames(t *testing.T) {
	home := t.TempDir()
	for _, path := range []string{trust.New(home, nil).Path(), session.Dir(home, "/project"),
		filepath.Join(home, "permissions.json"), audit.Dir(home),
		filepath.Join(home, "config.toml"), filepath.Join(home, "scripts"),
		filepath.Join(home, "state", "good")} {
		rel, err := filepath.Rel(home, path)
		first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		if err != nil || !files.Protected(first) {
			t.Errorf("%s is not protected: %v", rel, err)
		}
	}
	for _, name := range []string{"AGENTS.md", "agents", "statement.md", "store-notes"} {
		if files.Protected(name) {
			t.Errorf("%s is protected", name)
		}
	}
}
