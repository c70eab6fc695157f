// This file finds single quotes that the parser treats as quotes and bash as text: in "${x:-'$(rm
// y)'}", in here-documents, in arithmetic and in indexes, bash expands the text between them.

package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// context is how bash treats quotes at a node.
type context int

const (
	inWord context = iota // single quotes quote
	// in double quotes or a here-document: ${x:-'...'} does not quote, ${x#'...'} does
	inDouble
	inNumbers // in arithmetic or an index: single quotes never quote
)

// literalQuotes finds the nodes below n that bash reads differently from the parser: text in single
// quotes that bash expands, <(...) in the word of an expansion, a name in an index that is expanded
// a second time, backquotes in double quotes. deep is set if there are single quotes or backslashes
// where bash and the parser may disagree about which text they quote, and so about the rest of the
// line. source returns the text of a node.
func literalQuotes(n syntax.Node, source func(syntax.Node) string) (found map[syntax.Node]bool,
	deep bool) {
	q := &quotes{found: map[syntax.Node]bool{}, source: source}
	q.walk(n, inWord, false)
	return q.found, q.deep
}

// quotes collects nodes.
type quotes struct {
	found map[syntax.Node]bool
	deep  bool

	source func(syntax.Node) string
	// the word may have braces that bash expands: {a,b}
	braces bool
	// how many expansions ${...}, arithmetic expressions, and indexes that are not in an expansion
	// the node is in; and how many substitutions
	expansions, substitutions int
	// in double quotes, in an expansion of #, ?, -, ! or of more than a name: bash may take the
	// name for an operator
	odd bool
}

// isDeep reports whether bash may end a quote elsewhere than the parser: below two expansions, or
// $'...' in an expansion in a substitution. That is rare in lines that people and models write.
func (q *quotes) isDeep(dollar bool) bool {
	return q.expansions > 1 || q.odd || dollar && q.expansions > 0 && q.substitutions > 0
}

// isOdd reports whether an expansion is not that of a variable, an argument or all of them.
func isOdd(n *syntax.ParamExp) bool {
	return n.Excl || n.Length || n.Width || n.Param != nil && n.Param.Value != "" &&
		strings.Contains("#?-!", n.Param.Value)
}

// walk visits the nodes below n, which is in the context at. If literal is set, single quotes are
// ordinary text.
func (q *quotes) walk(n syntax.Node, at context, literal bool) {
	syntax.Walk(n, func(m syntax.Node) bool {
		switch m := m.(type) {
		case *syntax.SglQuoted:
			q.deep = q.deep || q.isDeep(m.Dollar)
			if literal {
				q.found[m] = true
			}
		case *syntax.Lit: // an index may be expanded twice
			q.deep = q.deep || strings.ContainsAny(m.Value, `'\`) && q.isDeep(false)
			if at == inNumbers && (strings.Contains(m.Value, `\$`) ||
				strings.Contains(m.Value, "\\`")) {
				q.found[m] = true
			}
		case *syntax.Word:
			if q.expansions == 0 {
				q.braces = hasBraces(q.source(m))
			}
		case *syntax.DblQuoted:
			// to the expansion of braces, the quotes in "${x:-"{a,b}"}" end and begin again
			q.deep = q.deep || q.braces && at == inDouble && q.expansions > 0
			q.parts(m.Parts, max(at, inDouble))
			return false
		case *syntax.Redirect:
			if m.Hdoc != nil {
				q.parts(m.Hdoc.Parts, inDouble)
				return false
			}
		case *syntax.CmdSubst:
			if q.statements(m.Stmts); m.Backquotes && at != inWord {
				q.found[m] = true
			}
			return false
		case *syntax.ProcSubst:
			q.statements(m.Stmts)
			return false
		case *syntax.ArithmExp:
			q.numbers(m.X)
			return false
		case *syntax.ArithmCmd:
			q.numbers(m.X)
			return false
		case *syntax.CStyleLoop:
			q.numbers(m.Init, m.Cond, m.Post)
			return false
		case *syntax.LetClause:
			q.numbers(m.Exprs...)
			return false
		case *syntax.Assign:
			q.numbers(m.Index)
			if m.Value != nil {
				q.walk(m.Value, at, literal)
			}
			if m.Array != nil {
				q.walk(m.Array, at, literal)
			}
			return false
		case *syntax.ArrayElem:
			q.numbers(m.Index)
			if m.Value != nil {
				q.walk(m.Value, at, literal)
			}
			return false
		case *syntax.ParamExp:
			q.expansion(m, at)
			return false
		}
		return true
	})
}

// hasBraces reports whether text has a brace that does not begin an expansion, and later a comma or
// two dots.
func hasBraces(text string) bool {
	for i := range len(text) {
		if text[i] == '{' && (i == 0 || text[i-1] != '$') {
			return strings.Contains(text[i:], ",") || strings.Contains(text[i:], "..")
		}
	}
	return false
}

func (q *quotes) parts(all []syntax.WordPart, at context) {
	for _, p := range all {
		q.walk(p, at, false)
	}
}

func (q *quotes) statements(all []*syntax.Stmt) {
	q.substitutions++
	braces, odd := q.braces, q.odd
	q.odd = false
	defer func() { q.substitutions, q.braces, q.odd = q.substitutions-1, braces, odd }()
	for _, one := range all {
		q.walk(one, inWord, false)
	}
}

func (q *quotes) numbers(all ...syntax.ArithmExpr) {
	q.expansions++
	defer func() { q.expansions-- }()
	for _, x := range all {
		if x != nil {
			q.walk(x, inNumbers, true)
		}
	}
}

// expansion visits the nodes of ${...} in the context at.
func (q *quotes) expansion(n *syntax.ParamExp, at context) {
	q.numbers(n.Index)
	q.expansions++
	outer := q.odd
	q.odd = q.odd || at == inDouble && isOdd(n)
	defer func() { q.expansions, q.odd = q.expansions-1, outer }()
	if n.Slice != nil {
		q.numbers(n.Slice.Offset, n.Slice.Length)
	}
	if n.Repl != nil {
		q.operand(n.Repl.Orig, at, at == inNumbers)
		q.operand(n.Repl.With, at, at == inNumbers)
	}
	if n.Exp != nil {
		q.operand(n.Exp.Word, at, at == inNumbers || at == inDouble && !pattern(n.Exp.Op))
	}
}

// operand visits the word of an expansion. The parser does not find <(...) in it, but bash does.
func (q *quotes) operand(word *syntax.Word, at context, literal bool) {
	if word == nil {
		return
	}
	for _, p := range word.Parts {
		if l, ok := p.(*syntax.Lit); ok && (strings.Contains(l.Value, "<(") ||
			strings.Contains(l.Value, ">(")) {
			q.found[l] = true
		}
	}
	q.walk(word, at, literal)
}

// pattern reports whether the word after an operator is a pattern, in which quotes always quote.
func pattern(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix,
		syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return true
	}
	return false
}

// expandLiteral reads the text between single quotes where bash does not treat them as quotes, as
// in a here-document. Text that could end the surrounding construct, or begin another quote, may
// change how bash reads the rest of the line. The commands that it runs are then unknown.
func (w *walker) expandLiteral(n *syntax.SglQuoted) {
	if !strings.ContainsAny(n.Value, "$`\"\\(){}[]<>") {
		return
	}
	text := n.Value
	w.s.read += len(text)
	doc, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Document(strings.NewReader(text))
	if err != nil || doc == nil || w.s.read > maxInnerText {
		w.opaque(n)
		return
	}
	o := w.o
	o.pos, o.nested = w.pos(n), true
	w.s.walk(doc, text, o)
	if n.Dollar { // what it stands for becomes a part of the text around it: $'$'(rm x)
		w.opaque(n)
		return
	}
	for _, p := range doc.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.ContainsAny(l.Value, "\"`\\(){}[]<>") {
			w.opaque(n)
			return
		}
	}
}
