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

// Cleaner makes a text plain that arrives in pieces, cut anywhere. The zero value is ready.
type Cleaner struct {
	sequences
	cr bool // the last character was a carriage return, drawn as a line end
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

// Write adds a piece and returns its plain text.
func (c *Cleaner) Write(s string) string {
	if c.state == inText && c.partial == "" && !c.cr && ASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(c.partial) + len(s))
	c.eachRune(s, func(r rune) {
		if c.ordinary(r) {
			c.cr = false
			b.WriteByte(byte(r))
		} else if text, _ := c.takeRune(r); text {
			c.text(&b, r)
		} else {
			c.cr = false
		}
	})
	return b.String()
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

// text adds a character of the text.
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

// RevealLine is Reveal for a sentence on one line, with each run of white space as one space.
func RevealLine(s string) string { return Reveal(strings.Join(strings.Fields(s), " ")) }

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
