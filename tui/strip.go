// This file keeps control characters away from the terminal. What a tool, a model or a script says can
// hold escape sequences that move the cursor, change colours, rename the window or write the clipboard,
// and characters that make text look other than it is. Everything that is drawn has gone through a
// cleaner, or, where it must be judged by a person, through reveal.
package tui

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// tabWidth is how many spaces stand for a tab: a terminal's own tab stops would break the layout.
const tabWidth = 4

// stringLimit is how many characters a control string (OSC, DCS, ...) may have: one that is longer is
// taken to be an escape character followed by text, which must not vanish.
const stringLimit = 4096

type cleanState int

const (
	cleanText cleanState = iota
	cleanEsc
	cleanCSI
	cleanString
	cleanStringEsc
)

// cleaner removes control characters and whole escape sequences from a text that comes in pieces, cut
// anywhere. Line ends become \n, tabs become spaces, invalid UTF-8 becomes U+FFFD.
type cleaner struct {
	state   cleanState
	length  int    // of the control string so far
	cr      bool   // the last character was a carriage return, drawn as a line end
	partial string // the bytes of an incomplete character at the end of the last piece
}

// clean returns the text without control characters.
func clean(s string) string {
	var c cleaner
	return c.write(s) + c.flush()
}

// write returns what a piece of text adds.
func (c *cleaner) write(s string) string {
	if c.state == cleanText && c.partial == "" && !c.cr && plain(s) {
		return s
	}
	s = c.partial + s
	c.partial = ""
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 && !utf8.FullRuneInString(s[i:]) {
			c.partial = s[i:]
			break
		}
		c.rune(&b, r)
		i += n
	}
	return b.String()
}

// flush returns what is left at the end of the text.
func (c *cleaner) flush() string {
	left := c.partial
	c.partial = ""
	if left == "" || c.state != cleanText {
		return ""
	}
	return "\uFFFD"
}

// plain reports whether s needs no cleaning.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if b := s[i]; b != '\n' && (b < 0x20 || b > 0x7e) {
			return false
		}
	}
	return true
}

func (c *cleaner) rune(b *strings.Builder, r rune) {
	switch c.state {
	case cleanText:
		c.text(b, r)
	case cleanEsc:
		switch {
		case r == '[':
			c.state = cleanCSI
		case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
			c.state, c.length = cleanString, 0
		case r >= 0x20 && r <= 0x2f: // an intermediate character; the final one follows
		case r >= 0x30 && r <= 0x7e:
			c.state = cleanText
		default: // not a sequence after all
			c.state = cleanText
			c.text(b, r)
		}
	case cleanCSI:
		switch {
		case r >= 0x20 && r <= 0x3f:
		case r >= 0x40 && r <= 0x7e:
			c.state = cleanText
		default:
			c.state = cleanText
			c.text(b, r)
		}
	case cleanString:
		c.str(b, r)
	case cleanStringEsc:
		c.state = cleanEsc
		if r == '\\' {
			c.state = cleanText
		} else {
			c.rune(b, r)
		}
	}
}

// str swallows a control string. It ends at a line end too: otherwise an unfinished one would hide
// everything that follows.
func (c *cleaner) str(b *strings.Builder, r rune) {
	c.length++
	switch {
	case r == 0x07 || r == 0x9c:
		c.state = cleanText
	case r == 0x1b:
		c.state = cleanStringEsc
	case r == '\n' || r == '\r' || c.length > stringLimit:
		c.state = cleanText
		c.text(b, r)
	}
}

func (c *cleaner) text(b *strings.Builder, r rune) {
	cr := c.cr
	c.cr = false
	switch {
	case r == '\n':
		if !cr {
			b.WriteByte('\n')
		}
	case r == '\r': // a lone one would draw over the line before it, and so hide it
		c.cr = true
		b.WriteByte('\n')
	case r == '\t':
		b.WriteString(strings.Repeat(" ", tabWidth))
	case r == 0x1b:
		c.state = cleanEsc
	case r == 0x9b:
		c.state = cleanCSI
	case r == 0x90 || r == 0x98 || r >= 0x9d && r <= 0x9f:
		c.state, c.length = cleanString, 0
	case r == 0x2028 || r == 0x2029:
		b.WriteByte('\n')
	case control(r) || r != 0x200c && r != 0x200d && invisible(r): // joiners belong to scripts and emoji
	default:
		b.WriteRune(r)
	}
}

func control(r rune) bool { return r < 0x20 || r >= 0x7f && r <= 0x9f }

// invisible reports whether r is drawn as nothing or changes the direction of text.
func invisible(r rune) bool {
	return r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060 && r <= 0x206f ||
		r == 0x061c || r == 0x180e || r == 0xfeff || r == 0x00ad || r >= 0xfff9 && r <= 0xfffb ||
		r >= 0xe0000 && r <= 0xe007f
}

// reveal makes control and invisible characters visible. It is for what a person decides about: the
// command that is shown must be the command that runs. Line ends stay, tabs become spaces.
func reveal(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteByte('\n')
		case r == '\t':
			b.WriteString(strings.Repeat(" ", tabWidth))
		case r < 0x20:
			b.WriteRune(0x2400 + r) // the picture of the character
		case r == 0x7f:
			b.WriteRune(0x2421)
		case control(r) || invisible(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
