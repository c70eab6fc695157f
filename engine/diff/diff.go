// Package diff compares two texts by lines, and returns a unified diff.
//
//	diff.Unified("a\nb\n", "a\nc\n") // @@ -1,2 +1,2 @@ ...
//
// The diffs are for reading: very large ones are not shown, and the text says so. The package does
// not apply diffs.
package diff

import (
	"fmt"
	"math"
	"strings"
)

const (
	// around is how many unchanged lines surround a change, as in diff -u.
	around = 3
	// maxCells bounds the table in which the longest common part is found: 2,000 changed lines
	// against 2,000, some 16 MB. Larger changes are shown as everything removed, then everything
	// added.
	maxCells = 4_000_000
	// maxBytes is the largest text that is compared: several copies of it are in memory.
	maxBytes = 4 << 20
	// maxLines is how many lines are shown: no one reads more in a terminal.
	maxLines = 2000
)

type line struct {
	op   byte // ' ', '-', '+'
	text string
}

// Unified returns the hunks that change a into b; "" if they are equal. A diff of more than
// maxLines lines is cut, and a very large one is not shown: the text says so.
func Unified(a, b string) string {
	text, ok := unified(a, b, maxLines)
	if !ok {
		return TooLarge
	}
	return text
}

// TooLarge stands in place of a diff of texts that are too large to compare.
const TooLarge = "[the change is too large to be shown]"

// Whole is like Unified, and is not cut: it is for changes that a person accepts.
func Whole(a, b string) string {
	text, ok := Full(a, b)
	if !ok {
		return TooLarge
	}
	return text
}

// Full is like Unified without a limit of lines. It returns false if the texts are too large to
// compare.
func Full(a, b string) (text string, ok bool) { return unified(a, b, math.MaxInt) }

func unified(a, b string, most int) (text string, ok bool) {
	if a == b {
		return "", true
	}
	skipped, lines := commonStart(a, b)
	a, b = a[skipped:], b[skipped:]
	end := commonEnd(a, b)
	if a, b = a[:len(a)-end], b[:len(b)-end]; len(a)+len(b) > maxBytes {
		return "", false
	}
	return hunks(compare(splitLines(a), splitLines(b)), lines, most), true
}

// commonStart returns how many bytes, in whole lines, a and b have in common at the beginning,
// except the context before the first change; and the number of these lines.
func commonStart(a, b string) (at, lines int) {
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	at = same
	for range around + 1 {
		at = strings.LastIndexByte(a[:max(at-1, 0)], '\n') + 1
	}
	return at, strings.Count(a[:at], "\n")
}

// commonEnd does the same for the end.
func commonEnd(a, b string) int {
	same := 0
	for same < len(a) && same < len(b) && a[len(a)-1-same] == b[len(b)-1-same] {
		same++
	}
	at := len(a) - same
	for range around + 1 {
		next := strings.IndexByte(a[at:], '\n')
		if next < 0 {
			return 0
		}
		at += next + 1
	}
	return len(a) - at
}

func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if n := len(lines); lines[n-1] == "" {
		lines = lines[:n-1]
	}
	return lines
}

func compare(a, b []string) []line {
	head, tail := 0, 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []line
	add := func(op byte, lines []string) {
		for _, l := range lines {
			out = append(out, line{op, l})
		}
	}
	add(' ', a[:head])
	mid, other := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(mid)*len(other) > maxCells {
		add('-', mid)
		add('+', other)
	} else {
		out = append(out, longestCommon(mid, other)...)
	}
	add(' ', a[len(a)-tail:])
	return out
}

// longestCommon compares by the longest common subsequence of lines.
func longestCommon(a, b []string) []line {
	width := len(b) + 1
	length := make([]int32, (len(a)+1)*width) // of the common part of a[i:] and b[j:]
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	var out []line
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, line{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && length[(i+1)*width+j] >= length[i*width+j+1]:
			out = append(out, line{'-', a[i]})
			i++
		default:
			out = append(out, line{'+', b[j]})
			j++
		}
	}
	return out
}

// hunks writes at most most lines of changes with their context and line numbers; before is the
// number of preceding lines.
func hunks(lines []line, before, most int) string {
	var b strings.Builder
	keep, ends := nearChange(lines), endsDiffer(lines)
	oldLine, newLine := before+1, before+1
	for i, left := 0, most; i < len(lines); {
		if !keep[i] {
			i, oldLine, newLine = i+1, oldLine+1, newLine+1
			continue
		}
		if left <= 0 {
			b.WriteString(moreChanges)
			break
		}
		end := i
		for end < len(lines) && keep[end] {
			end++
		}
		olds, news := sizes(lines[i:end])
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", beginsAt(oldLine, olds), olds,
			beginsAt(newLine, news), news)
		writeHunk(&b, lines[i:i+min(end-i, left)], ends)
		if left -= end - i; left < 0 {
			b.WriteString(moreChanges)
			break
		}
		oldLine, newLine, i = oldLine+olds, newLine+news, end
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// moreChanges ends a diff that is cut.
const moreChanges = "[more changes are not shown]\n"

// nearChange marks the lines that are changed, or near a change.
func nearChange(lines []line) []bool {
	keep := make([]bool, len(lines))
	for i, l := range lines {
		if l.op == ' ' {
			continue
		}
		for k := max(0, i-around); k <= min(len(lines)-1, i+around); k++ {
			keep[k] = true
		}
	}
	return keep
}

func sizes(hunk []line) (olds, news int) {
	for _, l := range hunk {
		if l.op != '+' {
			olds++
		}
		if l.op != '-' {
			news++
		}
	}
	return olds, news
}

// beginsAt returns the first line of a hunk; by convention, an empty one begins at the previous
// line.
func beginsAt(line, n int) int {
	if n == 0 {
		return line - 1
	}
	return line
}

// endsDiffer reports whether some of the changed lines end with "\r\n" and others with "\n".
func endsDiffer(lines []line) bool {
	crlf, lf := false, false
	for _, l := range lines {
		if l.op != ' ' && strings.HasSuffix(l.text, "\n") {
			with := strings.HasSuffix(l.text, "\r\n")
			crlf, lf = crlf || with, lf || !with
		}
	}
	return crlf && lf
}

// writeHunk writes lines without their ends. If ends is set, the carriage returns of changed lines
// are kept: otherwise a line whose only change is its end would appear twice without a visible
// difference.
func writeHunk(b *strings.Builder, hunk []line, ends bool) {
	for _, l := range hunk {
		text := strings.TrimSuffix(l.text, "\n")
		if l.op == ' ' || !ends {
			text = strings.TrimSuffix(text, "\r")
		}
		b.WriteByte(l.op)
		b.WriteString(text + "\n")
		if !strings.HasSuffix(l.text, "\n") {
			b.WriteString("\\ no newline at the end\n")
		}
	}
}
