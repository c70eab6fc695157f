package vim

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// text is a buffer in characters as users see them (grapheme clusters). Places are their numbers.
type text struct {
	chars []string
	at    int
}

func newText(b Buffer) *text {
	t := &text{at: -1}
	used := 0
	for rest := b.Text; rest != ""; {
		if t.at < 0 && used >= b.At {
			t.at = len(t.chars)
		}
		cluster := rest[:1]
		if rest[0] >= utf8.RuneSelf || len(rest) > 1 && rest[1] >= utf8.RuneSelf {
			cluster, _ = ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		}
		t.chars = append(t.chars, cluster)
		used, rest = used+len(cluster), rest[len(cluster):]
	}
	if t.at < 0 {
		t.at = len(t.chars)
	}
	return t
}

func (t *text) buffer() Buffer {
	return Buffer{strings.Join(t.chars, ""), t.offset(t.at)}
}

// offset returns the place of a character in bytes.
func (t *text) offset(i int) int {
	n := 0
	for _, c := range t.chars[:i] {
		n += len(c)
	}
	return n
}

// place returns the number of the character at a place in bytes.
func (t *text) place(offset int) int {
	for i, c := range t.chars {
		if offset -= len(c); offset < 0 {
			return i
		}
	}
	return len(t.chars)
}

// ends reports whether a line ends before or at character i.
func (t *text) ends(i int) bool { return i >= len(t.chars) || t.chars[i] == "\n" }

// lineStart and lineEnd return the bounds of the line of character i; the second is its line end.
func (t *text) lineStart(i int) int {
	for i > 0 && t.chars[i-1] != "\n" {
		i--
	}
	return i
}

func (t *text) lineEnd(i int) int {
	for !t.ends(i) {
		i++
	}
	return i
}

// first returns the first character of the line of i that is no space.
func (t *text) first(i int) int {
	for i = t.lineStart(i); !t.ends(i) && t.class(i, false) == blank; {
		i++
	}
	return i
}

// clamp keeps the cursor on a character: not behind the last one of a line, unless there is none. A
// selection may include the line end.
func (t *text) clamp(selecting bool) {
	t.at = max(0, min(t.at, len(t.chars)))
	if !selecting && t.ends(t.at) && t.at > t.lineStart(t.at) {
		t.at--
	}
}

// left moves the cursor to the left in its line.
func (t *text) left() {
	if t.at > t.lineStart(t.at) {
		t.at--
	}
}

// insert inserts a string before the cursor, which stays behind it.
func (t *text) insert(s string) {
	more := newText(Buffer{Text: s}).chars
	t.chars = append(t.chars[:t.at:t.at], append(more, t.chars[t.at:]...)...)
	t.at += len(more)
}

// cut removes characters from one up to another, and puts the cursor there. It returns them.
func (t *text) cut(from, to int) string {
	gone := strings.Join(t.chars[from:to], "")
	t.chars = append(t.chars[:from:from], t.chars[to:]...)
	t.at = from
	return gone
}

// selected returns the selection from a place in bytes to the cursor, both included.
func (t *text) selected(anchor int, lines bool) (from, to int) {
	from, to = t.place(anchor), t.at
	if from > to {
		from, to = to, from
	}
	if lines {
		return t.lineStart(from), min(t.lineEnd(to)+1, len(t.chars))
	}
	return from, min(to+1, len(t.chars))
}

// class says which characters form a word.
type class int

const (
	blank class = iota
	word
	sign
)

// class returns the class of character i; big is for words that end at spaces only.
func (t *text) class(i int, big bool) class {
	r, _ := utf8.DecodeRuneInString(t.chars[i])
	switch {
	case r == '\n' || unicode.IsSpace(r):
		return blank
	case big, r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
		return word
	}
	return sign
}

// empty reports whether i is in an empty line, which the end of the text may be, too.
func (t *text) empty(i int) bool {
	return t.ends(i) && (i == 0 || t.chars[i-1] == "\n")
}
