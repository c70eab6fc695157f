package highlight_test

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/tui/internal/highlight"
)

// marks name the kinds in the tests.
var marks = map[highlight.Kind]string{highlight.Comment: "c", highlight.String: "s",
	highlight.Number: "n", highlight.Keyword: "k", highlight.Added: "+", highlight.Removed: "-",
	highlight.Hunk: "@", highlight.File: "f"}

// marked returns code with each span that is not plain in brackets, with its kind.
func marked(t *testing.T, language, code string) string {
	t.Helper()
	l, state := highlight.Find(language), highlight.State(0)
	if l == nil {
		t.Fatalf("no language %s", language)
	}
	var out strings.Builder
	for line := range strings.Lines(code) {
		line, ended := strings.CutSuffix(line, "\n")
		var spans []highlight.Span
		spans, state = l.Line(line, state)
		whole := ""
		for _, s := range spans {
			whole += s.Text
			if m := marks[s.Kind]; m != "" {
				out.WriteString("[" + m + " " + s.Text + "]")
			} else {
				out.WriteString(s.Text)
			}
		}
		if whole != line {
			t.Errorf("%s: the spans of %q are %q", language, line, whole)
		}
		if ended {
			out.WriteString("\n")
		}
	}
	return out.String()
}

func TestLanguages(t *testing.T) {
	for _, test := range []struct{ language, code, want string }{
		{"go", "func f() { return 0x1F + 1.5e-9 } // é",
			"[k func] f() { [k return] [n 0x1F] + [n 1.5e-9] } [c // é]"},
		{"go", "a := `x\n// y`; /* b\nc */ '\\n', '\"', x.for",
			"a := [s `x]\n[s // y`]; [c /* b]\n[c c */] [s '\\n'], [s '\"'], x.[k for]"},
		{"Go", `"a\"b" "c\\" + "open`,
			`[s "a\"b"] [s "c\\"] + "open`},
		{"python", "'''a\n# b''' + x # 'c'\nNone",
			"[s '''a]\n[s # b'''] + x [c # 'c']\n[k None]"},
		{"rust", "fn f<'a>(x: &'a str) { 'x' } 0..10",
			"[k fn] f<'a>(x: &'a str) { [s 'x'] } [n 0]..[n 10]"},
		{"js", "let a = `b\n${c}` // d",
			"[k let] a = [s `b]\n[s ${c}`] [c // d]"},
		{"c",
			"#include <a.h>\nint x='a'; /* y",
			"#include <a.h>\n[k int] x=[s 'a']; [c /* y]"},
		{"sh", "if [ $# -gt 1 ]; then echo \"a\n# b\"; fi # c",
			"[k if] [ $# -gt [n 1] ]; [k then] echo [s \"a]\n[s # b\"]; [k fi] [c # c]"},
		{"sh",
			"echo don't\nx'",
			"echo don[s 't]\n[s x']"},
		{"lua", "local a --[[ b\nc ]] .. [[d]] -- e",
			"[k local] a [c --[[ b]\n[c c ]]] .. [s [[d]]] [c -- e]"},
		{"sql", "SELECT a FROM b -- c",
			"[k SELECT] a [k FROM] b [c -- c]"},
		{"json", `{"a": [1, true]}`, `{[s "a"]: [[n 1], [k true]]}`},
		{"yaml", "a: b#c # d", "a: b#c [c # d]"},
		{"html", "<a-b href=\"x\">don't</a> <!-- c\n-->",
			"[k <a-b] href=[s \"x\"]>don't[k </a]> [c <!-- c]\n[c -->]"},
		{"css",
			"a { color: #fff; width: 10px } /* b */",
			"a { color: #fff; width: [n 10px] } [c /* b */]"},
		{"diff", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z",
			"[f --- a]\n[f +++ b]\n[@ @@ -1 +1 @@]\n[- -x]\n[+ +y]\n z"},
		{"dockerfile", "FROM a AS b",
			"[k FROM] a [k AS] b"},
	} {
		if got := marked(t, test.language, test.code); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.language, got, test.want)
		}
	}
	if highlight.Find("nosuch") != nil || highlight.Find("") != nil {
		t.Error("found a language that does not exist")
	}
}

// names are one name of each language.
var names = []string{"go", "c", "java", "js", "ts", "py", "rust", "ruby", "php", "sh", "lua",
	"sql", "json", "yaml", "toml", "html", "css", "docker", "make", "diff"}

// FuzzLine checks that the spans of any line are the line.
func FuzzLine(f *testing.F) {
	f.Add("a \"b\\\"c' /* d\n*/ 1e-5 `x` --[[ ]]")
	f.Add("'\\\\'\"\"\"\n\"\"\" <!-- <a> r#\" \"# \xff")
	f.Fuzz(func(t *testing.T, code string) {
		for _, name := range names {
			marked(t, name, code)
		}
	})
}

// BenchmarkLine reads 1 MB in one line that is as bad as it can be, and the same in usual lines.
func BenchmarkLine(b *testing.B) {
	const size = 1 << 20
	for name, line := range map[string]string{
		"usual":   "	return fmt.Errorf(\"cannot read %s: %w\", name, err) // with a remark",
		"quotes":  strings.Repeat("\"x(", size/3),
		"open":    strings.Repeat("'x ", size/3),
		"escaped": "\"" + strings.Repeat("\\\"", size/2),
		"runes":   strings.Repeat("'\\", size/2) + "''",
		"slashes": strings.Repeat("\\\"", size/2),
		"words":   strings.Repeat("return ", size/7),
	} {
		b.Run(name, func(b *testing.B) {
			l := highlight.Find("go")
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				l.Line(line, 0)
			}
		})
	}
}
