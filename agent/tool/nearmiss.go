// This file explains why a text was not found in a file.

package tool

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/plain"
)

const (
	// shownOfLine is how much of a line an error shows.
	shownOfLine = 120
	// alike is the percentage of two lines that must be equal for one to be a suggestion for the
	// other.
	alike = 60
	// comparisons is how many lines are compared to find where old begins: many may resemble its
	// first line.
	comparisons = 1_000_000
)

// nearMiss suggests what old may mean: first a text that differs only in similar characters, then
// lines that differ only in white space, then a line that old is the beginning of, then a similar
// line.
func nearMiss(text, old string) string {
	if hint := inCharacters(text, old); hint != "" {
		return hint
	}
	lines, want := strings.Split(text, "\n"), strings.Split(strings.Trim(old, "\r\n"), "\n")
	for len(want) > 1 && strings.TrimSpace(want[0]) == "" {
		want = want[1:]
	}
	first := squeeze(want[0])
	if first == "" {
		return "; read the file again: it must match exactly, white space too"
	}
	best, at, same, left := 0, -1, -1, comparisons
	for i, line := range lines {
		trimmed := squeeze(line)
		if trimmed == first && left > 0 {
			n := 1
			for ; n < len(want) && i+n < len(lines) &&
				squeeze(lines[i+n]) == squeeze(want[n]); n++ {
				left--
			}
			if n == len(want) {
				return inWhiteSpace(lines[i:i+n], want, i)
			}
			if n > best {
				best, same = n, i
			}
		}
		if at < 0 && strings.EqualFold(trimmed, first) || same < 0 && at < 0 &&
			similar(trimmed, first) {
			at = i
		}
	}
	switch {
	case same >= 0 && same+best < len(lines):
		return fmt.Sprintf("; line %d is where it begins, but line %d is %s, and old has %s",
			same+1, same+best+1, cited(lines[same+best]), cited(want[best]))
	case same >= 0:
		return fmt.Sprintf("; line %d is where it begins, but the file ends before old does",
			same+1)
	case at >= 0:
		return fmt.Sprintf("; line %d is nearest: %s, and old has %s", at+1, cited(lines[at]),
			cited(want[0]))
	}
	return "; no line is like it: read the file again"
}

// inWhiteSpace names the first difference of lines that differ only in white space; at is the index
// of the first line.
func inWhiteSpace(have, want []string, at int) string {
	where := fmt.Sprintf("line %d is", at+1)
	if n := len(have); n > 1 {
		where = fmt.Sprintf("lines %d to %d are", at+1, at+n)
	}
	for i := range have {
		h, w := strings.TrimSuffix(have[i], "\r"), strings.TrimSuffix(want[i], "\r")
		if h == w || i == 0 && strings.HasSuffix(h, w) || i == len(have)-1 &&
			strings.HasPrefix(h, w) {
			continue
		}
		hi, wi := indent(h), indent(w)
		if hi != wi {
			return fmt.Sprintf(
				"; %s the same except for white space: line %d begins with %s, and old has %s "+
					"there",
				where, at+i+1, spaces(hi), spaces(wi))
		}
		if ht, wt := trail(h), trail(w); ht != wt {
			return fmt.Sprintf(
				"; %s the same except for white space: line %d ends with %s, and old has %s there",
				where, at+i+1, spaces(ht), spaces(wt))
		}
		ht, wt := within(h, w)
		return fmt.Sprintf("; %s the same except for white space: line %d has %s where old has %s",
			where, at+i+1, spaces(ht), spaces(wt))
	}
	return fmt.Sprintf(
		"; %s the same except for white space: read the file again, and copy it exactly", where)
}

// squeeze normalizes the white space of a line.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// within returns the white space at the first difference of two lines.
func within(a, b string) (string, string) {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	at = len(strings.TrimRight(a[:at], " \t"))
	return indent(a[at:]), indent(b[at:])
}

// alikes maps characters to similar ones, which programs and models confuse.
var alikes = strings.NewReplacer("\u201c", `"`, "\u201d", `"`, "\u201e", `"`, "\u201f", `"`,
	"\u2033", `"`,
	"\u2018", "'", "\u2019", "'", "\u201a", "'", "\u201b", "'", "\u2032", "'",
	"\u00a0", " ", "\u2007", " ", "\u2009", " ", "\u202f", " ",
	"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2212", "-")

// inCharacters names the first character that differs if text contains old except for similar
// characters; "" if it does not.
func inCharacters(text, old string) string {
	plainText, plainOld := alikes.Replace(text), alikes.Replace(old)
	at := strings.Index(plainText, plainOld)
	if at < 0 || old == "" {
		return ""
	}
	from := utf8.RuneCountInString(plainText[:at]) // each character is replaced by one
	have, want := []rune(text)[from:], []rune(old)
	line := 1 + strings.Count(plainText[:at], "\n")
	for i, w := range want {
		if h := have[i]; h != w {
			return fmt.Sprintf(
				"; it is there except for characters that look alike: line %d has %c (%U) where "+
					"old has %c (%U)", line, h, h, w, w)
		}
		if w == '\n' {
			line++
		}
	}
	return ""
}

func indent(s string) string { return s[:len(s)-len(strings.TrimLeft(s, " \t"))] }
func trail(s string) string  { return s[len(strings.TrimRight(s, " \t")):] }

// spaces names white space: "a tab and 2 spaces".
func spaces(s string) string {
	count := func(n int, what string) string {
		switch n {
		case 0:
			return ""
		case 1:
			return "1 " + what
		}
		return fmt.Sprintf("%d %ss", n, what)
	}
	tabs, blanks := count(strings.Count(s, "\t"), "tab"), count(strings.Count(s, " "), "space")
	switch {
	case tabs == "" && blanks == "":
		return "no white space"
	case tabs == "" || blanks == "":
		return tabs + blanks
	}
	return tabs + " and " + blanks
}

// similar reports whether two lines begin and end similarly.
func similar(a, b string) bool {
	short, long := min(len(a), len(b)), max(len(a), len(b))
	head, tail := 0, 0
	for head < short && a[head] == b[head] {
		head++
	}
	for tail < short-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return long > 0 && (head+tail)*100 >= long*alike
}

func cited(s string) string {
	s = strings.TrimSuffix(s, "\r")
	if shown := plain.Chars(s, shownOfLine); len(shown) < len(s) {
		return fmt.Sprintf("%q...", shown)
	}
	return fmt.Sprintf("%q", s)
}
