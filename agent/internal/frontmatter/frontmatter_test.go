package frontmatter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct{ name, text, description, body, err string }{
		{"nothing", "", "", "", ""},
		{"no front matter", "Do it.\n---\nNow.", "", "Do it.\n---\nNow.", ""},
		{"both", "---\nname: x\ndescription: Looks\n---\n\nLook.\n---\nMore.\n", "Looks",
			"Look.\n---\nMore.", ""},
		{"bom and crlf", "\ufeff---\r\ndescription: a\r\n---\r\nb\r\nc", "a", "b\nc", ""},
		{"trailing space", "--- \ndescription: a\n---\t\nb", "a", "b", ""},
		{"foreign keys",
			"---\nallowed-tools: [Bash(git *), Read]\nhooks: {a: {b: [1]}}\ndescription: a\n---\nb",
			"a", "b", ""},
		{"block text", "---\ndescription: >\n  two\n  lines\n---\nb", "two lines", "b", ""},
		{"a number", "---\ndescription: 3.10\n---\nb", "3.10", "b", ""},
		{"null", "---\ndescription:\n---\nb", "", "b", ""},
		{"comments", "---\n# nothing\n---\nb", "", "b", ""},
		{"empty", "---\n---\nb", "", "b", ""},
		{"a colon", "---\ndescription: Use when: it's late\n---\nb", "Use when: it's late", "b",
			""},
		{"brackets", "---\nargument-hint: [file] [line]\ndescription: a\n---\nb", "a", "b", ""},
		{"a star", "---\ndescription: *.go files\n---\nb", "*.go files", "b", ""},
		{"an at sign", "---\ndescription: @you\n---\nb", "@you", "b", ""},
		{"not UTF-8", "---\ndescription: a\xff\n---\nb\xff", "a\uFFFD", "b\uFFFD", ""},
		{"not closed", "---\ndescription: a\n", "", "", "line 3: got the end of the file"},
		{"a list", "---\n- a\n---\nb", "", "", "line 2: want lines such as"},
		{"twice", "---\ndescription: a\n\ndescription: b\n---\n", "", "",
			"line 4: description is set twice"},
		{"no text", "---\na: b\ndescription: [a, b]\n---\n", "", "",
			"line 3: description: got a list, want a text"},
		{"an alias", "---\na: &x b\ndescription: *x\n---\n", "", "",
			"line 3: description: got an alias, want a text"},
		{"broken", "---\na: b\n  c: d: e\n---\n", "", "",
			`line 3: got ": " within a value: put the value in quotes`},
		{"a large head", "---\na: " + strings.Repeat("x", maxHead) + "\n---\n", "", "",
			"line 1: the front matter is larger than 64 KiB"},
		{"a bomb", "---\na: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c " +
			"[*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\ndescription: ok\n---\nb", "ok", "b", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Parse(tt.text)
			got := ""
			if err == nil {
				got, err = d.Text("description")
			}
			if err != nil {
				if tt.err == "" || !strings.HasPrefix(err.Error(), tt.err) {
					t.Fatalf("got error %q, want %q", err, tt.err)
				}
				return
			}
			if tt.err != "" || got != tt.description || d.Body != tt.body {
				t.Errorf("got %q and %q, want %q and %q, error %q", got, d.Body, tt.description,
					tt.body, tt.err)
			}
		})
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge.md")
	if err := os.WriteFile(huge, []byte(strings.Repeat("x", MaxBytes+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{huge: "larger than 256 KiB",
		dir: "is a folder, not a regular file", filepath.Join(dir, "none"): "no such file"} {
		if _, err := Read(path); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("---\na: b\n---\nc")
	f.Add("---\na: &x [*x]\nb: {? c}\n...\n")
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := Parse(text); err == nil {
			for k := range d.fields {
				_, _ = d.Text(k)
			}
		}
	})
}
