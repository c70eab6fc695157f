// This file turns what a program writes into the text that a terminal would show of it.

package plain

import (
	"strings"
	"unicode/utf8"
)

// lineLimit is how many characters a line may have for carriage returns to be followed in it: a
// progress bar is as wide as a terminal, and what is held back must be bounded.
const lineLimit = 64 << 10

// erased stands for "erase to the end of the line" between Escapes and Lines; programs that write
// the character itself (VT, which terminals treat as a line feed) do not get it through.
const erased = '\v'

// Terminal returns what a terminal would show of a text that was written for one: one with escape
// sequences. Any other text stays as it is.
func Terminal(s string) string {
	if !strings.ContainsRune(s, 0x1b) {
		return s
	}
	var e Escapes
	var l Lines
	return l.Write(e.Write(s)+e.Flush()) + l.Flush()
}

// Escapes drops escape sequences from text that comes in pieces, cut anywhere. Carriage returns and
// backspaces stay, for Lines; other control characters but tabs and line ends go. The zero value is
// ready.
type Escapes struct {
	state   state
	length  int
	params  []byte // of a CSI
	partial string
}

// Write returns what a piece of text adds. What is drawn live takes it through Shown.
func (e *Escapes) Write(s string) string {
	if e.state == inText && e.partial == "" && ASCII(s) {
		return s
	}
	s = e.partial + s
	e.partial = ""
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 && !utf8.FullRuneInString(s[i:]) {
			e.partial = s[i:]
			break
		}
		e.rune(&b, r)
		i += n
	}
	return b.String()
}

// Shown is what Write returned for those who do not follow how lines are written over.
func Shown(s string) string { return strings.ReplaceAll(s, string(erased), "") }

// Flush returns what is left at the end of the text.
func (e *Escapes) Flush() string {
	left := e.partial
	e.partial = ""
	if left == "" || e.state != inText {
		return ""
	}
	return "\uFFFD"
}

func (e *Escapes) rune(b *strings.Builder, r rune) {
	switch e.state {
	case inText:
		e.text(b, r)
	case inEscape:
		e.state = inText
		switch {
		case r == '[':
			e.state, e.params = inCSI, e.params[:0]
		case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
			e.state, e.length = inString, 0
		case r >= 0x20 && r <= 0x2f:
			e.state = inEscape
		case r < 0x30 || r > 0x7e: // not a sequence after all
			e.text(b, r)
		}
	case inCSI:
		e.csi(b, r)
	case inString:
		e.length++
		switch {
		case r == 0x07 || r == 0x9c:
			e.state = inText
		case r == 0x1b:
			e.state = inStringEscape
		case r == '\n' || r == '\r' || e.length > stringLimit:
			e.state = inText
			e.text(b, r)
		}
	case inStringEscape:
		e.state = inEscape
		if r == '\\' {
			e.state = inText
			return
		}
		e.rune(b, r)
	}
}

// csi takes a character of a control sequence. Those that erase the line, or go to its first
// column, say what progress bars mean.
func (e *Escapes) csi(b *strings.Builder, r rune) {
	switch {
	case r >= 0x20 && r <= 0x3f:
		if len(e.params) < 16 {
			e.params = append(e.params, byte(r))
		}
		return
	case r < 0x40 || r > 0x7e: // not a sequence after all
		e.state = inText
		e.text(b, r)
		return
	}
	e.state = inText
	switch p := string(e.params); {
	case r == 'K' && p == "2":
		b.WriteString("\r" + string(erased))
	case r == 'K' && (p == "" || p == "0"):
		b.WriteRune(erased)
	case r == 'G' && (p == "" || p == "0" || p == "1"):
		b.WriteByte('\r')
	}
}

func (e *Escapes) text(b *strings.Builder, r rune) {
	switch {
	case r == 0x1b:
		e.state = inEscape
	case r == 0x9b:
		e.state, e.params = inCSI, e.params[:0]
	case r == 0x90 || r == 0x98 || r >= 0x9d && r <= 0x9f:
		e.state, e.length = inString, 0
	case r == '\n' || r == '\t' || r == '\r' || r == '\b':
		b.WriteRune(r)
	case Control(r):
	default:
		b.WriteRune(r)
	}
}

// Lines follows carriage returns and backspaces in text that comes in pieces, from Escapes: of a
// line that was written over and over it keeps what a terminal would show in the end. The zero
// value is ready.
type Lines struct {
	line []rune // the unfinished one
	at   int    // where the next character goes
}

// Write returns the lines that a piece of text ends. Of a very long line it returns the beginning
// at once.
func (l *Lines) Write(s string) string {
	var b strings.Builder
	if len(l.line) == 0 && !strings.ContainsAny(s, "\r\b\v") {
		end := strings.LastIndexByte(s, '\n') + 1
		if end == len(s) {
			return s
		}
		b.WriteString(s[:end])
		s = s[end:]
	}
	for _, r := range s {
		l.rune(&b, r)
	}
	return b.String()
}

func (l *Lines) rune(b *strings.Builder, r rune) {
	switch r {
	case '\n':
		b.WriteString(l.Flush() + "\n")
	case '\r':
		l.at = 0
	case '\b':
		l.at = max(0, l.at-1)
	case erased:
		l.line = l.line[:l.at]
	default:
		if l.at < len(l.line) {
			l.line[l.at] = r
		} else {
			l.line = append(l.line, r)
		}
		if l.at++; l.at == lineLimit {
			b.WriteString(l.Flush())
		}
	}
}

// Unfinished returns the line that has no end yet.
func (l *Lines) Unfinished() string { return string(l.line) }

// Flush returns the line that has no end, and forgets it.
func (l *Lines) Flush() string {
	s := string(l.line)
	l.line, l.at = l.line[:0], 0
	return s
}
