// This file searches a file for lines that match.

package tool

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
)

const (
	// blockBytes is how much of a file is searched at a time. A longer line is searched in parts.
	blockBytes = 1 << 20
	// hitBytes is how much of a line is shown: more would be minified code or data.
	hitBytes = 400
)

// searcher searches one file at a time.
type searcher struct {
	find    *lineSearch
	context int // lines before and after
	most    int // matching lines of a file

	buf  []byte
	flat []byte // buf without carriage returns
	name string
	out  strings.Builder
	ends []int // ends of the matching lines in out

	number int // of the block's first line
	said   int // number of the last written line
	until  int // lines up to this one follow a match
	before [][]byte
}

// file searches an open file, which found calls name. ends are the positions in found at which
// matching lines end. It skips binary files.
func (s *searcher) file(ctx context.Context, f io.Reader, name string) (found string,
	ends []int, err error) {
	if s.buf == nil {
		s.buf = make([]byte, blockBytes)
	}
	s.name, s.ends, s.number, s.said, s.until, s.before = name, nil, 1, 0, 0, nil
	s.out.Reset()
	for kept, first := 0, true; ; first = false {
		n, err := io.ReadFull(f, s.buf[kept:])
		end := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !end {
			return "", nil, err
		}
		data := s.buf[:kept+n]
		if first && bytes.IndexByte(plain.Head(data, sniffBytes), 0) >= 0 {
			return "", nil, nil
		}
		block := data
		if at := bytes.LastIndexByte(data, '\n'); !end && at >= 0 {
			block = data[:at+1]
		}
		s.block(block)
		if kept = copy(s.buf, data[len(block):]); end || len(s.ends) >= s.most || ctx.Err() != nil {
			return s.out.String(), s.ends, nil
		}
	}
}

// block searches whole lines, or a part of a line that is longer than a block.
func (s *searcher) block(b []byte) {
	if s.find.ends && bytes.Contains(b, []byte("\r\n")) {
		s.flat = append(s.flat[:0], bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))...)
		b = s.flat
	}
	// where the line after the last written or counted one begins
	shown := 0
	at, number := 0, s.number   // of a line
	count := func(to int) int { // the number of the line that begins at to
		number += bytes.Count(b[at:to], []byte("\n"))
		at = to
		return number
	}
	for from := 0; len(s.ends) < s.most; {
		begin, end := s.find.nextMatch(b, from)
		if begin < 0 {
			break
		}
		line := bytes.LastIndexByte(b[:begin], '\n') + 1
		next := len(b)
		if i := bytes.IndexByte(b[begin:], '\n'); i >= 0 {
			next = begin + i + 1
		}
		shown = s.writeAfter(b, shown, line)
		n := count(line)
		s.precede(b, shown, line, n)
		s.writeLine(n, ':', b[line:next], begin-line, end-line)
		s.ends = append(s.ends, s.out.Len())
		s.until = n + s.context
		shown, from = next, next
	}
	s.writeAfter(b, shown, len(b))
	s.number = count(len(b))
	if s.context > 0 {
		s.remember(b)
	}
}

// nextMatch finds the first match from the beginning of a line on.
func (f *lineSearch) nextMatch(b []byte, from int) (begin, end int) {
	for from < len(b) {
		if f.literal == "" {
			m := f.re.FindIndex(b[from:])
			// an empty match after the last line does not belong to any line
			if m == nil || from+m[0] == len(b) && b[len(b)-1] == '\n' {
				return -1, -1
			}
			return from + m[0], from + m[1]
		}
		i := bytes.Index(b[from:], []byte(f.literal))
		if i < 0 {
			return -1, -1
		}
		begin = from + i
		if f.re == nil {
			return begin, begin + len(f.literal)
		}
		line, next := bytes.LastIndexByte(b[:begin], '\n')+1, len(b)
		if i := bytes.IndexByte(b[begin:], '\n'); i >= 0 {
			next = begin + i
		}
		if m := f.re.FindIndex(b[line:next]); m != nil {
			return line + m[0], line + m[1]
		}
		from = next + 1
	}
	return -1, -1
}

// writeAfter writes the lines after a match, from shown on, that precede the line at to. It returns
// where it stopped.
func (s *searcher) writeAfter(b []byte, shown, to int) int {
	for shown < to && s.said > 0 && s.said < s.until {
		next := to
		if i := bytes.IndexByte(b[shown:to], '\n'); i >= 0 {
			next = shown + i + 1
		}
		s.writeLine(s.said+1, '-', b[shown:next], 0, 0)
		shown = next
	}
	return shown
}

// precede writes the unwritten context before line n, which begins at line.
func (s *searcher) precede(b []byte, shown, line, n int) {
	var lines [][]byte
	for end := line; end > shown && len(lines) < s.context; {
		begin := bytes.LastIndexByte(b[:end-1], '\n') + 1
		lines = append(lines, b[begin:end])
		end = begin
	}
	if shown == 0 { // the previous block may have some
		for i := len(s.before) - 1; i >= 0 && len(lines) < s.context &&
			n-len(lines)-1 > s.said; i-- {
			lines = append(lines, s.before[i])
		}
	}
	for i := len(lines) - 1; i >= 0; i-- {
		s.writeLine(n-i-1, '-', lines[i], 0, 0)
	}
}

// remember keeps the last lines of the block as context for matches in the next one.
func (s *searcher) remember(b []byte) {
	var lines [][]byte
	for end := len(b); end > 0 && len(lines) < s.context; {
		begin := bytes.LastIndexByte(b[:end-1], '\n') + 1
		lines = append([][]byte{bytes.Clone(b[begin:end])}, lines...)
		end = begin
	}
	s.before = append(s.before, lines...)
	s.before = s.before[max(0, len(s.before)-s.context):]
}

// writeLine writes a line: name:12:text, or name-12-text if it is only context.
func (s *searcher) writeLine(n int, sign byte, line []byte, begin, end int) {
	if s.context > 0 && s.said > 0 && n > s.said+1 {
		s.out.WriteString("--\n")
	}
	s.said = n
	line = bytes.TrimRight(line, "\r\n")
	fmt.Fprintf(&s.out, "%s%c%d%c%s\n", s.name, sign, n, sign,
		clip(line, min(begin, len(line)), min(end, len(line))))
}

// clip returns the part of a long line around the match.
func clip(line []byte, begin, end int) string {
	if len(line) <= hitBytes {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	from := max(0, min(begin-hitBytes/4, len(line)-hitBytes))
	to := len(plain.Head(line, from+hitBytes))
	from = len(plain.Head(line, from))
	out := strings.ToValidUTF8(string(line[from:to]), "\uFFFD")
	if from > 0 {
		out = "..." + out
	}
	return fmt.Sprintf("%s... [%d bytes in this line]", out, len(line))
}
