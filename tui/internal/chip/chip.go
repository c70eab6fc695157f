// Package chip holds long pasted texts, so that an editor shows a label for each and edits it as
// one character.
//
//	var s chip.Set
//	r, ok := s.Add(pasted)     // a character for the text of an editor
//	s.Labelled("see " + string(r)) // "see [Pasted 120 lines]"
//	s.Expand("see " + string(r))   // "see " and what was pasted
//
// In the text of an editor a chip is one code point, from a private area of Unicode that no script
// and no icon font uses. Text from outside must pass Clean, so that it holds no such code points:
// a label that the user types is only text. The package knows no terminal and does no I/O.
package chip

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/plain"
)

const (
	// first and last are the code points of chips: supplementary private use area B.
	first, last = 0x100000, 0x10fffd

	// mostLines and mostChars are the size of the largest paste that is not a chip.
	mostLines, mostChars = 5, 1000
	// sizeFrom is the size, in bytes, from which a label says how large the text is.
	sizeFrom = 50 << 10
)

// Set holds the chips of one start of the program. The zero Set is empty.
type Set struct {
	chips  []entry
	byText map[string]rune   // the chips by their texts
	named  map[string]int    // how many chips have a label, without its number
	sent   map[string]string // texts with chips by the same texts with their chips expanded
}

// entry is one chip.
type entry struct {
	label string
	text  string // what is sent for it
	ready bool   // text is known
	cut   bool   // text is a part of what was pasted
}

// Long reports whether a pasted text becomes a chip.
func Long(text string) bool {
	return lines(text) > mostLines ||
		len(text) > mostChars && utf8.RuneCountInString(text) > mostChars
}

// lines counts the lines of a text, whose line ends may be those of any system.
func lines(text string) int {
	end := "\n"
	if !strings.Contains(text, end) {
		end = "\r" // terminals send this for a line end
	}
	return strings.Count(strings.TrimSuffix(text, end), end) + 1
}

// Clean replaces the code points of chips in a text that comes from outside.
func Clean(text string) string {
	if !strings.ContainsFunc(text, Is) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if Is(r) {
			r = utf8.RuneError
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Is reports whether r is the code point of a chip.
func Is(r rune) bool { return r >= first && r <= last }

// Add returns the code point of a text. The same text has the same one. It returns false if there
// are too many chips.
func (s *Set) Add(text string) (rune, bool) {
	if r, ok := s.byText[text]; ok {
		return r, true
	}
	r, ok := s.Reserve(text)
	if ok {
		s.Fill(r, text)
	}
	return r, ok
}

// Reserve returns a code point for a pasted text that is still being prepared: Fill says what is
// sent for it.
func (s *Set) Reserve(pasted string) (rune, bool) {
	if len(s.chips) > last-first {
		return 0, false
	}
	s.chips = append(s.chips, entry{label: s.label(pasted)})
	return first + rune(len(s.chips)-1), true
}

// Fill sets the text that is sent for a chip.
func (s *Set) Fill(r rune, text string) {
	e := s.entry(r)
	if e == nil {
		return
	}
	e.text, e.ready = text, true
	if s.byText == nil {
		s.byText = map[string]rune{}
	}
	s.byText[text] = r
}

// FillPart sets a part of the pasted text as the text that is sent for a chip.
func (s *Set) FillPart(r rune, text string) {
	s.Fill(r, text)
	if e := s.entry(r); e != nil {
		e.cut = true
	}
}

// Cut returns the label of a chip in a text of which only a part is sent, "" if there is none.
func (s *Set) Cut(text string) string {
	for _, e := range s.in(text) {
		if e.cut {
			return e.label
		}
	}
	return ""
}

// label returns a label for a text, which differs from those of all others.
func (s *Set) label(text string) string {
	n := lines(text)
	what := plain.Count(n, "line")
	if n == 1 && len(text) < sizeFrom {
		what = plain.Count(utf8.RuneCountInString(text), "character")
	}
	if len(text) >= sizeFrom {
		what += ", " + size(len(text))
	}
	if s.named == nil {
		s.named = map[string]int{}
	}
	if s.named[what]++; s.named[what] > 1 {
		return fmt.Sprintf("[Pasted %s #%d]", what, s.named[what])
	}
	return "[Pasted " + what + "]"
}

// size formats a number of bytes for people.
func size(n int) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// entry returns the chip of a code point, nil if there is none.
func (s *Set) entry(r rune) *entry {
	if i := int(r) - first; Is(r) && i < len(s.chips) {
		return &s.chips[i]
	}
	return nil
}

// Label returns the label of a chip, "" if r is not one.
func (s *Set) Label(r rune) string {
	if e := s.entry(r); e != nil {
		return e.label
	}
	return ""
}

// Labelled returns a text with the labels of its chips in their places.
func (s *Set) Labelled(text string) string {
	return s.replace(text, func(e *entry) string { return e.label })
}

// Expand returns a text with the texts of its chips in their places.
func (s *Set) Expand(text string) string {
	return s.replace(text, func(e *entry) string { return e.text })
}

func (s *Set) replace(text string, by func(*entry) string) string {
	if !strings.ContainsFunc(text, Is) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if e := s.entry(r); e != nil {
			b.WriteString(by(e))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Begins reports whether a text begins with a chip.
func (s *Set) Begins(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return s.entry(r) != nil
}

// Ready reports whether the texts of all chips in a text are known.
func (s *Set) Ready(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		e := s.entry(r)
		return e != nil && !e.ready
	})
}

// Size returns the size of the texts of the chips in a text, in bytes.
func (s *Set) Size(text string) (n int) {
	for _, e := range s.in(text) {
		n += len(e.text)
	}
	return n
}

// in returns the chips in a text, in order.
func (s *Set) in(text string) (list []*entry) {
	for _, r := range text {
		if e := s.entry(r); e != nil {
			list = append(list, e)
		}
	}
	return list
}

// Send returns what is sent for a text, and keeps the text for Compact.
func (s *Set) Send(text string) string {
	whole := s.Expand(text)
	if whole != text {
		if s.sent == nil {
			s.sent = map[string]string{}
		}
		s.sent[whole] = text
	}
	return whole
}

// Compact returns the text of which Send made this one. ok is false if there is none.
func (s *Set) Compact(whole string) (text string, ok bool) {
	text, ok = s.sent[whole]
	return text, ok
}

// Spans returns the parts of Expand(text) that are those of chips, as offsets in bytes.
func (s *Set) Spans(text string) (spans [][2]int) {
	at := 0
	for _, r := range text {
		n := utf8.RuneLen(r)
		if e := s.entry(r); e != nil {
			n = len(e.text)
			spans = append(spans, [2]int{at, at + n})
		}
		at += n
	}
	return spans
}

// Split cuts a text into parts that were typed and parts that were pasted, by turns: the first one
// was typed. Spans that do not fit the text are left out.
func Split(text string, spans [][2]int) (parts []string) {
	at := 0
	for _, span := range spans {
		from, to := span[0], span[1]
		if from < at || to <= from || to > len(text) || !utf8.ValidString(text[at:from]) ||
			!utf8.ValidString(text[from:to]) {
			continue
		}
		parts = append(parts, text[at:from], text[from:to])
		at = to
	}
	return append(parts, text[at:])
}

// Join returns the text of which Split made these parts, with chips for those that were pasted.
func (s *Set) Join(parts []string) string {
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 1 {
			if r, ok := s.Add(part); ok {
				b.WriteRune(r)
				continue
			}
		}
		b.WriteString(part)
	}
	return b.String()
}

// Refold cuts a text that was edited elsewhere into parts as Split does: the texts of the chips of
// an earlier text, in their order, as far as they are still there unchanged.
func (s *Set) Refold(edited, earlier string) (parts []string) {
	at := 0
	for _, e := range s.in(earlier) {
		if i := strings.Index(edited[at:], e.text); i >= 0 && e.text != "" {
			parts = append(parts, edited[at:at+i], e.text)
			at += i + len(e.text)
		}
	}
	return append(parts, edited[at:])
}
