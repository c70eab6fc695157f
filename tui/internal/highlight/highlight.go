// Package highlight finds the comments, strings, numbers and keywords of code, one line at a time.
//
//	language := highlight.Find("go") // nil: no such language
//	spans, state := language.Line(line, 0)
//	spans, state = language.Line(next, state)
//
// A line takes time in proportion to its length. What a line leaves open, such as a comment, is in
// the state, so a text that grows is not read again.
//
// It does not parse: a language is a row of a table (languages.go). Text between spans, and code
// that the table does not describe, is Plain.
package highlight

import (
	"strings"
	"unicode/utf8"
)

// Kind is what a piece of code is.
type Kind uint8

// The kinds. Added and the following ones occur only in differences.
const (
	Plain Kind = iota
	Comment
	String
	Number
	Keyword
	Added
	Removed
	Hunk
	File
)

// Span is a piece of a line. The spans of a line are the whole line.
type Span struct {
	Text string
	Kind Kind
}

// State is what a line leaves open for the next one. The zero State is that of the first line.
type State uint8

// Diff reports whether the language is that of differences, whose lines begin with a sign.
func (l *Language) Diff() bool { return l.diff }

// Line returns the spans of a line without its newline, and the state of the next line.
func (l *Language) Line(line string, state State) ([]Span, State) {
	if l.diff {
		return diffLine(line), 0
	}
	s := scanner{Language: l, line: line}
	if state > 0 {
		r := &l.regions[state-1]
		if s.at = r.closeIn(line, 0); s.at < 0 {
			return []Span{{line, r.kind}}, state
		}
		s.emit(0, r.kind)
	}
	for s.at < len(line) {
		if open := s.next(); open > 0 {
			return s.spans, open
		}
	}
	s.plain(len(line))
	return s.spans, 0
}

// scanner is at a place of a line.
type scanner struct {
	*Language
	line  string
	at    int // everything before it has been read
	from  int // everything before it is in the spans
	spans []Span
	// regions, as bits, that begin in the line and do not end in it. A later beginning does not end
	// either: whatever would end it is hidden by a backslash.
	failed uint16
}

// plain adds what has been read up to end as plain text.
func (s *scanner) plain(end int) {
	if end > s.from {
		s.spans = append(s.spans, Span{s.line[s.from:end], Plain})
	}
	s.from = end
}

// emit adds what has been read since start.
func (s *scanner) emit(start int, kind Kind) {
	s.plain(start)
	s.spans = append(s.spans, Span{s.line[start:s.at], kind})
	s.from = s.at
}

// next reads one token. It returns the state of the next line if the token does not end in this
// one.
func (s *scanner) next() State {
	start := s.at
	if open, ok := s.region(); ok {
		return open
	}
	switch c := s.line[start]; {
	case digit(c):
		s.number()
		s.emit(start, Number)
	case s.wordByte(c) || s.markup && c == '<':
		s.word()
	default:
		s.at++
	}
	return 0
}

// region reads a comment or a string. ok is false if none begins here.
func (s *scanner) region() (open State, ok bool) {
	start, rest := s.at, s.line[s.at:]
	if !s.opens[rest[0]] {
		return 0, false
	}
	for i := range s.regions {
		r := &s.regions[i]
		if !strings.HasPrefix(rest, r.open) || s.failed&(1<<i) != 0 ||
			r.alone && start > 0 && s.line[start-1] != ' ' {
			continue
		}
		end := len(s.line)
		switch {
		case r.single:
			if end = s.character(r, start); end < 0 {
				continue
			}
		case r.close != "":
			end = r.closeIn(s.line, start+len(r.open))
		}
		if end < 0 && !r.lines {
			s.failed |= 1 << i
			continue
		}
		if s.at = end; end < 0 {
			s.at, open = len(s.line), State(i+1)
		}
		s.emit(start, r.kind)
		return open, true
	}
	return 0, false
}

// character returns where a quoted character ends that begins at start, -1 if there is none.
func (s *scanner) character(r *region, start int) int {
	text := s.line[start+1 : min(len(s.line), start+longestCharacter)]
	end := r.closeIn(text, 0)
	if end < 0 || text[0] != '\\' && utf8.RuneCountInString(text[:end-1]) != 1 {
		return -1
	}
	return start + 1 + end
}

// longestCharacter is the length of a character with quotes, written as an escape.
const longestCharacter = len(`'\U0010ffff'`)

// closeIn returns where a region ends that is open at from, -1 if it does not end in the line.
func (r *region) closeIn(line string, from int) int {
	for i := from; i < len(line); i++ {
		if line[i] == '\\' && r.escapes {
			i++
		} else if line[i] == r.close[0] && strings.HasPrefix(line[i:], r.close) {
			return i + len(r.close)
		}
	}
	return -1
}

// number reads a number with all that is written together with it, such as 0x1f, 1e-9 and 10ms.
func (s *scanner) number() {
	for s.at < len(s.line) {
		c := s.line[s.at]
		if c == '.' && strings.HasPrefix(s.line[s.at:], "..") {
			return
		}
		if !letter(c) && !digit(c) && c != '_' && c != '.' {
			return
		}
		s.at++
		if (c == 'e' || c == 'E') && s.at < len(s.line) &&
			(s.line[s.at] == '-' || s.line[s.at] == '+') {
			s.at++
		}
	}
}

// word reads a name, which may be a keyword.
func (s *scanner) word() {
	start := s.at
	if s.markup && s.line[s.at] == '<' {
		if s.at++; strings.HasPrefix(s.line[s.at:], "/") {
			s.at++
		}
		name := s.at
		if s.restOfWord(); s.at > name {
			s.emit(start, Keyword)
		}
		return
	}
	s.restOfWord()
	word := s.line[start:s.at]
	if s.anyCase {
		if len(word) > longestWord {
			return
		}
		word = strings.ToLower(word)
	}
	if s.words[word] {
		s.emit(start, Keyword)
	}
}

// restOfWord reads letters and digits.
func (s *scanner) restOfWord() {
	for s.at < len(s.line) && (s.wordByte(s.line[s.at]) || digit(s.line[s.at])) {
		s.at++
	}
}

// longestWord is more than the length of any keyword.
const longestWord = 32

func (l *Language) wordByte(c byte) bool {
	return letter(c) || c == '_' || c == '$' || c == '@' || c >= utf8.RuneSelf ||
		c == '-' && l.dashes
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// diffLine returns the one span of a line of a difference.
func diffLine(line string) []Span {
	kind := Plain
	switch {
	case strings.HasPrefix(line, "@@"):
		kind = Hunk
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"),
		strings.HasPrefix(line, "diff "):
		kind = File
	case strings.HasPrefix(line, "+"):
		kind = Added
	case strings.HasPrefix(line, "-"):
		kind = Removed
	}
	return []Span{{line, kind}}
}
