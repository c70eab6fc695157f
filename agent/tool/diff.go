// This file shows the difference of two texts by lines, in the unified form.
package tool

import (
	"fmt"
	"strings"
)

const (
	// diffContext is how many unchanged lines stand around a change, as in diff -u.
	diffContext = 3
	// diffCells bounds the table in which the longest common part is found: 2,000 changed lines against
	// 2,000, some 16 MB. Larger changes are shown as everything removed, then everything added.
	diffCells = 4_000_000
	// diffLines is how much is shown: nobody reads more in a terminal.
	diffLines = 2000
)

type diffLine struct {
	op   byte // ' ', '-', '+'
	text string
}

// diff returns the hunks that make a into b; "" if they are the same.
func diff(a, b string) string {
	if a == b {
		return ""
	}
	return hunks(compare(splitLines(a), splitLines(b)))
}

func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if n := len(lines); lines[n-1] == "" {
		lines = lines[:n-1]
	}
	return lines
}

func compare(a, b []string) []diffLine {
	head, tail := 0, 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []diffLine
	add := func(op byte, lines []string) {
		for _, l := range lines {
			out = append(out, diffLine{op, l})
		}
	}
	add(' ', a[:head])
	mid, other := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(mid)*len(other) > diffCells {
		add('-', mid)
		add('+', other)
	} else {
		out = append(out, longestCommon(mid, other)...)
	}
	add(' ', a[len(a)-tail:])
	return out
}

// longestCommon compares by the longest common subsequence of lines.
func longestCommon(a, b []string) []diffLine {
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
	var out []diffLine
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, diffLine{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && length[(i+1)*width+j] >= length[i*width+j+1]:
			out = append(out, diffLine{'-', a[i]})
			i++
		default:
			out = append(out, diffLine{'+', b[j]})
			j++
		}
	}
	return out
}

// hunks writes the changes with their context and line numbers.
func hunks(lines []diffLine) string {
	var b strings.Builder
	keep := nearChange(lines)
	oldLine, newLine := 1, 1
	for i, left := 0, diffLines; i < len(lines); {
		if !keep[i] {
			i, oldLine, newLine = i+1, oldLine+1, newLine+1
			continue
		}
		if left <= 0 {
			b.WriteString("[more changes are not shown]\n")
			break
		}
		end := i
		for end < len(lines) && keep[end] {
			end++
		}
		olds, news := sizes(lines[i:end])
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", start(oldLine, olds), olds, start(newLine, news), news)
		writeHunk(&b, lines[i:min(end, i+left)])
		left -= end - i
		oldLine, newLine, i = oldLine+olds, newLine+news, end
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// nearChange marks the lines that are changed, or stand next to a change.
func nearChange(lines []diffLine) []bool {
	keep := make([]bool, len(lines))
	for i, l := range lines {
		if l.op == ' ' {
			continue
		}
		for k := max(0, i-diffContext); k <= min(len(lines)-1, i+diffContext); k++ {
			keep[k] = true
		}
	}
	return keep
}

func sizes(hunk []diffLine) (olds, news int) {
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

// start is where a hunk begins; one without lines is said to begin at the line before.
func start(line, n int) int {
	if n == 0 {
		return line - 1
	}
	return line
}

func writeHunk(b *strings.Builder, hunk []diffLine) {
	for _, l := range hunk {
		b.WriteByte(l.op)
		b.WriteString(strings.TrimRight(l.text, "\r\n") + "\n")
		if !strings.HasSuffix(l.text, "\n") {
			b.WriteString("\\ no newline at the end\n")
		}
	}
}
