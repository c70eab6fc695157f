package plain

import "unicode/utf8"

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

// sequences tells escape sequences from text that arrives in pieces, cut anywhere.
type sequences struct {
	state   state
	length  int    // of the control string so far
	params  []byte // of a CSI
	partial string // the bytes of an incomplete character at the end of the last piece
}

// eachRune calls f with each character of a piece of text. It keeps the beginning of a character at
// the end of the piece, whose rest comes with the next one.
func (q *sequences) eachRune(s string, f func(r rune)) {
	s, q.partial = q.partial+s, ""
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 && !utf8.FullRuneInString(s[i:]) {
			q.partial = s[i:]
			return
		}
		f(r)
		i += n
	}
}

// Flush returns the rest at the end of the text.
func (q *sequences) Flush() string {
	left := q.partial
	q.partial = ""
	if left == "" || q.state != inText {
		return ""
	}
	return "\uFFFD"
}

// takeRune takes the next character. text reports that it belongs to no sequence. final is the last
// character of a CSI, 0 if none ends here; params has its parameters.
func (q *sequences) takeRune(r rune) (text bool, final rune) {
	switch q.state {
	case inText:
		return q.isText(r), 0
	case inEscape:
		return q.escape(r), 0
	case inCSI:
		switch {
		case r >= 0x20 && r <= 0x3f:
			if len(q.params) < 16 {
				q.params = append(q.params, byte(r))
			}
			return false, 0
		case r >= 0x40 && r <= 0x7e:
			q.state = inText
			return false, r
		}
		q.state = inText // not a sequence
		return q.isText(r), 0
	case inString:
		return q.controlString(r), 0
	default: // inStringEscape
		q.state = inEscape
		if r == '\\' {
			q.state = inText
			return false, 0
		}
		return q.takeRune(r)
	}
}

// ordinary reports whether r is plain ASCII in text, which most characters are.
func (q *sequences) ordinary(r rune) bool { return q.state == inText && r >= 0x20 && r <= 0x7e }

// isText reports whether r, after text, is text too, and not the beginning of a sequence.
func (q *sequences) isText(r rune) bool {
	switch {
	case r == 0x1b:
		q.state = inEscape
	case r == 0x9b:
		q.state, q.params = inCSI, q.params[:0]
	case r == 0x90 || r == 0x98 || r >= 0x9d && r <= 0x9f:
		q.state, q.length = inString, 0
	default:
		return true
	}
	return false
}

// escape takes a character after an escape character, and reports whether it is text.
func (q *sequences) escape(r rune) bool {
	switch {
	case r == '[':
		q.state, q.params = inCSI, q.params[:0]
	case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
		q.state, q.length = inString, 0
	case r >= 0x20 && r <= 0x2f: // an intermediate character; the final one follows
	case r >= 0x30 && r <= 0x7e:
		q.state = inText
	default: // not a sequence after all
		q.state = inText
		return q.isText(r)
	}
	return false
}

// controlString skips a character of a control string, and reports whether it is text. The string
// ends at a line end too: otherwise an unfinished one would hide everything that follows.
func (q *sequences) controlString(r rune) bool {
	q.length++
	switch {
	case r == 0x07 || r == 0x9c:
		q.state = inText
	case r == 0x1b:
		q.state = inStringEscape
	case r == '\n' || r == '\r' || q.length > stringLimit:
		q.state = inText
		return q.isText(r)
	}
	return false
}
