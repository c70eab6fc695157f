// This file finds invisible characters.

package lint

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// controls change the direction of the text after them, so that it reads differently from how it
// runs.
var controls = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x061c, Hi: 0x061c, Stride: 1}, {Lo: 0x200e, Hi: 0x200f, Stride: 1},
	{Lo: 0x202a, Hi: 0x202e, Stride: 1}, {Lo: 0x2066, Hi: 0x2069, Stride: 1},
}}

// widthless have no width, or look like a space and are part of a name.
var widthless = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x00ad, Hi: 0x00ad, Stride: 1}, {Lo: 0x034f, Hi: 0x034f, Stride: 1},
	{Lo: 0x115f, Hi: 0x1160, Stride: 1}, {Lo: 0x17b4, Hi: 0x17b5, Stride: 1},
	{Lo: 0x180e, Hi: 0x180e, Stride: 1}, {Lo: 0x200b, Hi: 0x200d, Stride: 1},
	{Lo: 0x2060, Hi: 0x2064, Stride: 1}, {Lo: 0x206a, Hi: 0x206f, Stride: 1},
	{Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1},
	{Lo: 0xfeff, Hi: 0xfeff, Stride: 1}, {Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
	{Lo: 0xfff9, Hi: 0xfffb, Stride: 1},
}, R32: []unicode.Range32{{Lo: 0x1d173, Hi: 0x1d17a, Stride: 1},
	{Lo: 0xe0000, Hi: 0xe007f, Stride: 1}, {Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}}}

const (
	joiner   = 0x200d // joins emoji into one
	byteMark = 0xfeff // may begin a file
)

// unseen finds invisible characters. A joiner between emoji is visible.
func (s *source) unseen() {
	before := rune(0)
	for at, r := range s.code.text {
		switch {
		case r == '\r' && !strings.HasPrefix(s.code.text[at+1:], "\n"), r == 0x2028, r == 0x2029:
			s.add(at, Error, "unicode", "write a plain line end",
				"U+%04X ends a line, which is not seen: what follows a comment there runs", r)
		case r == utf8.RuneError, r == '\t', r == '\n', r == '\r', r == '\f':
		case unicode.IsControl(r):
			s.add(at, Error, "unicode", "take it out, or write it as an escape",
				"U+%04X is a control character: a terminal may hide what stands there", r)
		case r < 0x80, r == byteMark && at == 0, r == joiner && before > 0x2000:
		case unicode.Is(controls, r):
			s.add(at, Error, "unicode", "take it out, or write it as an escape",
				"U+%04X turns the direction of writing: what is read here is not what runs", r)
		case unicode.Is(widthless, r):
			s.add(at, Error, "unicode", "take it out, or write it as an escape",
				"U+%04X cannot be seen", r)
		}
		before = r
	}
}
