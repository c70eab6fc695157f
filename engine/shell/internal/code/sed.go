// This file reads scripts for sed.

package code

import (
	"strings"
	"unicode/utf8"
)

// maxFilter limits the length in bytes of a script for sed or awk that is read.
const maxFilter = 4 << 10

// SedFilters reports whether a script for sed only prints, changes and leaves out lines: it runs no
// program, and reads and writes no file.
func SedFilters(text string) bool {
	if len(text) > maxFilter || !utf8.ValidString(text) {
		return false
	}
	s := &sedScript{text: text}
	for {
		for s.pass(" \t;{}") {
		}
		switch {
		case s.now() == '\n':
			s.name = false
			s.at++
		case s.at == len(s.text):
			return true
		case !s.command():
			return false
		}
	}
}

// sedScript is a script for sed that is being read.
type sedScript struct {
	text string
	at   int
	// name says that there is a label in this line. To some versions, it ends where the line does.
	name bool
}

// now returns the next byte; 0 = there is none.
func (s *sedScript) now() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// pass skips bytes of a set. It reports whether there are any.
func (s *sedScript) pass(set string) bool {
	from := s.at
	for s.at < len(s.text) && strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
	}
	return s.at > from
}

const digits = "0123456789"

// address reads what selects lines. It returns false if it does not understand it.
func (s *sedScript) address() bool {
	switch c := s.now(); {
	case c == '$':
		s.at++
	case c == '/':
		s.at++
		if !s.pattern('/') {
			return false
		}
		s.pass("I")
	case c == '\\' && s.at+1 < len(s.text) && isDelimiter(s.text[s.at+1]):
		s.at += 2
		if !s.pattern(s.text[s.at-1]) {
			return false
		}
		s.pass("I")
	case !s.pass(digits):
		return false
	case s.now() == '~':
		s.at++
		return s.pass(digits)
	}
	return true
}

// isDelimiter reports whether a byte may stand around the parts of a command. A letter, and a byte
// with a meaning in regular expressions, may have that, too.
func isDelimiter(c byte) bool { return c != 0 && strings.IndexByte("/|#,@:!~%+_=", c) >= 0 }

// command reads a command that begins with its addresses. It returns false if the command may do
// more than filter.
func (s *sedScript) command() bool {
	if strings.IndexByte(digits+`$/\`, s.now()) >= 0 {
		if !s.address() {
			return false
		}
		if s.pass(" \t"); s.pass(",") {
			s.pass(" \t")
			if !(s.pass("+~") && s.pass(digits)) && !s.address() {
				return false
			}
		}
		s.pass(" \t")
	}
	for s.pass("!") {
		s.pass(" \t")
	}
	c := s.now()
	s.at++
	switch c {
	case '{':
		return true
	case '#':
		s.at += strings.IndexByte(s.text[s.at:]+"\n", '\n')
		return true
	case '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z':
		return s.ends()
	case 'l', 'q', 'Q':
		s.pass(" \t")
		s.pass(digits)
		return s.ends()
	case 'a', 'i', 'c':
		return s.lines()
	case ':', 'b', 't', 'T':
		s.pass(" \t")
		s.at = endOfName(s.text, s.at)
		s.name = true
		return s.ends()
	case 's', 'y':
		return s.substitution(c)
	}
	return false
}

// ends reports whether a command ends here.
func (s *sedScript) ends() bool {
	s.pass(" \t")
	return s.at == len(s.text) || strings.IndexByte(";}#\n", s.now()) >= 0
}

// lines reads the text of a command: from the next line on, or the rest of this one. It goes on
// after a backslash.
func (s *sedScript) lines() bool {
	here := false // the text begins in this line, after a backslash
	if s.pass(" \t"); s.now() == '\\' {
		s.at++
		blanks := s.pass(" \t")
		if here = s.now() != '\n'; !here {
			if s.at++; blanks || s.name {
				return false
			}
		}
	}
	if s.at == len(s.text) || s.now() == '\n' { // to some versions, a command follows
		return false
	}
	for {
		line, _, more := strings.Cut(s.text[s.at:], "\n")
		s.at += len(line)
		if !strings.HasSuffix(line, `\`) {
			return true
		}
		if s.at++; !more || here || s.name || strings.HasSuffix(line, `\\`) {
			return false
		}
	}
}

// pattern reads a regular expression up to the byte that ends it.
func (s *sedScript) pattern(end byte) bool {
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch s.at++; {
		case c == end:
			return true
		case c == '\n':
			return false
		case c == '\\':
			if s.now() == '\n' || !s.escaped(end) {
				return false
			}
		case c == '[':
			n := bracketed(s.text[s.at-1:])
			if n == 0 {
				return false
			}
			s.at += n - 1
		}
	}
	return false
}

// escaped passes the byte after a backslash. It returns false if programs may differ about it.
func (s *sedScript) escaped(end byte) bool {
	c := s.now()
	s.at++
	return c != 0 && (c != end || end == '/')
}

// bracketed returns the length of a bracket expression of a regular expression, with which text
// begins; 0 = programs may differ about it. It may contain what ends the regular expression: where
// that is not so, it is an error.
func bracketed(text string) int {
	i := 1
	if strings.HasPrefix(text[i:], "^") {
		i++
	}
	if strings.HasPrefix(text[i:], "]") {
		i++
	}
	for i < len(text) {
		switch c := text[i]; {
		case c == ']':
			return i + 1
		case c == '\n':
			return 0
		case c == '\\':
			if i++; i == len(text) || text[i] == ']' || text[i] == '\n' {
				return 0
			}
		case c == '[':
			end := endOfName(text, i+2)
			if !strings.HasPrefix(text[i:], "[:") || !strings.HasPrefix(text[end:], ":]") {
				return 0
			}
			i = end + 1
		}
		i++
	}
	return 0
}

// substitution reads the parts and flags of the commands s and y.
func (s *sedScript) substitution(command byte) bool {
	end := s.now()
	if s.at++; !isDelimiter(end) {
		return false
	}
	if command == 'y' {
		from := s.replacement(end, false)
		return from && s.replacement(end, false) && s.ends()
	}
	if !s.pattern(end) || !s.replacement(end, true) {
		return false
	}
	s.pass("gpiIm" + digits)
	return s.ends()
}

// replacement reads a text up to the byte that ends it. It may have several lines if a backslash
// may end one.
func (s *sedScript) replacement(end byte, lines bool) bool {
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch s.at++; {
		case c == end:
			return true
		case c == '\n':
			return false
		case c == '\\':
			if s.now() == '\n' && (!lines || s.name) || !s.escaped(end) {
				return false
			}
		}
	}
	return false
}
