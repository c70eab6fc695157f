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

	"github.com/agentscripts/agent/engine"
)

// call runs a built-in tool in dir; an error comes back as the result that dispatch would make of it.
func call(t *testing.T, dir, name string, args map[string]any) *engine.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return callContext(ctx, t, dir, name, args, nil)
}

func callContext(ctx context.Context, t *testing.T, dir, name string, args map[string]any, output func(string, bool)) *engine.Result {
	t.Helper()
	for _, b := range Builtin() {
		if b.Name == name {
			r, err := b.Run(ctx, &engine.Use{Args: args, Env: &engine.Envelope{CWD: dir}, Output: output})
			if err != nil {
				return engine.ErrorResult(err.Error())
			}
			return r
		}
	}
	t.Fatalf("no tool %s", name)
	return nil
}

func text(r *engine.Result) string { return engine.PlainText(r.Content) }

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
	want := map[string]string{"read": "read true", "write": "edit false", "edit": "edit false", "bash": "execute false", "ls": "read true"}
	for _, b := range Builtin() {
		if got := fmt.Sprint(b.Kind, " ", b.ReadOnly); got != want[b.Name] {
			t.Errorf("%s: got %s, want %s", b.Name, got, want[b.Name])
		}
		delete(want, b.Name)
		strict(t, b.Name, b.Schema)
		if b.Description == "" || b.Source != "builtin" {
			t.Errorf("%s: got description %q, source %q", b.Name, b.Description, b.Source)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// strict checks that no object admits unknown keys and that every property says what it is.
func strict(t *testing.T, at string, schema map[string]any) {
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
			strict(t, at+"."+k, items)
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.txt", "one\ntwo\nthree\nfour")
	put(t, dir, "empty", "")
	put(t, dir, "bin", "ab\x00cd")
	put(t, dir, "latin", "caf\xe9\n")
	put(t, dir, "long", strings.Repeat("x", readLineBytes+7)+"\nnext\n")
	put(t, dir, "wide", strings.Repeat("é", readLineBytes)+"\n") // the cut falls between characters
	put(t, dir, "many", strings.Repeat("line\n", readLines+5))
	put(t, dir, "fat", strings.Repeat(strings.Repeat("y", 999)+"\n", 200))
	tests := []struct {
		name string
		args map[string]any
		want string // "~x": contains x; "!x": fails and contains x
	}{
		{"all", map[string]any{"path": "a.txt"}, "one\ntwo\nthree\nfour"},
		{"absolute", map[string]any{"path": filepath.Join(dir, "a.txt")}, "one\ntwo\nthree\nfour"},
		{"part", map[string]any{"path": "a.txt", "offset": 2.0, "limit": 2.0}, "two\nthree\n[lines 2 to 3; more follow: read on with offset = 4]"},
		{"to the end", map[string]any{"path": "a.txt", "offset": 4.0, "limit": 9.0}, "four"},
		{"behind the end", map[string]any{"path": "a.txt", "offset": 9.0}, "!the file has 4 lines"},
		{"empty", map[string]any{"path": "empty"}, "[empty file]"},
		{"binary", map[string]any{"path": "bin"}, "!binary file of 5 bytes"},
		{"not UTF-8", map[string]any{"path": "latin"}, "caf\uFFFD\n"},
		{"long line", map[string]any{"path": "long"}, strings.Repeat("x", readLineBytes) + "[cut: 8 more bytes in this line]\nnext\n"},
		{"many lines", map[string]any{"path": "many"}, fmt.Sprintf("~read on with offset = %d]", readLines+1)},
		{"many bytes", map[string]any{"path": "fat"}, "~read on with offset = 67]"},
		{"directory", map[string]any{"path": "."}, "!is a directory; use ls"},
		{"missing", map[string]any{"path": "a.tx"}, `!no such file or directory; did you mean "a.txt"?`},
		{"home", map[string]any{"path": "~/x"}, "!~ is not expanded"},
		{"no path", map[string]any{"path": ""}, "!want a path"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { expect(t, call(t, dir, "read", tt.args), tt.want) })
	}
	if got := text(call(t, dir, "read", map[string]any{"path": "wide"})); strings.Contains(got, "\uFFFD") {
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
			t.Errorf("got ...%q (error: %v), want %q in it", got[max(0, len(got)-200):], r.IsError, want[1:])
		}
	case r.IsError || got != want:
		t.Errorf("got %q (error: %v), want %q", got, r.IsError, want)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "old.txt", "a\nb\n")
	r := call(t, dir, "write", map[string]any{"path": "deep/er/new.go", "content": "x\ny"})
	expect(t, r, "created deep/er/new.go: 3 bytes, 2 lines")
	if get(t, filepath.Join(dir, "deep/er/new.go")) != "x\ny" || r.Display.Kind != "code" || r.Display.Lang != "go" {
		t.Errorf("got display %+v", r.Display)
	}
	r = call(t, dir, "write", map[string]any{"path": "old.txt", "content": "a\nc\n"})
	expect(t, r, "replaced old.txt: 4 bytes, 2 lines")
	if r.Display.Kind != "diff" || r.Display.Text != "@@ -1,2 +1,2 @@\n a\n-b\n+c" {
		t.Errorf("got display %+v", r.Display)
	}
	expect(t, call(t, dir, "write", map[string]any{"path": "deep", "content": ""}), "!is a directory")
	expect(t, call(t, dir, "write", map[string]any{"path": "none/", "content": ""}), "!is a directory")
	expect(t, call(t, dir, "write", map[string]any{"path": "old.txt/x", "content": ""}), "!write old.txt/x")
	if left, _ := filepath.Glob(filepath.Join(dir, ".*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWriteKeepsModesAndLinks(t *testing.T) {
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
	expect(t, call(t, dir, "write", map[string]any{"path": os.DevNull, "content": ""}), "!not a regular file")
	os.Chmod(script, 0o444)
	expect(t, call(t, dir, "write", map[string]any{"path": "link", "content": "x"}), "!permission denied")
}

func TestEdit(t *testing.T) {
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
		{"not unique", "a a", []any{e("a", "x")}, "a a", "!found 2 times, want once"},
		{"second fails", "a b", []any{e("a", "x"), e("z", "y")}, "a b", "!edit 2 of 2: old was not found; read the file again: it must match exactly, white space too; nothing was changed"},
		{"white space", "f() {\n\treturn\n}", []any{e("    return", "x")}, "f() {\n\treturn\n}", "!line 2 is like it"},
		{"empty old", "a", []any{e("", "x")}, "a", "!old is empty"},
		{"same", "a", []any{e("a", "a")}, "a", "!are the same"},
		{"none", "a", []any{}, "a", "!got none"},
		{"CRLF", "a\r\nb\r\nc\r\n", []any{e("a\nb\n", "x\ny\n")}, "x\r\ny\r\nc\r\n", "edited f: 1 replacement"},
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
			if !r.IsError && (r.Display.Kind != "diff" || r.Display.Text != diff(tt.before, tt.after)) {
				t.Errorf("got display %+v", r.Display)
			}
		})
	}
	expect(t, call(t, t.TempDir(), "edit", map[string]any{"path": "none", "edits": []any{e("a", "b")}}), "!no such file")
}

func TestLs(t *testing.T) {
	dir := t.TempDir()
	expect(t, call(t, dir, "ls", nil), "[empty directory]\n")
	put(t, dir, "b.txt", "")
	put(t, dir, "a/x", "")
	want := "a/\nb.txt\n"
	if runtime.GOOS != "windows" {
		os.Symlink("b.txt", filepath.Join(dir, "c"))
		want += "c -> b.txt\n"
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
