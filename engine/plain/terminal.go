// This file converts a program's output into the text that a terminal would show.

package plain

import (
	"strings"
)

// lineLimit is the maximal number of characters of a line in which carriage returns are followed: a
// progress bar is as wide as a terminal, and the buffered text must be limited.
const lineLimit = 64 << 10

// erased represents "erase to the end of the line" between Escapes and Lines. The same character
// (VT, which terminals treat as a line feed) in a program's output is replaced.
const erased = '\v'

// Terminal returns what a terminal would show of a text with escape sequences. Other texts stay as
// they are.
func Terminal(s string) string {
	if !strings.ContainsRune(s, 0x1b) {
		return s
	}
	var e Escapes
	var l Lines
	return l.Write(e.Write(s)+e.Flush()) + l.Flush()
}

// Escapes removes escape sequences from text that arrives in pieces, cut anywhere. It keeps
// carriage returns and backspaces, for Lines, and removes other control characters except tabs and
// line ends. The zero value is ready.
type Escapes struct{ sequences }

// Write adds a piece and returns its text. For live display, pass it through Shown.
func (e *Escapes) Write(s string) string {
	if e.state == inText && e.partial == "" && ASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(e.partial) + len(s))
	e.eachRune(s, func(r rune) {
		if e.ordinary(r) {
			b.WriteByte(byte(r))
			return
		}
		switch text, final := e.takeRune(r); {
		case final != 0:
			e.addErasure(&b, final)
		case text && (!Control(r) || r == '\n' || r == '\t' || r == '\r' || r == '\b'):
			b.WriteRune(r)
		}
	})
	return b.String()
}

// Shown converts the result of Write for readers that do not handle overwritten lines.
func Shown(s string) string { return strings.ReplaceAll(s, string(erased), "") }

// addErasure handles the end of a control sequence. Sequences that erase the line, or move to its
// first column, are used by progress bars.
func (e *Escapes) addErasure(b *strings.Builder, r rune) {
	switch p := string(e.params); {
	case r == 'K' && p == "2":
		b.WriteString("\r" + string(erased))
	case r == 'K' && (p == "" || p == "0"):
		b.WriteRune(erased)
	case r == 'G' && (p == "" || p == "0" || p == "1"):
		b.WriteByte('\r')
	}
}

// Lines follows carriage returns and backspaces in text that arrives in pieces, from Escapes: of an
// overwritten line it keeps what a terminal would finally show. The zero value is ready.
type Lines struct {
	line []rune // the unfinished one
	at   int    // where the next character goes
}

// Write adds a piece and returns the lines that it completes. Of a very long line it returns the
// beginning at once.
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

// Unfinished returns the incomplete last line.
func (l *Lines) Unfinished() string { return string(l.line) }

// Flush returns the incomplete last line, and clears it.
func (l *Lines) Flush() string {
	s := string(l.line)
	l.line, l.at = l.line[:0], 0
	return s
}
