// This file masks text that comes in pieces: what may be the beginning of a match is held back
// until it is decided.

package redact

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// heldMost is how many bytes are held back for a match that does not end: more than any key or
// certificate. Longer ones are masked as far as they have come.
const heldMost = 64 << 10

// live tells where in a text that goes on a match may have begun.
type live struct {
	// begun matches, at the end of a text, any beginning of what the pattern matches; nil: unknown,
	// so that lines are looked through as a whole.
	begun *regexp.Regexp
	// lines says that a match may reach over the end of a line.
	lines bool
}

func newLive(re *syntax.Regexp) *live {
	l := &live{lines: overLines(re)}
	begun, err := regexp.Compile(written(beginnings(re.Simplify())) + `\z`)
	if err == nil { // else it nests too deep
		l.begun = begun
	}
	return l
}

// from returns where the first match may have begun that text does not decide; len(text) if none
// has.
func (l *live) from(text string) int {
	begin := 0
	if !l.lines || l.begun == nil {
		begin = strings.LastIndexByte(text, '\n') + 1
	}
	if l.begun == nil {
		return begin
	}
	// The line's end before it keeps what \b and ^ mean.
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

// Pieces is a text that comes piece by piece. What may be the beginning of something that is masked
// is held back until that is decided.
type Pieces struct {
	before string // the word before held, as it was: what \b and ^ look at
	held   string // not shown yet
}

// Holds reports whether something is held back.
func (p *Pieces) Holds() bool { return p.held != "" }

// Forget forgets what was shown: nothing is masked now.
func (p *Pieces) Forget() { p.before = "" }

// Add returns what can be shown now that s has come. m is nil if nothing is masked any more.
func (p *Pieces) Add(m *Look, s string) string {
	p.held += s
	if m == nil {
		return p.End(nil)
	}
	text := p.before + p.held
	whole := completeRunes(text)
	begun, by := m.red.undecided(text[:whole])
	safe := begun
	if m.find {
		safe = min(safe, strings.LastIndexByte(text[:whole], '\n')+1)
	}
	switch {
	case whole-begun > heldMost: // it is taken for a match
		shown := p.upTo(m, text, max(begun, len(p.before)))
		p.held = text[whole:]
		return shown + by.mask()
	case whole-safe > heldMost:
		safe = begun
	}
	return p.upTo(m, text, max(safe, len(p.before)))
}

// End returns what was held back: nothing more comes, or too much has.
func (p *Pieces) End(m *Look) string {
	if m == nil {
		held := p.held
		p.before, p.held = "", ""
		return held
	}
	text := p.before + p.held
	return p.upTo(m, text, len(text))
}

// upTo returns text up to at, which moves back if something that is masked reaches over it.
func (p *Pieces) upTo(m *Look, text string, at int) string {
	from := len(p.before)
	shown, at := m.part(text, from, at)
	if at > from {
		p.before, p.held = text[lastWord(text[:at]):at], text[at:]
	}
	return shown
}

// wordMost is how many bytes of a word that goes on are looked back at: longer ones are no words.
const wordMost = 256

// lastWord returns where the last word of text begins, with the space before it.
func lastWord(text string) int {
	i := strings.LastIndexAny(text[:max(len(text)-1, 0)], " \t\n")
	if cut := len(text) - wordMost; cut > i {
		for i = cut; i < cut+utf8.UTFMax-1 && !utf8.RuneStart(text[i]); i++ {
		}
	}
	return max(i, 0)
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

// undecided returns where in text a match may have begun that what follows decides, and whose;
// len(text) if none has.
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
