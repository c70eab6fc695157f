package tool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/nolink"
)

func grepTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.go":               "package a\n\nfunc One() {}\nfunc Two() {}\n",
		"b/c.go":             "package c\r\nfunc Three() {}\r\n",
		"b/d.txt":            "one Two three\nno newline at the end: func",
		"b/deep/e.go":        "func deep() {}\n",
		".hidden":            "func hidden\n",
		"bin":                "func\x00binary\n",
		"long":               strings.Repeat("x", 5000) + "func" + strings.Repeat("é", 5000) + "\n",
		"latin":              "caf\xe9 func\n",
		".git/config":        "func git\n",
		".gitignore":         "ignored/\n*.log\n!kept.log\n",
		"x.log":              "func log\n",
		"kept.log":           "func kept\n",
		"ignored/f":          "func ignored\n",
		"context":            "1\n2\n3 hit\n4\n5\n6\n7 hit\n8 hit\n9\n10\n11\n12\n",
		"ignored/inner/g.go": "func inner\n",
	} {
		put(t, dir, name, content)
	}
	if runtime.GOOS != "windows" {
		for link, to := range map[string]string{"loop": ".", "b/up": "..", "gone": "nowhere"} {
			if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func TestGrep(t *testing.T) {
	t.Parallel()
	dir := grepTree(t)
	m := func(pairs ...any) map[string]any {
		args := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			args[pairs[i].(string)] = pairs[i+1]
		}
		return args
	}
	tests := []struct {
		name string
		args map[string]any
		want string
	}{
		{"literal", m("pattern", "func One"), "a.go:3:func One() {}"},
		{"order and what is left out", m("pattern", "^func [a-z]+"),
			".hidden:1:func hidden\nb/deep/e.go:1:func deep() {}\nkept.log:1:func kept"},
		{"end of a line", m("pattern", `\}$`, "path", "b"),
			"b/c.go:2:func Three() {}\nb/deep/e.go:1:func deep() {}"},
		{"without a newline", m("pattern", "func$"),
			"b/d.txt:2:no newline at the end: func\nlatin:1:caf\uFFFD func"},
		{"case", m("pattern", "two", "ignore_case", true),
			"a.go:4:func Two() {}\nb/d.txt:1:one Two three"},
		{"glob", m("pattern", "func", "glob", "*.go", "path", "b"),
			"b/c.go:2:func Three() {}\nb/deep/e.go:1:func deep() {}"},
		{"glob with a slash", m("pattern", "func", "glob", "b/*.go"), "b/c.go:2:func Three() {}"},
		{"glob with **", m("pattern", "func", "glob", "b/**/*.go"),
			"b/c.go:2:func Three() {}\nb/deep/e.go:1:func deep() {}"},
		{"glob with !", m("pattern", "func", "glob", "!*.{go,log}", "path", "b"),
			"b/d.txt:2:no newline at the end: func"},
		{"one file", m("pattern", "log", "path", "x.log"), "x.log:1:func log"},
		{"an ignored directory by name", m("pattern", "func", "path", "ignored"),
			"ignored/f:1:func ignored\nignored/inner/g.go:1:func inner"},
		{"absolute", m("pattern", "One", "path", filepath.Join(dir, "a.go")),
			"a.go:3:func One() {}"},
		{"no match", m("pattern", "nothing like it"), "[no matches]"},
		{"no match over lines", m("pattern", `\(\) \{\}\s+func`), "[no matches]"},
		{"a class takes no end of line", m("pattern", `a[^z]+One`), "[no matches]"},
		{"empty lines", m("pattern", "^$", "path", "a.go"), "a.go:2:"},
		{"matches the empty text", m("pattern", "x*", "path", "a.go"),
			"a.go:1:package a\na.go:2:\na.go:3:func One() {}\na.go:4:func Two() {}"},
		{"context", m("pattern", "hit", "path", "context", "context", 1.0),
			"context-2-2\ncontext:3:3 hit\ncontext-4-4\n--\ncontext-6-6\ncontext:7:7 " +
				"hit\ncontext:8:8 hit\ncontext-9-9"},
		{"wide context", m("pattern", "1$", "path", "context", "context", 20.0),
			"~context:1:1\ncontext-2-2\n"},
		{"context of two files", m("pattern", "One|Three", "context", 1.0, "glob", "*.go"),
			"a.go-2-\na.go:3:func One() {}\na.go-4-func Two() {}\n--\nb/c.go-1-package " +
				"c\nb/c.go:2:func Three() {}"},
		{"limit", m("pattern", "hit", "path", "context", "limit", 2.0),
			"context:3:3 hit\ncontext:7:7 hit\n[these are the first 2 matches, in the order of " +
				"paths; there are more: narrow path, glob or pattern, or raise limit]"},
		{"limit over files", m("pattern", "func", "limit", 2.0),
			"~.hidden:1:func hidden\na.go:3:func One() {}\n[these are the first 2"},
		{"limit just enough", m("pattern", "hit", "path", "context", "limit", 3.0),
			"context:3:3 hit\ncontext:7:7 hit\ncontext:8:8 hit"},
		{"long line", m("pattern", "func", "path", "long"), "~xxxfuncéé"},
		{"binary", m("pattern", "func", "path", "bin"), "[no matches]"},
		{"bad pattern", m("pattern", "func("), "!pattern: missing closing ): func("},
		{"look-around", m("pattern", "(?=x)"), "!no look-around"},
		{"newline", m("pattern", `a\nb`), "!matches in no line"},
		{"empty", m("pattern", ""), `!pattern: got ""`},
		{"bad glob", m("pattern", "x", "glob", "[a"), "!glob: [a is no pattern"},
		{"many choices", m("pattern", "x", "glob", strings.Repeat("{a,b}", 20)), "!too many {...}"},
		{"missing", m("pattern", "x", "path", "bb"), "!no such file or directory"},
		{"home", m("pattern", "x", "path", "~/x"), "!~ is not expanded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { expect(t, call(t, dir, "grep", tt.args), tt.want) })
	}
	if got := text(call(t, dir, "grep", m("pattern", "func", "path", "long"))); len(
		got) > 2*hitBytes || strings.Contains(got, "\uFFFD") ||
		!strings.Contains(got, "[15004 bytes in this line]") {
		t.Errorf("got %d bytes: %s", len(got), got)
	}
}

// TestGrepIsTheSameEachTime searches a tree with many more matches than the limit, and expects the
// same result each time.
func TestGrepIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 200 {
		put(t, dir, fmt.Sprintf("d%d/f%03d", i%7, i), "hit\nhit\n")
	}
	want := ""
	for range 5 {
		got := text(call(t, dir, "grep", map[string]any{"pattern": "hit", "limit": 7.0}))
		if want == "" {
			want = got
		}
		if got != want ||
			!strings.HasPrefix(got, "d0/f000:1:hit\nd0/f000:2:hit\nd0/f007:1:hit\n") ||
			strings.Count(got, ":hit") != 7 {
			t.Fatalf("got %s, before %s", got, want)
		}
	}
}

// TestGrepBlocks finds matches and their context at the edges of blocks.
func TestGrepBlocks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	line := strings.Repeat("x", 62) + "\n" // 63 bytes: a length that does not divide the block size
	n := 3*blockBytes/len(line) + 7
	var b strings.Builder
	for i := range n {
		if i%5000 == 4999 {
			b.WriteString("needle\n")
		} else {
			b.WriteString(line)
		}
	}
	put(t, dir, "f", b.String())
	for _, c := range []int{0, 1, 3} {
		got := text(call(t, dir, "grep", map[string]any{"pattern": "need.e",
			"context": float64(c)}))
		want := oracle(b.String(), "f", regexp.MustCompile("need.e"), c)
		if got != want {
			t.Errorf("context %d: got\n%s\nwant\n%s", c, got, want)
		}
	}
	put(t, dir, "f", strings.Repeat("y", 3*blockBytes)+"needle\nneedle\n")
	// only the part of the long line that is in the block
	expect(t, call(t, dir, "grep", map[string]any{"pattern": "needle"}), "f:1:needle\nf:2:needle")
}

// oracle implements grep -n -C, the slow way.
func oracle(content, name string, re *regexp.Regexp, around int) string {
	var lines []string
	in := bufio.NewScanner(strings.NewReader(content))
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		lines = append(lines, in.Text())
	}
	var out []string
	last := -1
	for i, l := range lines {
		near := false
		for k := max(0, i-around); k <= min(len(lines)-1, i+around); k++ {
			near = near || re.MatchString(lines[k])
		}
		if !near {
			continue
		}
		if around > 0 && last >= 0 && i > last+1 {
			out = append(out, "--")
		}
		sign := "-"
		if re.MatchString(l) {
			sign = ":"
		}
		out = append(out, fmt.Sprintf("%s%s%d%s%s", name, sign, i+1, sign, l))
		last = i
	}
	if out == nil {
		return "[no matches]"
	}
	return strings.Join(out, "\n")
}

// FuzzSearch compares the search of blocks with a search line by line.
func FuzzSearch(f *testing.F) {
	for _, p := range []string{"a", "^a", "a$", "^$", "a*", "[^b]", `\s`, "a|b", `\bab\b`, "(ab)+c",
		"x{2,3}", `\z`, `\A`, "(?s).", "[^a]*b", "$"} {
		f.Add(p, "a\nab\n\nb a\r\nabc\n\n", 1)
	}
	f.Fuzz(func(t *testing.T, pattern, content string, around int) {
		find, err := newLineSearch(pattern, false)
		if err != nil || strings.ContainsAny(content, "\x00\r") ||
			strings.ContainsRune(content, '\uFFFD') || strings.ToValidUTF8(content, "") != content {
			return
		}
		re, err := regexp.Compile("(?m)" + pattern)
		if err != nil || strings.Contains(pattern, "(?-") { // flags that change where lines end
			return
		}
		around = max(0, min(around, 3))
		s := &searcher{find: find, context: around, most: 1 << 30}
		got, ends, err := s.file(context.Background(), strings.NewReader(content), "f")
		if err != nil {
			t.Fatal(err)
		}
		if got = strings.TrimSuffix(got, "\n"); len(ends) == 0 {
			got = "[no matches]"
		}
		if want := oracle(content, "f", re, around); got != want && len(content) < hitBytes {
			t.Errorf("%q in %q: got\n%s\nwant\n%s", pattern, content, got, want)
		}
	})
}

func TestGlob(t *testing.T) {
	t.Parallel()
	dir := grepTree(t)
	now := time.Now()
	// the first one is the newest
	for i, name := range []string{"b/deep/e.go", "a.go", "b/c.go", "context"} {
		when := now.Add(-time.Duration(i) * time.Hour)
		if err := os.Chtimes(filepath.Join(dir, name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct{ pattern, path, want string }{
		{"**/*.go", "", "b/deep/e.go\na.go\nb/c.go"},
		{"*.go", "", "a.go"},
		{"*.go", "b", "b/c.go"},
		{"b/*.go", "", "b/c.go"},
		{"b/**", "", "~b/deep/e.go"},
		{"**/{e,c}.go", "b", "b/deep/e.go\nb/c.go"},
		{filepath.ToSlash(dir) + "/b/*.go", "", "b/c.go"},
		{"*/deep/?.go", "", "b/deep/e.go"},
		{"a.go", "", "a.go"},
		{"ignored/*", "", "ignored/f"},
		{"**/g.go", "", "[no files fit]"}, // ignored
		{"**/config", "", "[no files fit]"},
		{"*.log", "", "kept.log"},
		{"nowhere/*", "", "!no such file"},
		{"a.go/*", "", "!is not a directory"},
		{"[", "", "!is no pattern"},
		{"", "", `!got ""`},
	}
	for _, tt := range tests {
		args := map[string]any{"pattern": tt.pattern}
		if tt.path != "" {
			args["path"] = tt.path
		}
		t.Run(tt.pattern, func(t *testing.T) { expect(t, call(t, dir, "glob", args), tt.want) })
	}
	many := t.TempDir()
	for i := range globShown + 3 {
		put(t, many, fmt.Sprintf("f%d", i), "")
	}
	expect(t, call(t, many, "glob", map[string]any{"pattern": "*"}),
		"~\n[3 more: ask for less at a time]")
}

func TestSearchIsCancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "f", "x\n")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(&engine.SkipError{Cause: "aborted", Text: "not run: enough"})
	for name, args := range map[string]map[string]any{"grep": {"pattern": "x"},
		"glob": {"pattern": "**"}, "ls": {}, "read": {"path": "f"}} {
		if r := callContext(ctx, t, dir, name, args, nil); r.IsError &&
			text(r) != "not run: enough" {
			t.Errorf("%s: got %s", name, text(r))
		}
	}
	w := &walk{root: dir}
	if _, err := w.search(ctx); err == nil || err.Error() != "not run: enough" {
		t.Errorf("got %v", err)
	}
}

// bigTree returns a tree with 100,000 files in 1,000 directories. A third of the files are ignored;
// one line in each tenth file matches.
func bigTree(b *testing.B) string {
	b.Helper()
	if testing.Short() {
		b.Skip("creating 100,000 files takes long")
	}
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("build/\n*.o\n/tmp\n!keep.o\n"),
		0o600); err != nil {
		b.Fatal(err)
	}
	// for programs that need a repository
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
		b.Fatal(err)
	}
	body := strings.Repeat("func something(a, b int) (int, error) { return a + b, nil }\n", 30)
	for d := range 1000 {
		sub := filepath.Join(dir, fmt.Sprintf("m%02d", d%40), fmt.Sprintf("p%03d", d))
		if d%10 == 0 {
			sub = filepath.Join(sub, "build")
		}
		if err := os.MkdirAll(sub, 0o700); err != nil {
			b.Fatal(err)
		}
		for f := range 100 {
			ext, extra := "go", ""
			if f%4 == 0 {
				ext = "o"
			}
			if f%10 == 3 {
				extra = "// the needle is here\n"
			}
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("f%02d.%s", f, ext)),
				[]byte(body+extra), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	return dir
}

// BenchmarkSearch measures grep and glob in a tree of 100,000 files.
func BenchmarkSearch(b *testing.B) {
	dir := bigTree(b)
	o := Options{}
	for _, bb := range []struct {
		name string
		tool *engine.Tool
		args map[string]any
	}{
		{"grep literal", grepTool(o), map[string]any{"pattern": "needle is nowhere"}},
		{"grep expression", grepTool(o), map[string]any{"pattern": `needle\s+is\s+(no)where`}},
		{"grep slow expression", grepTool(o), map[string]any{"pattern": `[a-z]+zzz\d`}},
		{"grep many matches", grepTool(o), map[string]any{"pattern": "needle"}},
		{"grep one kind", grepTool(o), map[string]any{"pattern": "nowhere", "glob": "f77.go"}},
		{"glob", globTool(o), map[string]any{"pattern": "**/f77.go"}},
		{"glob all", globTool(o), map[string]any{"pattern": "**"}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := bb.tool.Run(context.Background(),
					&engine.Use{Args: bb.args, Env: &event.Envelope{CWD: dir}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestFlipsDuringAWalk: a folder or a file that is replaced with a link while a search is under way
// is not read through it.
func TestFlipsDuringAWalk(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "secret/f", "in secret")
	put(t, dir, "at/sub/f", "in sub")
	put(t, dir, "at/g", "in at")
	at, err := searched("grep", &engine.Use{}, filepath.Join(dir, "at"))
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	flip := func(name, to string) {
		path := filepath.Join(at.path, name)
		if err := os.Rename(path, filepath.Join(dir, name+".old")); err != nil {
			t.Error(err)
		}
		if err := os.Symlink(to, path); err != nil {
			t.Error(err)
		}
	}
	w := &walk{root: at.path, tree: at.tree}
	w.enter = func(rel string) bool { // it has been listed, and is opened next
		flip(rel, "../secret")
		return true
	}
	w.visit = func(_ int, rel string, e fs.DirEntry) {
		if e.Type()&fs.ModeSymlink != 0 { // listed after it was replaced
			return
		}
		if rel != "g" {
			t.Errorf("%s was visited", rel)
		}
		flip("g", "../secret/f")
		if f, err := at.tree.Open(rel); !errors.Is(err, nolink.ErrMoved) {
			t.Errorf("%s was opened: %v, %v", rel, f, err)
		}
	}
	note, err := w.search(t.Context())
	if err != nil || note != "[1 directories could not be read]\n" {
		t.Errorf("got %q, %v", note, err)
	}
}
