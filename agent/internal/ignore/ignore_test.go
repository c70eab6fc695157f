package ignore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// repo creates files in a new directory.
func repo(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func exists(dir string) func(string) bool {
	return func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
}

// ignored walks from root to path, and reports whether path is ignored.
func ignored(root, path string, user []string) bool {
	rules := Above(root, user).Enter(root, exists(root), user)
	at := root
	parts := strings.Split(path, "/")
	for i, part := range parts {
		at = filepath.Join(at, part)
		st, err := os.Stat(at)
		isDir := i < len(parts)-1 || err == nil && st.IsDir()
		if rules.Ignored(at, isDir) {
			return true
		}
		if isDir {
			rules = rules.Enter(at, exists(at), user)
		}
	}
	return false
}

var patterns = []string{"foo", "*.o", "/foo", "foo/", "a/b", "a/", "/a/b/", "**/foo", "a/**",
	"a/**/foo", "**/b/", "!foo", "*", "!*.go", "/*", "!/a", "a/*", "?oo", "[fg]oo",
	"[!f]oo", "[^f]oo", "[a-f]*", "f[o-o]o", `\!x`, `\#y`, "#c", "foo ", `foo\ `, "  ", "", "/",
	"!", "**", "a**", "**.o", "a/**b", "f*o", "*o*o*", "[", "[a", "x]", `foo\`, `f\oo`, "[]]x",
	"[!]]x", "[[:alpha:]]oo", "[[:digit:]]", "[[:nope:]]x", "[a-", "a//b", "*/foo", "*/*.o", "é*",
	"a/b/", "b/**/", "***", "/**", "/**/foo", "foo/**/", "[+-0]b", "{a,b}", "a?b", "[z-a]", "x[",
	"*.", ".*", "!.*", `a\/b`, `\*`, "a/***/foo", "[]-a]x", `[\]]x`, `[\\]`}

var paths = []string{"foo", "a/foo", "a/b/foo", "foo/x", "x.o", "a/x.o", "a/b", "a", "b",
	"a/b/c/foo", "goo", "hoo", "!x", "#y", "#c", "foo ", "a/xb", "abc", "f/o", "]x", "x]", "5",
	"éa", "é", "a/c/b/foo", "x.go", ".x", "a/.x", "*", "]", "x", `\`, "-x"}

// TestPatternsMatchLikeGit compares single patterns, and files of several, with git.
func TestPatternsMatchLikeGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	r := rand.New(rand.NewPCG(1, 2))
	files := slices.Clone(patterns)
	for range 150 {
		var lines []string
		for range 2 + r.IntN(4) {
			p := patterns[r.IntN(len(patterns))]
			if r.IntN(4) == 0 && !strings.HasPrefix(p, "!") {
				p = "!" + p
			}
			lines = append(lines, p)
		}
		files = append(files, strings.Join(lines, "\n"))
	}
	files = append(files, "foo\r\n*.o\r\n", "\uFEFFfoo\n", "foo\t")
	dir := repo(t, map[string]string{"a/b/x": "", "b/x": ""}) // a, a/b and b are directories
	run(t, git, dir, "", "init", "-q")
	for _, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		compare(t, git, dir, fmt.Sprintf("%q", text))
	}
}

// compare compares the results of git and of this package for all paths.
func compare(t *testing.T, git, dir, what string) {
	t.Helper()
	out := run(t, git, dir, strings.Join(paths, "\x00"), "check-ignore", "--no-index", "-z",
		"--stdin")
	want := map[string]bool{}
	for _, p := range strings.Split(out, "\x00") {
		want[p] = true
	}
	for _, p := range paths {
		if got := ignored(dir, p, nil); got != want[p] {
			t.Errorf("%s: %q: got %v, git says %v", what, p, got, want[p])
		}
	}
}

func run(t *testing.T, git, dir, stdin string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, git, args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"XDG_CONFIG_HOME="+dir, "HOME="+dir)
	out, err := cmd.Output()
	// exit code 1 means that no path is ignored
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

func TestLevels(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := repo(t, map[string]string{
		".gitignore": "*.o\n/b/\n", "a/.gitignore": "!x.o\nfoo\n", "a/b/.gitignore": "!foo\n*.go\n",
		"b/.gitignore": "!*\n"})
	run(t, git, dir, "", "init", "-q")
	if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"),
		[]byte("abc\n!x.o\ngoo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	compare(t, git, dir, "levels")
}

func TestRepositories(t *testing.T) {
	dir := repo(t, map[string]string{
		"user":                      "mine\n!kept.log\n",
		"outer/.gitignore":          "*.log\n", // above the repository: does not apply
		"outer/r/.git/info/exclude": "out\n",
		"outer/r/.gitignore":        "build/\n*.tmp\n",
		// a separate repository
		"outer/r/sub/.git":                      "gitdir: ../.git/modules/sub\n",
		"outer/r/.git/modules/sub/info/exclude": "subout\n",
		"tree/.git":                             "gitdir: " + "../outer/r/.git/worktrees/tree\n",
		"outer/r/.git/worktrees/tree/commondir": "../..\n",
		"plain/.gitignore":                      "x\n",
	})
	user := []string{filepath.Join(dir, "user"), filepath.Join(dir, "nowhere")}
	tests := []struct {
		root, path string
		want       bool
	}{
		{"outer/r", "a.log", false},
		{"outer/r", "mine", true},
		{"outer/r", "out", true},
		{"outer/r", "build/x", true},
		{"outer/r/deep/er", "x.tmp", true}, // rules from above the walk
		{"outer/r/build", "x", false},      // asked for by name
		{"outer/r/build", "x.tmp", true},
		{"outer/r", "sub/x.tmp", false},
		{"outer/r", "sub/subout", true},
		{"outer/r", "sub/out", false},
		{"tree", "out", true}, // a worktree has the exclude of its repository
		{"plain", "x", true},  // without a repository
		{"plain", "mine", false},
		{"outer", "r/a.log", false},
		{"outer", "a.log", true},
	}
	for _, tt := range tests {
		if got := ignored(filepath.Join(dir, tt.root), tt.path, user); got != tt.want {
			t.Errorf("%s: %s: got %v", tt.root, tt.path, got)
		}
	}
}

func TestUserFiles(t *testing.T) {
	for _, tt := range [][3]string{{"/h", "", filepath.FromSlash("/h/.config/git/ignore")},
		{"/h", "/c", filepath.FromSlash("/c/git/ignore")}, {"", "", ""}} {
		if got := strings.Join(UserFiles(tt[0], tt[1]), " "); got != tt[2] {
			t.Errorf("got %s, want %s", got, tt[2])
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range patterns {
		f.Add(p, "a/b/foo")
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		var r *Rules
		r = r.Parse("/r", []byte(text))
		_ = r.Ignored("/r/"+path, true)
		for line := range strings.SplitSeq(text, "\n") {
			if x, ok := parseLine(line); ok && x.how == expression && x.re == nil {
				t.Errorf("%q: no expression", line)
			}
		}
	})
}

// TestSlowPatternsAreIgnored checks that lines that are slow to match are ignored.
func TestSlowPatternsAreIgnored(t *testing.T) {
	for _, line := range []string{strings.Repeat("[[:", fileBytes/3),
		strings.Repeat("*a", fileBytes/2), strings.Repeat("x", lineBytes+1)} {
		text := "*.log\n" + line[:min(len(line), fileBytes-20)] + "\n*.tmp\n"
		r := (*Rules)(nil).Parse("/r", []byte(text))
		if !r.Ignored("/r/a.log", false) || !r.Ignored("/r/a.tmp", false) ||
			r.Ignored("/r/"+line, false) {
			t.Errorf("%.9q: want only the lines around it", line)
		}
	}
}
