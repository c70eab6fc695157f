// This file finds text that arithmetic may run. If a variable holds a[$(rm x)], bash runs the
// command when it evaluates the variable as a number.

package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arithmetic notes whether a node evaluates text as a number, or holds text that would then run.
func (w *walker) arithmetic(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		w.s.counts = true
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			w.s.counts = true
		}
	case *syntax.UnaryTest:
		w.s.counts = w.s.counts || n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar
	case *syntax.ParamExp:
		w.s.counts = w.s.counts || n.Slice != nil || computed(n.Index)
	case *syntax.Assign:
		w.s.counts = w.s.counts || computed(n.Index)
		w.pieces(n)
	case *syntax.ArrayElem:
		w.noteDoubleExpansion(n.Index)
	case *syntax.Lit:
		w.suspect(n, subscript(strings.ReplaceAll(n.Value, `\`, "")))
		w.noteInertText(n, strings.Contains(n.Value, `\$`) || strings.Contains(n.Value, "$(") ||
			strings.Contains(n.Value, "`"))
	case *syntax.SglQuoted:
		text, err := n.Value, error(nil)
		if strings.Contains(text, `\`) {
			text, err = literal(&syntax.Word{Parts: []syntax.WordPart{n}})
		}
		w.suspect(n, err != nil || subscript(text))
		w.noteInertText(n, err != nil || strings.Contains(text, "$(") ||
			strings.Contains(text, "${") || strings.Contains(text, "`"))
	case *syntax.CallExpr:
		w.s.counts = w.s.counts || len(n.Args) > 1 &&
			contains([]string{"let", "test", "[", "printf", "read", "unset", "wait",
				"declare", "typeset", "local"}, n.Args[0].Lit()) &&
			slices.ContainsFunc(n.Args[1:], func(a *syntax.Word) bool {
				return strings.HasPrefix(a.Lit(), "-") && strings.ContainsAny(a.Lit(), "vipR")
			})
		if len(n.Args) > 1 && indexing()[n.Args[0].Lit()] {
			for _, a := range n.Args[1:] {
				w.s.twiceRead = w.s.twiceRead || !static(a.Parts) &&
					strings.Contains(w.source(a), "[")
			}
		}
	case *syntax.DeclClause:
		for _, a := range n.Args {
			w.noteDoubleExpansion(a.Index)
			w.s.twiceRead = w.s.twiceRead || a.Naked && a.Value != nil && !static(a.Value.Parts) &&
				strings.Contains(w.source(a), "[")
		}
		w.s.counts = w.s.counts || slices.ContainsFunc(n.Args, func(a *syntax.Assign) bool {
			return a.Naked && a.Value != nil && strings.HasPrefix(a.Value.Lit(), "-") &&
				strings.Contains(a.Value.Lit(), "i")
		})
	}
}

// indexing are commands that expand the index in a name a second time: read "a[$i]".
var indexing = setOf(
	"read printf unset test [ getopts mapfile readarray wait declare typeset local export " +
		"readonly builtin command")

// noteDoubleExpansion notes an index that bash expands a second time, like the index of an element
// in a=([$i]=1).
func (w *walker) noteDoubleExpansion(index syntax.ArithmExpr) {
	if index == nil {
		return
	}
	syntax.Walk(index, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst: // its text is unknown
			w.opaque(n)
			return false
		case *syntax.ParamExp:
			w.s.twiceRead = true
		}
		return true
	})
}

// noteInertText notes the first text that would run if it were expanded, and that is not expanded
// in its place.
func (w *walker) noteInertText(n syntax.Node, is bool) {
	if is && w.s.inert == nil {
		c := w.command(n)
		c.Hides = "dynamic"
		w.s.inert = &c
	}
}

// computed reports whether an index is something other than a number, * or @.
func computed(index syntax.ArithmExpr) bool {
	if index == nil {
		return false
	}
	word, ok := index.(*syntax.Word)
	return !ok || strings.Trim(word.Lit(), "0123456789@*") != "" || word.Lit() == ""
}

// pieces checks the texts in an assigned value, because text that runs may be built from several of
// them.
func (w *walker) pieces(a *syntax.Assign) {
	syntax.Walk(a, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			w.suspect(a, bracket(n.Value))
		case *syntax.SglQuoted:
			w.suspect(a, bracket(n.Value))
		}
		return true
	})
}

// bracket reports whether a text may begin or continue the name of an element: a[.
func bracket(text string) bool {
	at := strings.IndexByte(strings.ReplaceAll(text, `\`, ""), '[')
	return at == 0 || at > 0 && bare(text[at-1:at])
}

// suspect notes the first text that would run.
func (w *walker) suspect(n syntax.Node, is bool) {
	if is && w.s.suspect == nil {
		c := w.command(n)
		c.Hides = "dynamic"
		w.s.suspect = &c
	}
}
