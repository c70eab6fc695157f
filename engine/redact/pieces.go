// This file masks text that arrives in pieces: text that may begin a match is held back until more
// arrives.

package redact

import (
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
)

// heldMost is how many bytes are held back for an unfinished match: more than any key or
// certificate. Longer matches are masked as far as they have arrived.
const heldMost = 64 << 10

// live finds where a match may have begun in a text that is not complete.
type live struct {
	// begun matches, at the end of a text, any beginning of a match of the pattern; nil: unknown,
	// so whole lines are held back.
	begun *regexp.Regexp
	// lines reports that a match may extend over the end of a line.
	lines bool
}

func newLive(re *syntax.Regexp) *live {
	l := &live{lines: overLines(re)}
	begun, err := regexp.Compile(written(beginnings(re.Simplify())) + `\z`)
	if err == nil { // otherwise it nests too deep
		l.begun = begun
	}
	return l
}

// from returns where the first match may begin that is still undecided; len(text) if there is none.
func (l *live) from(text string) int {
	begin := 0
	if !l.lines || l.begun == nil {
		begin = strings.LastIndexByte(text, '\n') + 1
	}
	if l.begun == nil {
		return begin
	}
	// The previous line end preserves the meaning of \b and ^.
	if loc := l.begun.FindStringIndex(text[max(begin-1, 0):]); loc != nil && loc[0] < loc[1] {
		return max(begin, max(begin-1, 0)+loc[0])
	}
	return len(text)
}

// overLines reports whether re may match the end of a line.
func overLines(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar:
		return true
	case syntax.OpLiteral:
		return strings.ContainsRune(string(re.Rune), '\n')
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= '\n' && '\n' <= re.Rune[i+1] {
				return true
			}
		}
	}
	for _, s := range re.Sub {
		if overLines(s) {
			return true
		}
	}
	return false
}

// beginnings returns an expression that matches every prefix of a match of re, including the whole
// match and the empty text. Assertions about the text after the prefix are left out, because that
// text is not known yet.
func beginnings(re *syntax.Regexp) *syntax.Regexp {
	switch re.Op {
	case syntax.OpLiteral:
		var out *syntax.Regexp
		for i := len(re.Rune) - 1; i >= 0; i-- {
			c := &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags, Rune: re.Rune[i : i+1]}
			if out != nil {
				c = joined(syntax.OpConcat, c, out)
			}
			out = joined(syntax.OpQuest, c)
		}
		return out
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return joined(syntax.OpQuest, re)
	case syntax.OpCapture, syntax.OpQuest:
		return beginnings(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus:
		return joined(syntax.OpConcat, joined(syntax.OpStar, re.Sub[0]), beginnings(re.Sub[0]))
	case syntax.OpAlternate:
		subs := make([]*syntax.Regexp, len(re.Sub))
		for i, s := range re.Sub {
			subs[i] = beginnings(s)
		}
		return joined(syntax.OpAlternate, subs...)
	case syntax.OpConcat:
		out := beginnings(re.Sub[len(re.Sub)-1])
		for i := len(re.Sub) - 2; i >= 0; i-- {
			out = joined(syntax.OpAlternate, joined(syntax.OpConcat, re.Sub[i], out),
				beginnings(re.Sub[i]))
		}
		return out
	}
	return &syntax.Regexp{Op: syntax.OpEmptyMatch}
}

func joined(op syntax.Op, subs ...*syntax.Regexp) *syntax.Regexp {
	return &syntax.Regexp{Op: op, Sub: subs, Flags: syntax.Perl}
}

// Pieces is a text that arrives in pieces. Text that may begin a match is held back until more
// arrives.
type Pieces struct {
	before string // the word before held, unmasked: \b and ^ depend on it
	held   string // not shown yet
}

// Holds reports whether something is held back.
func (p *Pieces) Holds() bool { return p.held != "" }

// Forget forgets the text that was shown: nothing is masked now.
func (p *Pieces) Forget() { p.before = "" }

// Add adds s and returns the text that can now be shown. m is nil if nothing is masked any more.
func (p *Pieces) Add(m *Look, s string) string {
	p.held += s
	if m == nil {
		return p.End(nil)
	}
	text := p.before + p.held
	whole := len(text) - plain.Unfinished(text)
	begun, by := m.red.undecided(text[:whole])
	safe := begun
	if m.find {
		safe = min(safe, strings.LastIndexByte(text[:whole], '\n')+1)
	}
	switch {
	case whole-begun > heldMost: // treat it as a match
		shown := p.upTo(m, text, max(begun, len(p.before)))
		p.held = text[whole:]
		return shown + by.mask()
	case whole-safe > heldMost:
		safe = begun
	}
	return p.upTo(m, text, max(safe, len(p.before)))
}

// End returns the text that was held back: no more comes, or too much has.
func (p *Pieces) End(m *Look) string {
	if m == nil {
		held := p.held
		p.before, p.held = "", ""
		return held
	}
	text := p.before + p.held
	return p.upTo(m, text, len(text))
}

// upTo returns text up to at, which moves back if a match extends over it.
func (p *Pieces) upTo(m *Look, text string, at int) string {
	from := len(p.before)
	shown, at := m.part(text, from, at)
	if at > from {
		p.before, p.held = text[lastWord(text[:at]):at], text[at:]
	}
	return shown
}

// wordMost is the longest word, in bytes, that is kept as context: longer ones are not words.
const wordMost = 256

// lastWord returns where the last word of text begins, including the space before it.
func lastWord(text string) int {
	i := strings.LastIndexAny(text[:max(len(text)-1, 0)], " \t\n")
	if cut := len(text) - wordMost; cut > i {
		i = len(text) - len(plain.Tail(text, wordMost))
	}
	return max(i, 0)
}

// undecided returns where in text a match may begin that depends on the following text, and its
// redactor; len(text) if there is none.
func (r *Set) undecided(text string) (at int, by *Redactor) {
	at = len(text)
	for _, x := range r.list {
		for _, l := range x.live {
			if i := l.from(text); i < at {
				at, by = i, x
			}
		}
	}
	return at, by
}
