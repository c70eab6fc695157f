// Package plain makes text safe to show on a terminal. Texts of tools, models, servers and scripts
// can contain escape sequences that move the cursor, change colours, rename the window or write the
// clipboard, and characters that make text look different, or that spell out invisible words.
//
//	fmt.Println(plain.Text(said))
//
// It removes control characters, whole escape sequences, and characters that are invisible or
// change the direction of text; line ends become \n, tabs stay, invalid UTF-8 becomes U+FFFD.
package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// stringLimit is how many characters a control string (OSC, DCS, ...) may have: a longer one is
// treated as an escape character followed by text, which must not be removed.
const stringLimit = 4096

type state int

const (
	inText state = iota
	inEscape
	inCSI
	inString
	inStringEscape
)

// Cleaner makes a text plain that arrives in pieces, cut anywhere. The zero value is ready.
type Cleaner struct {
	state   state
	length  int    // of the control string so far
	cr      bool   // the last character was a carriage return, drawn as a line end
	partial string // the bytes of an incomplete character at the end of the last piece
}

// Text returns s made plain.
func Text(s string) string {
	var c Cleaner
	return c.Write(s) + c.Flush()
}

// Line returns s made plain, on one line and cut to at most n bytes, without partial characters,
// with an ellipsis.
func Line(s string, n int) string {
	s = OneLine(s)
	if len(s) <= n {
		return s
	}
	return Head(s, n) + "…"
}

// OneLine returns s made plain, on one line, with each run of white space as one space.
func OneLine(s string) string { return strings.Join(strings.Fields(Text(s)), " ") }

// Fenced returns text as a code block in Markdown, with enough backticks that no line of the text
// can end it.
func Fenced(lang, text string) string {
	run, longest := 0, 2
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + lang + "\n" + text + "\n" + fence
}

// eachRune calls f with each character of a piece of text. It returns the beginning of a character
// at the end of the piece, whose rest comes with the next one.
func eachRune(s string, f func(r rune)) (partial string) {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 && !utf8.FullRuneInString(s[i:]) {
			return s[i:]
		}
		f(r)
		i += n
	}
	return ""
}

// Write adds a piece and returns its plain text.
func (c *Cleaner) Write(s string) string {
	if c.state == inText && c.partial == "" && !c.cr && ASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(c.partial) + len(s))
	c.partial = eachRune(c.partial+s, func(r rune) { c.rune(&b, r) })
	return b.String()
}

// Flush returns the rest at the end of the text.
func (c *Cleaner) Flush() string {
	left := c.partial
	c.partial = ""
	if left == "" || c.state != inText {
		return ""
	}
	return "\uFFFD"
}

// ASCII reports whether s is plain ASCII: most text is, and needs no cleaning.
func ASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if b := s[i]; b != '\n' && b != '\t' && (b < 0x20 || b > 0x7e) {
			return false
		}
	}
	return true
}

func (c *Cleaner) rune(b *strings.Builder, r rune) {
	switch c.state {
	case inText:
		c.text(b, r)
	case inEscape:
		switch {
		case r == '[':
			c.state = inCSI
		case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
			c.state, c.length = inString, 0
		case r >= 0x20 && r <= 0x2f: // an intermediate character; the final one follows
		case r >= 0x30 && r <= 0x7e:
			c.state = inText
		default: // not a sequence after all
			c.state = inText
			c.text(b, r)
		}
	case inCSI:
		switch {
		case r >= 0x20 && r <= 0x3f:
		case r >= 0x40 && r <= 0x7e:
			c.state = inText
		default:
			c.state = inText
			c.text(b, r)
		}
	case inString:
		c.str(b, r)
	case inStringEscape:
		c.state = inEscape
		if r == '\\' {
			c.state = inText
		} else {
			c.rune(b, r)
		}
	}
}

// str skips a control string. It ends at a line end too: otherwise an unfinished one would hide
// everything that follows.
func (c *Cleaner) str(b *strings.Builder, r rune) {
	c.length++
	switch {
	case r == 0x07 || r == 0x9c:
		c.state = inText
	case r == 0x1b:
		c.state = inStringEscape
	case r == '\n' || r == '\r' || c.length > stringLimit:
		c.state = inText
		c.text(b, r)
	}
}

func (c *Cleaner) text(b *strings.Builder, r rune) {
	cr := c.cr
	c.cr = false
	switch {
	case r == '\n':
		if !cr {
			b.WriteByte('\n')
		}
	case r == '\r': // a lone one would overwrite the previous line, and so hide it
		c.cr = true
		b.WriteByte('\n')
	case r == '\t':
		b.WriteByte('\t')
	case r == 0x1b:
		c.state = inEscape
	case r == 0x9b:
		c.state = inCSI
	case r == 0x90 || r == 0x98 || r >= 0x9d && r <= 0x9f:
		c.state, c.length = inString, 0
	case r == 0x2028 || r == 0x2029:
		b.WriteByte('\n')
	case Control(r) || Invisible(r) && !joins(r):
	default:
		b.WriteRune(r)
	}
}

// Reveal makes control and invisible characters visible, for text that a person decides about. Line
// ends and tabs stay. A long run of one such character becomes its picture and a count.
func Reveal(s string) string {
	const mostPictures = 8
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		picture := pictureOf(r)
		if picture == "" {
			b.WriteRune(r)
			s = s[size:]
			continue
		}
		n := 0
		for one := s[:size]; strings.HasPrefix(s, one); s = s[size:] {
			n++
		}
		if n > mostPictures {
			fmt.Fprintf(&b, "<%d times %s>", n, picture)
			continue
		}
		b.WriteString(strings.Repeat(picture, n))
	}
	return b.String()
}

// pictureOf returns what is shown for a control or an invisible character; "" = itself.
func pictureOf(r rune) string {
	switch {
	case r == '\n' || r == '\t':
		return ""
	case r < 0x20:
		return string(0x2400 + r)
	case r == 0x7f:
		return "\u2421"
	case Control(r) || Invisible(r):
		return fmt.Sprintf("<U+%04X>", r)
	}
	return ""
}

// RevealName is Reveal for a name, which is shown on one line: line ends, tabs and spaces that are
// easily missed are visible too, as in " .lua".
func RevealName(s string) string {
	var b strings.Builder
	list := []rune(s)
	for i, r := range list {
		last := i == len(list)-1
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(0x2400 + r)
		case r == ' ' && (i == 0 || last || list[i-1] == ' ' || list[i+1] == ' ' ||
			list[i-1] == '/' || list[i+1] == '.'):
			b.WriteRune(0x2420)
		case r != ' ' && unicode.Is(unicode.Zs, r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return Reveal(b.String())
}

// Control reports whether r is a control character.
func Control(r rune) bool { return r < 0x20 || r >= 0x7f && r <= 0x9f }

// Invisible reports whether r is invisible, is a letter that looks like a space, or changes the
// direction of text.
func Invisible(r rune) bool {
	return joins(r) || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060 &&
		r <= 0x206f ||
		r == 0x061c || r == 0x180e || r == 0xfeff || r == 0x00ad || r >= 0xfff9 && r <= 0xfffb ||
		r >= 0xe0000 && r <= 0xe007f
}

// joins reports whether r is invisible but needed by scripts or emoji: joiners, Hangul fillers,
// variation selectors of ideographs, of which there are 240, enough to encode any text.
func joins(r rune) bool {
	return r == 0x200c || r == 0x200d || r == 0x034f || r == 0x115f || r == 0x1160 || r == 0x17b4 ||
		r == 0x17b5 ||
		r == 0x3164 || r == 0xffa0 || r >= 0x1d173 && r <= 0x1d17a || r >= 0xe0100 && r <= 0xe01ef
}
