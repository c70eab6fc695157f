package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/subject"
)

func testOptions(t *testing.T) Options {
	t.Helper()
	jobs := NewJobs()
	t.Cleanup(jobs.Close)
	return Options{Output: output.New(t.TempDir()), Jobs: jobs}
}

// call runs a built-in tool in dir. It converts an error to a result, as the dispatcher does.
func call(t *testing.T, dir, name string, args map[string]any) *engine.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return callContext(ctx, t, dir, name, args, nil)
}

func callContext(ctx context.Context, t *testing.T, dir, name string, args map[string]any,
	report func(string, bool)) *engine.Result {
	t.Helper()
	return callWith(ctx, t, testOptions(t), dir, name, args, report)
}

func callWith(ctx context.Context, t *testing.T, o Options, dir, name string, args map[string]any,
	report func(string, bool)) *engine.Result {
	t.Helper()
	for _, b := range Builtin(o) {
		if b.Name == name {
			r, err := b.Run(ctx, &engine.Use{Args: args, Env: &event.Envelope{CWD: dir},
				Heard: report})
			if err != nil {
				return engine.ErrorResult(err.Error())
			}
			return r
		}
	}
	t.Fatalf("no tool %s", name)
	return nil
}

func text(r *engine.Result) string { return chat.PlainText(r.Content) }

func put(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func get(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestBuiltinsAreWellFormed(t *testing.T) {
	t.Parallel()
	want := map[string]string{ // kind, and whether it only reads
		"read":  "read true",
		"write": "edit false",
		"edit":  "edit false",
		"bash":  "execute false",
		"job":   "read true",
		"grep":  "search true",
		"glob":  "search true",
		"ls":    "read true",
		"fetch": "other false",
		"skill": "read true",
		"agent": "agent true",
	}
	for _, b := range append(Builtin(testOptions(t)), Skill(nil), Agent(nil)) {
		checkSubject(t, b)
		if got := fmt.Sprint(b.Kind, " ", b.ReadOnly); got != want[b.Name] {
			t.Errorf("%s: got %s, want %s", b.Name, got, want[b.Name])
		}
		delete(want, b.Name)
		checkSchema(t, b.Name, b.Schema)
		if b.Description == "" || b.Source != "builtin" {
			t.Errorf("%s: got description %q, source %q", b.Name, b.Description, b.Source)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// checkSubject checks that a tool describes the subject of its calls, by arguments that it has.
func checkSubject(t *testing.T, tool *engine.Tool) {
	t.Helper()
	s := tool.Subject
	if s == nil {
		t.Errorf("%s: no Subject: the files that it touches would be guessed", tool.Name)
		return
	}
	properties := tool.Schema["properties"].(map[string]any)
	args := []string{s.Arg, s.Dir, s.Filter}
	for _, p := range s.Title {
		args = append(args, p.Arg)
	}
	for _, arg := range args {
		if arg != "" && properties[arg] == nil {
			t.Errorf("%s: its Subject names the argument %s, which it does not have", tool.Name,
				arg)
		}
	}
	if (s.Kind == "") != (s.Arg == "") || len(s.Title) == 0 {
		t.Errorf("%s: got %+v, want a kind with its argument, and a title", tool.Name, s)
	}
	if s.Writes == tool.ReadOnly && s.Kind == subject.Path {
		t.Errorf("%s: it writes %v, and only reads %v", tool.Name, s.Writes, tool.ReadOnly)
	}
}

// checkSchema checks that no object allows unknown keys and that every property has a description.
func checkSchema(t *testing.T, at string, schema map[string]any) {
	if schema["type"] == "object" && schema["additionalProperties"] != false {
		t.Errorf("%s: additionalProperties is not false", at)
	}
	props, _ := schema["properties"].(map[string]any)
	for k, p := range props {
		m := p.(map[string]any)
		if m["description"] == "" || m["description"] == nil {
			t.Errorf("%s.%s: no description", at, k)
		}
		if items, ok := m["items"].(map[string]any); ok {
			checkSchema(t, at+"."+k, items)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "a.txt", "one\ntwo\nthree\nfour")
	put(t, dir, "empty", "")
	put(t, dir, "bin", "ab\x00cd")
	put(t, dir, "latin", "caf\xe9\n")
	put(t, dir, "long", strings.Repeat("x", readLineBytes+7)+"\nnext\n")
	put(t, dir, "wider", "a"+strings.Repeat("é", 100_000)+"\nnext")
	put(t, dir, "longest", strings.Repeat("x", readLineBytes)+"\nnext")
	put(t, dir, "wide", strings.Repeat("é", readLineBytes)+"\n") // cut between characters
	put(t, dir, "crlf", "one\r\ntwo\r\n")
	put(t, dir, "mixed", "one\r\ntwo\nthree")
	if err := os.Truncate(put(t, dir, "large.png", "\x89PNG\x0d\x0a\x1a\x0a"), 10<<20); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "many", strings.Repeat("line\n", readLines+5))
	put(t, dir, "cut.png", "\x89PNG\x0d\x0a\x1a\x0a")
	put(t, dir, "wide.gif", "GIF89a\x41\x1f\x01\x00\x00\x00\x00;")
	if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil &&
		runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	put(t, dir, "fat", strings.Repeat(strings.Repeat("y", 999)+"\n", 200))
	tests := []struct {
		name string
		args map[string]any
		want string // "~x": contains x; "!x": fails and contains x
	}{
		{"all", map[string]any{"path": "a.txt"}, "one\ntwo\nthree\nfour"},
		{"absolute", map[string]any{"path": filepath.Join(dir, "a.txt")}, "one\ntwo\nthree\nfour"},
		{"part", map[string]any{"path": "a.txt", "offset": 2.0, "limit": 2.0},
			"two\nthree\n[lines 2 to 3; more follow: read on with offset = 4]"},
		{"to the end", map[string]any{"path": "a.txt", "offset": 4.0, "limit": 9.0}, "four"},
		{"behind the end", map[string]any{"path": "a.txt", "offset": 9.0}, "!the file has 4 lines"},
		{"empty", map[string]any{"path": "empty"}, "[empty file]"},
		{"binary", map[string]any{"path": "bin"}, "!binary file of 5 bytes"},
		{"not UTF-8", map[string]any{"path": "latin"},
			"caf\uFFFD\n[1 bytes are not UTF-8, and shown as \uFFFD]"},
		{"CRLF", map[string]any{"path": "crlf"},
			"one\ntwo\n[the lines of this file end with \\r\\n; edit keeps that]"},
		{"mixed line ends", map[string]any{"path": "mixed"},
			"one\ntwo\nthree\n[1 of these lines end with \\r\\n, the others with \\n]"},
		{"large image", map[string]any{"path": "large.png"},
			"!the image has 10.0 MB, and 3.8 MB are the most"},
		{"long line", map[string]any{"path": "long"},
			strings.Repeat("x", readLineBytes) + "[cut: 7 more bytes in this line]\nnext\n"},
		{"very long line", map[string]any{"path": "wider"},
			"a" + strings.Repeat("é", 999) + "[cut: 198002 more bytes in this line]\nnext"},
		{"line of the longest", map[string]any{"path": "longest"},
			strings.Repeat("x", readLineBytes) + "\nnext"},
		{"many lines", map[string]any{"path": "many"},
			fmt.Sprintf("~read on with offset = %d]", readLines+1)},
		{"many bytes", map[string]any{"path": "fat"}, "~read on with offset = 53]"},
		{"directory", map[string]any{"path": "."}, "!is a directory; use ls"},
		{"missing", map[string]any{"path": "a.tx"},
			`!no such file or directory; did you mean "a.txt"?`},
		{"home", map[string]any{"path": "~/x"}, "!~ is not expanded"},
		{"a huge offset", map[string]any{"path": "a.txt", "offset": 1e20}, "!the file has 4 lines"},
		{"a huge limit", map[string]any{"path": "a.txt", "offset": 4.0, "limit": 1e300}, "four"},
		{"NUL", map[string]any{"path": "a\x00b"}, `!path: "a\x00b" has a NUL byte in it`},
		{"a dangling link", map[string]any{"path": "link"},
			"!no such file or directory: it is a link to nowhere, which is not there"},
		{"a broken image", map[string]any{"path": "cut.png"},
			"!read cut.png: it is a broken image"},
		{"a wide image", map[string]any{"path": "wide.gif"}, "!the image has 8001 x 1 pixels"},
		{"no path", map[string]any{"path": ""}, "!want a path"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { expect(t, call(t, dir, "read", tt.args), tt.want) })
	}
	put(t, dir, "small.txt", "GIF89a\x01\x00\x01\x00\x00\x00\x00;")
	// the content counts, not the name
	r := call(t, dir, "read", map[string]any{"path": "small.txt"})
	if r.IsError || len(r.Content) != 1 || r.Content[0].MimeType != "image/gif" ||
		r.Content[0].Data != "R0lGODlhAQABAAAAADs=" {
		t.Errorf("got %+v", r)
	}
	if got := text(call(t, dir, "read", map[string]any{"path": "wide"})); strings.Contains(got,
		"\uFFFD") {
		t.Error("a character was cut in two")
	}
}

func expect(t *testing.T, r *engine.Result, want string) {
	t.Helper()
	got := text(r)
	switch {
	case strings.HasPrefix(want, "!"):
		if !r.IsError || !strings.Contains(got, want[1:]) {
			t.Errorf("got %q (error: %v), want an error with %q", got, r.IsError, want[1:])
		}
	case strings.HasPrefix(want, "~"):
		if r.IsError || !strings.Contains(got, want[1:]) {
			t.Errorf("got ...%q (error: %v), want %q in it", got[max(0, len(got)-200):], r.IsError,
				want[1:])
		}
	case r.IsError || got != want:
		t.Errorf("got %q (error: %v), want %q", got, r.IsError, want)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "old.txt", "a\nb\n")
	r := call(t, dir, "write", map[string]any{"path": "deep/er/new.go", "content": "x\ny"})
	expect(t, r, "created deep/er/new.go: 3 bytes, 2 lines")
	if get(t, filepath.Join(dir, "deep/er/new.go")) != "x\ny" || r.Display.Kind != "code" ||
		r.Display.Lang != "go" {
		t.Errorf("got display %+v", r.Display)
	}
	r = call(t, dir, "write", map[string]any{"path": "old.txt", "content": "a\nc\n"})
	expect(t, r, "replaced old.txt: 4 bytes, 2 lines")
	if r.Display.Kind != "diff" || r.Display.Text != "@@ -1,2 +1,2 @@\n a\n-b\n+c" {
		t.Errorf("got display %+v", r.Display)
	}
	expect(t, call(t, dir, "write", map[string]any{"path": "deep", "content": ""}),
		"!is a directory")
	expect(t, call(t, dir, "write", map[string]any{"path": "none/", "content": ""}),
		"!is a directory")
	expect(t, call(t, dir, "write", map[string]any{"path": "old.txt/x", "content": ""}),
		"!write old.txt/x")
	if left, _ := filepath.Glob(filepath.Join(dir, ".*.tmp")); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}

func TestWriteKeepsModesAndLinks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	dir := t.TempDir()
	script := put(t, dir, "bin/run.sh", "old")
	os.Chmod(script, 0o751)
	os.Symlink("bin/run.sh", filepath.Join(dir, "link"))
	os.Symlink("not/yet", filepath.Join(dir, "dangling"))
	os.Symlink("loop", filepath.Join(dir, "loop"))
	for name, lands := range map[string]string{"link": "bin/run.sh", "dangling": "not/yet"} {
		r := call(t, dir, "write", map[string]any{"path": name, "content": "new"})
		if r.IsError || get(t, filepath.Join(dir, lands)) != "new" {
			t.Errorf("%s: got %s, and not written to %s", name, text(r), lands)
		}
		if st, _ := os.Lstat(filepath.Join(dir, name)); st.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: the link was replaced", name)
		}
	}
	if st, _ := os.Stat(script); st.Mode().Perm() != 0o751 {
		t.Errorf("mode: got %v, want 0751", st.Mode().Perm())
	}
	expect(t, call(t, dir, "write", map[string]any{"path": "loop", "content": ""}), "!write loop")
	expect(t, call(t, dir, "write", map[string]any{"path": os.DevNull, "content": ""}),
		"!not a regular file")
	os.Chmod(script, 0o444)
	expect(t, call(t, dir, "write", map[string]any{"path": "link", "content": "x"}),
		"!permission denied")
}

func TestEdit(t *testing.T) {
	t.Parallel()
	e := func(old, replacement string, all ...bool) map[string]any {
		m := map[string]any{"old": old, "new": replacement}
		if len(all) > 0 {
			m["all"] = all[0]
		}
		return m
	}
	tests := []struct {
		name   string
		before string
		edits  []any
		after  string // unchanged on error
		want   string
	}{
		{"one", "a b c", []any{e("b", "x")}, "a x c", "edited f: 1 replacement"},
		{"chain", "a b c", []any{e("b", "xx"), e("xx", "y")}, "a y c", "edited f: 2 replacements"},
		{"all", "a a a", []any{e("a", "b", true)}, "b b b", "edited f: 3 replacements"},
		{"to nothing", "a b", []any{e(" b", "")}, "a", "edited f: 1 replacement"},
		{"not found", "a b", []any{e("z", "x")}, "a b", "!edit 1 of 1: old was not found"},
		{"not unique", "a a", []any{e("a", "x")}, "a a",
			"!found 2 times, in lines 1, 1, want once"},
		{"second fails", "a b", []any{e("a", "x"), e("z", "y")}, "a b",
			"!edit 2 of 2: old was not found; no line is like it: read the file again; nothing " +
				"was changed"},
		{"white space", "f() {\n\treturn\n}", []any{e("    return", "x")}, "f() {\n\treturn\n}",
			"!line 2 is the same except for white space: line 2 begins with 1 tab, and old has 4 " +
				"spaces there"},
		{"empty old", "a", []any{e("", "x")}, "a", "!old is empty"},
		{"same", "a", []any{e("a", "a")}, "a", "!are the same"},
		{"none", "a", []any{}, "a", "!got none"},
		{"not unique, lines", "x\na\nb\nx\na\n", []any{e("a\n", "c\n")}, "x\na\nb\nx\na\n",
			"!in lines 2, 5, want once"},
		{"not unique, many", strings.Repeat("a\n", 20), []any{e("a", "b")},
			strings.Repeat("a\n", 20),
			"!found 20 times, in lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ..., want once"},
		{"curly quotes", "a\nsay \u201chi\u201d\n", []any{e("a\nsay \"hi\"", "x")},
			"a\nsay \u201chi\u201d\n", "!line 2 has \u201c (U+201C) where old has \" (U+0022)"},
		{"straight quotes", "it's\n", []any{e("it\u2019s", "x")}, "it's\n",
			"!line 1 has ' (U+0027) where old has \u2019 (U+2019)"},
		{"a space that does not break", "\u20ac\na\u00a0b\n", []any{e("a b", "x")},
			"\u20ac\na\u00a0b\n", "!line 2 has \u00a0 (U+00A0) where old has   (U+0020)"},
		{"a long dash", "a\u2014b\n", []any{e("a-b", "x")}, "a\u2014b\n",
			"!line 1 has \u2014 (U+2014) where old has - (U+002D)"},
		{"white space within", "x = 1\ny\t= 2\n", []any{e("x = 1\ny    = 2\n", "x")},
			"x = 1\ny\t= 2\n",
			"!lines 1 to 2 are the same except for white space: line 2 has 1 tab where old has 4 " +
				"spaces"},
		{"white space at the end", "a\nb \nc\n", []any{e("a\nb\nc", "x")}, "a\nb \nc\n",
			"!lines 1 to 3 are the same except for white space: line 2 ends " +
				"with 1 space, and old " +
				"has no white space there"},
		{"begins but goes on differently", "a\nb\nc\n", []any{e("b\nd\n", "x")}, "a\nb\nc\n",
			`!line 2 is where it begins, but line 3 is "c", and old has "d"`},
		{"ends too soon", "a\nb", []any{e("b\nd", "x")}, "a\nb",
			"!line 2 is where it begins, but the file ends"},
		{"nearest", "one\nreturn count + 1\n", []any{e("return count + 2", "x")},
			"one\nreturn count + 1\n",
			`!line 2 is nearest: "return count + 1", and old has "return count + 2"`},
		{"too large", strings.Repeat("a", 1000), []any{e("a", strings.Repeat("b", 20_000), true)},
			strings.Repeat("a", 1000), "!would become larger"},
		{"CRLF in new alone", "a\r\nb\r\n", []any{e("a", "x\ny")}, "x\r\ny\r\nb\r\n",
			"edited f: 1 replacement"},
		{"CRLF in both", "a\r\nb\r\n", []any{e("a\r\nb", "x\r\ny")}, "x\r\ny\r\n",
			"edited f: 1 replacement"},
		{"LF among CRLF", "a\r\nb\r\nc\nd\r\n", []any{e("c\n", "x\ny\n")}, "a\r\nb\r\nx\ny\nd\r\n",
			"edited f: 1 replacement"},
		{"not unique, overlapping", "x\n}\n}\n}\n", []any{e("}\n}\n", "}\n")}, "x\n}\n}\n}\n",
			"!found 2 times, in lines 2, 3, want once"},
		{"all, overlapping", "aaaa", []any{e("aa", "b", true)}, "bb", "edited f: 2 replacements"},
		{"few CRLF", "a\nb\nc\r\n", []any{e("b", "x\ny")}, "a\nx\ny\nc\r\n",
			"edited f: 1 replacement"},
		{"not UTF-8", "a\xffb", []any{e("b", "c")}, "a\xffc", "edited f: 1 replacement"},
		{"CRLF", "a\r\nb\r\nc\r\n", []any{e("a\nb\n", "x\ny\n")}, "x\r\ny\r\nc\r\n",
			"edited f: 1 replacement"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := put(t, dir, "f", tt.before)
			r := call(t, dir, "edit", map[string]any{"path": "f", "edits": tt.edits})
			expect(t, r, tt.want)
			if got := get(t, path); got != tt.after {
				t.Errorf("file: got %q, want %q", got, tt.after)
			}
			if !r.IsError && (r.Display.Kind != "diff" ||
				r.Display.Text != diff.Unified(tt.before, tt.after)) {
				t.Errorf("got display %+v", r.Display)
			}
		})
	}
	expect(t, call(t, t.TempDir(), "edit", map[string]any{"path": "none",
		"edits": []any{e("a", "b")}}), "!no such file")
}

func TestLs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	expect(t, call(t, dir, "ls", nil), "[empty directory]\n")
	put(t, dir, "b.txt", "")
	put(t, dir, "a/x", "")
	want := "a/\nb.txt\n"
	if runtime.GOOS != "windows" {
		os.Symlink("b.txt", filepath.Join(dir, "c"))
		want += "c -> b.txt\n"
	}
	if runtime.GOOS == "linux" {
		put(t, dir, "d\ne\xff", "")
		want += `"d\ne\xff"` + "\n"
		expect(t, call(t, dir, "glob", map[string]any{"pattern": "d*"}), `"d\ne\xff"`)
	}
	expect(t, call(t, dir, "ls", nil), want)
	expect(t, call(t, dir, "ls", map[string]any{"path": "a"}), "x\n")
	expect(t, call(t, dir, "ls", map[string]any{"path": "b.txt"}), "!use read")
	expect(t, call(t, dir, "ls", map[string]any{"path": "zz"}), "!no such file")
	for i := range lsEntries + 3 {
		put(t, dir, fmt.Sprintf("many/%05d", i), "")
	}
	expect(t, call(t, dir, "ls", map[string]any{"path": "many"}), "~[3 more]")
}

// FuzzEdit checks single edits against the expected result.
func FuzzEdit(f *testing.F) {
	f.Add("a\nb\n", "a", "c", false)
	f.Add("a\r\nb\r\n", "a\nb", "c\nd", true)
	f.Add("\tx\n    y\n", "  x", "z", false)
	f.Add("aaa", "aa", "b", false)
	f.Fuzz(func(t *testing.T, before, old, replacement string, all bool) {
		after, n, err := applyEdits(context.Background(), before,
			[]any{map[string]any{"old": old, "new": replacement, "all": all}})
		// count the occurrences of old, including overlapping ones, which make the edit ambiguous
		found := 0
		for i := range len(before) {
			if old != "" && strings.HasPrefix(before[i:], old) {
				found++
			}
		}
		crlf := strings.Contains(before+old+replacement, "\r")
		switch {
		case err != nil && (n != 0 || after != ""):
			t.Errorf("got %d edits and an error", n)
		case err == nil && n > 1 && !all:
			t.Errorf("%d replacements of one", n)
		case err == nil && !crlf && after != strings.ReplaceAll(before, old, replacement):
			t.Errorf("got %q", after)
		case err != nil && !crlf && old != replacement && (found == 1 || found > 1 && all):
			t.Errorf("the text exists, but %v", err)
		}
	})
}
