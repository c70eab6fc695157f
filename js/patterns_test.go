package js

import (
	"fmt"
	"testing"
)

// TestRegexpMatchesInterpreter compares our ways of matching with those of the interpreter.
func TestRegexpMatchesInterpreter(t *testing.T) {
	patterns := []string{`/a/g`, `/a/`, `/(a)|(b)/g`, `/\s+/g`, `/,/`, `/,\s*/g`, `/^./gm`,
		`/.$/gm`, `/b*/g`, `/(x)?y/gi`, `/[^a-z]/g`,
		`/(?:)/g`, `/\b/g`, `/a.c/gs`, `/(?=b)/g`, `/(a)\1/g`, `/a/gu`, `/a/y`, `/(?<n>b)/g`,
		`/\//g`, `/\d{2,}|\w+?/g`, `/\$/g`, `/é/g`}
	texts := []string{`''`, `'a'`, `'aabbab, a ,b'`, `'x\ny\r\nXYyxy'`, `'12 345 a-c/d $'`,
		`'éa bé'`, `'a\nc'`, `'😀a😀'`}
	uses := []string{`T.split(P)`, `T.split(P, 2)`, `T.match(P)`, `T.replace(P, '[$&$1$2$$]')`,
		`T.replace(P, "$'|$%s$3$01$")`, `T.search(P)`,
		`T.replace(P, (...a) => JSON.stringify(a))`, `P.test(T)`, `P.exec(T)`}
	// Beyond ASCII the fast ways of the interpreter (which ignore y) and regexp2 (in its definition
	// of a word) differ from the language. The slow ways of the interpreter, which we use, do not.
	wrong := map[string]bool{`/b*/g`: true, `/\b/g`: true, `/a/y`: true}
	h := newComparison(t)
	n := 0
	for _, p := range patterns {
		for _, text := range texts {
			if wrong[p] && !ascii(text) {
				continue
			}
			for _, use := range uses {
				src := fmt.Sprintf("((P, T) => [%s, P.lastIndex])(%s, %s)", use, p, text)
				h.agree("JSON.stringify(" + src + ")")
				n++
			}
		}
	}
	if n < 1000 {
		t.Error("too few comparisons")
	}
}
