// This file masks text that comes in pieces: what may be the beginning of a match is held back until it is decided.
package engine

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// heldMost is how many bytes are held back for a match that does not end: more than any key or certificate. Longer
// ones are masked as far as they have come.
const heldMost = 64 << 10

// live tells where in a text that goes on a match may have begun.
type live struct {
	// begun matches, at the end of a text, any beginning of what the pattern matches; nil: unknown, so that lines are
	// looked through as a whole.
	begun *regexp.Regexp
	// lines says that a match may reach over the end of a line.
	lines bool
}

func newLive(re *syntax.Regexp) *live {
	l := &live{lines: overLines(re)}
	begun, err := regexp.Compile(`(?:` + beginnings(re.Simplify()).String() + `)\z`)
	if err == nil { // else it nests too deep
		l.begun = begun
	}
	return l
}

// from returns where the first match may have begun that text does not decide; len(text) if none has.
func (l *live) from(text string) int {
	begin := 0
	if !l.lines || l.begun == nil {
		begin = strings.LastIndexByte(text, '\n') + 1
	}
	if l.begun == nil {
		return begin
	}
	// A rune before the line keeps what \b and ^ mean.
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

// beginnings returns an expression for every beginning of what re matches, whole matches and nothing at all
// included. What is asserted behind such a beginning is not known yet, and left out.
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
			out = joined(syntax.OpAlternate, joined(syntax.OpConcat, re.Sub[i], out), beginnings(re.Sub[i]))
		}
		return out
	}
	return &syntax.Regexp{Op: syntax.OpEmptyMatch}
}

func joined(op syntax.Op, subs ...*syntax.Regexp) *syntax.Regexp {
	return &syntax.Regexp{Op: op, Sub: subs, Flags: syntax.Perl}
}

// pieces is a text that comes piece by piece.
type pieces struct {
	before string // the rune before held: what \b and ^ look at
	held   string // not shown yet
}

// add returns what can be shown now that s has come.
func (p *pieces) add(m *masking, s string) string {
	p.held += s
	text := p.before + p.held
	whole := completeRunes(text)
	safe := m.red.undecided(text[:whole])
	if m.red.finds {
		safe = min(safe, strings.LastIndexByte(text[:whole], '\n')+1)
	}
	if len(text)-safe > heldMost {
		return p.end(m)
	}
	return p.show(m, text, max(safe, len(p.before)))
}

// end returns what was held back: nothing more comes, or too much has.
func (p *pieces) end(m *masking) string {
	text := p.before + p.held
	return p.show(m, text, len(text))
}

// show returns text up to at, which moves back if something that is masked reaches over it.
func (p *pieces) show(m *masking, text string, at int) string {
	from := len(p.before)
	shown, at := m.part(text, from, at)
	if at > from {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		p.before, p.held = text[at-size:at], text[at:]
	}
	return shown
}

// completeRunes returns how much of text ends with a whole rune.
func completeRunes(text string) int {
	for i := len(text) - 1; i >= 0 && i >= len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				return i
			}
			break
		}
	}
	return len(text)
}

// undecided returns where in text a match may have begun that what follows decides; len(text) if none has.
func (r *redaction) undecided(text string) int {
	at := len(text)
	for _, x := range r.list {
		for _, l := range x.live {
			at = min(at, l.from(text))
		}
	}
	return at
}
