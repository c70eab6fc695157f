package js

import (
	"strings"
	"testing"
)

// TestCommentsChangeNothing checks that the globals of a script do not depend on its comments.
func TestCommentsChangeNothing(t *testing.T) {
	const words = " console fetch URL AbortController Blob ArrayBuffer Uint8Array DataView " +
		"groupBy withResolvers yield Symbol freeze "
	const found = `return [typeof globalThis["con" + "sole"], typeof globalThis["fet" + "ch"], typeof globalThis["U" + "RL"],
		typeof globalThis["Uint8" + "Array"], typeof globalThis["Array" + "Buffer"], typeof Object["group" + "By"], typeof Promise["with" + "Resolvers"]]`
	eval := func(src string) string {
		t.Helper()
		got, err := newTestHost(t).eval(src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		return jsonText(got)
	}
	bare := eval(found)
	for _, src := range []string{
		"//" + words + "\n" + found,
		"/*" + words + "*/ " + found,
		"/**\n *" + words + "\n */\n" + found,
		"const re = /a\\/\\/b/, s = 'x', n = 4 / 2 //" + words + "\n" + found,
		"const s = `a ${1 /*" + words + "*/} b`\n" + found,
	} {
		if got := eval(src); got != bare {
			t.Errorf("%s:\ngot  %s\nwant %s", src, got, bare)
		}
	}
}

func TestWithoutComments(t *testing.T) {
	for src, want := range map[string]string{
		"a // b\nc":                 "a  \nc",
		"a /* b */ c":               "a   c",
		"'// a' + \"/* b */\" // c": "'// a' + \"/* b */\"  ",
		"`// ${a /* b */} //` // c": "`// ${a  } //`  ",
		"/[/]\\/ a/.test(b) // c":   "/[/]\\/ a/.test(b)  ",
		"a / b / c // d":            "a / b / c  ",
		"#!x\ny":                    " \ny",
		"/* a":                      " ",
		"// a\n`b\\":                " \n`b\\",
		"// a\n'b\\":                " \n'b\\",
		"no comment":                "no comment",
	} {
		if got := string(withoutComments([]byte(src))); got != want {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
}

func FuzzWithoutComments(f *testing.F) {
	f.Add("a // b\n`${c /* d */}`")
	f.Fuzz(func(t *testing.T, src string) {
		out := string(withoutComments([]byte(src)))
		if len(out) > len(src) || strings.Count(out, "\n") > strings.Count(src, "\n") {
			t.Errorf("%q became %q", src, out)
		}
	})
}
