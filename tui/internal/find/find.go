// Package find searches texts for what a user types, and marks it in lines that are drawn.
//
//	q := find.New("error")
//	q.In(text)        // reports whether the text has it, in capitals or not
//	q.Mark(line, ink) // the line with each place drawn by ink
//
// Case does not matter. A text is searched in one pass, without copies.
package find

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Query is what is searched for. The zero Query is in no text.
type Query struct {
	lower string // in small letters
	first string // the bytes with which a place may begin; "" = any
}

// New returns a query for a text.
func New(text string) Query {
	q := Query{lower: strings.ToLower(text)}
	if q.lower != "" && q.lower[0] < utf8.RuneSelf && q.lower[0] != 'k' && q.lower[0] != 's' {
		// k and s are also the small letters of the Kelvin sign and of the long s
		q.first = string(q.lower[0]) + string(unicode.ToUpper(rune(q.lower[0])))
	}
	return q
}

// Empty reports whether nothing is searched for.
func (q Query) Empty() bool { return q.lower == "" }

// In reports whether a text has the query.
func (q Query) In(text string) bool {
	from, _ := q.place(text, 0)
	return from >= 0
}

// place returns the first place at or after at, -1 if there is none.
func (q Query) place(text string, at int) (from, to int) {
	if q.lower == "" {
		return -1, -1
	}
	for at < len(text) {
		if q.first != "" {
			i := indexEither(text[at:], q.first[0], q.first[1])
			if i < 0 {
				break
			}
			at += i
		}
		if n := q.prefix(text[at:]); n > 0 {
			return at, at + n
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return -1, -1
}

// indexEither returns the first place of one of two bytes, -1 if there is none.
func indexEither(s string, a, b byte) int {
	if a == b {
		return strings.IndexByte(s, a)
	}
	for i := range len(s) {
		if s[i] == a || s[i] == b {
			return i
		}
	}
	return -1
}

// prefix returns the length of the query at the beginning of a text, 0 if it is not there.
func (q Query) prefix(text string) int {
	n := 0
	for _, want := range q.lower {
		got, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || unicode.ToLower(got) != want {
			return 0
		}
		n += size
	}
	return n
}

// Mark returns a drawn line in which ink draws each place of the query, without the colours that
// the place had. The line has no sequences other than those of colours. ok is false, and the line
// is unchanged, if the query is not in it.
func (q Query) Mark(line string, ink func(string) string) (marked string, ok bool) {
	text := ansi.Strip(line)
	from, to := q.place(text, 0)
	if from < 0 {
		return line, false
	}
	var b strings.Builder
	colours, at := "", 0 // the colours that are on; the place in text
	for rest := line; rest != ""; {
		if n := sequence(rest); n > 0 {
			if colours += rest[:n]; rest[:n] == "\x1b[m" || rest[:n] == "\x1b[0m" {
				colours = ""
			}
			if from < 0 || at <= from {
				b.WriteString(rest[:n])
			}
			rest = rest[n:]
			continue
		}
		switch {
		case at == from:
			b.WriteString("\x1b[m" + ink(text[from:to]))
		case from < 0 || at < from:
			b.WriteByte(rest[0])
		}
		at++
		rest = rest[1:]
		if at == to {
			b.WriteString(colours)
			from, to = q.place(text, to)
		}
	}
	return b.String(), true
}

// sequence returns the length of the colour sequence that s begins with, 0 if it begins with none.
func sequence(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	return strings.IndexByte(s, 'm') + 1
}
