// This file shows where in its source a script has failed.

package fault

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/plain"
)

const (
	// excerptContext is how many lines are shown before and after the line of an error.
	excerptContext = 1
	// excerptWidth limits the lines of an excerpt in characters, without their numbers.
	excerptWidth = 160
)

// Excerpt returns the lines around line (1-based) of src, numbered, with a caret under column
// (1-based) if it is known. Of long lines it has the part with the caret. It is "" if there is no
// such line.
func Excerpt(src []byte, line, column int) string {
	lines := strings.Split(string(src), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	first, last := max(1, line-excerptContext), min(len(lines), line+excerptContext)
	digits := max(4, len(fmt.Sprint(last)))
	var out []string
	for n := first; n <= last; n++ {
		text := strings.ReplaceAll(strings.TrimRight(lines[n-1], "\r"), "\t", " ")
		text = plain.Head(text, (max(column, 0)+excerptWidth)*utf8.UTFMax)
		mark := " "
		if n == line {
			mark = ">"
		}
		out = append(out, fmt.Sprintf("%s%*d%s%s", mark, digits, n, excerptBar, text))
		if n == line && column > 0 && column <= utf8.RuneCountInString(text)+1 {
			out = append(out, strings.Repeat(" ", digits+1)+excerptBar+
				strings.Repeat(" ", column-1)+"^")
		}
	}
	return FitExcerpt(strings.Join(out, "\n"), digits+1+len(excerptBar)+excerptWidth)
}

// excerptBar is between the number of a line and its text.
const excerptBar = " | "

// FitExcerpt cuts the lines of an excerpt in a text to width characters. All begin at the same
// column, with which the caret is visible. Other lines stay as they are.
func FitExcerpt(text string, width int) string {
	lines := strings.Split(text, "\n")
	from := 0
	for _, l := range lines {
		n := numbered(l)
		if caret := len(l) - 1 - n; n > 0 && strings.Trim(l[n:], " ") == "^" && caret >= width-n {
			from = caret - max(width-n, 2)/2
		}
	}
	for i, l := range lines {
		n := numbered(l)
		if n == 0 {
			continue
		}
		shown, room := []rune(l[n:]), max(width-n, 2)
		shown = shown[min(from, len(shown)):]
		if from > 0 && len(shown) > 0 && shown[0] != ' ' && shown[0] != '^' {
			shown[0] = '…'
		}
		if len(shown) > room {
			shown = append(shown[:room-1:room-1], '…')
		}
		lines[i] = l[:n] + string(shown)
	}
	return strings.Join(lines, "\n")
}

// numbered returns how many bytes of a line of an excerpt come before the line of the source; 0 if
// it is another line.
func numbered(line string) int {
	at := strings.Index(line, excerptBar)
	if at < 4 || strings.Trim(line[1:at], " 0123456789") != "" || line[0] != ' ' && line[0] != '>' {
		return 0
	}
	return at + len(excerptBar)
}
