package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/tui/internal/hyperlink"
	"github.com/agentscripts/agent/tui/internal/palette"
)

// cell is a grapheme cluster on the screen.
type cell struct {
	text  string
	width int // in cells of the screen
	look  look
}

// cellsOf converts spans to cells.
func cellsOf(spans []span) (cells []cell) {
	for _, s := range spans {
		for rest := s.text; rest != ""; {
			// the common case
			if rest[0] >= ' ' && rest[0] < 0x7f && (len(rest) == 1 || rest[1] < 0x7f) {
				cells = append(cells, cell{rest[:1], 1, s.look})
				rest = rest[1:]
				continue
			}
			cluster, width := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
			if cluster == "\n" {
				width = 0
			}
			cells = append(cells, cell{cluster, width, s.look})
			rest = rest[len(cluster):]
		}
	}
	return cells
}

// widthOf returns the number of screen cells that cells take.
func widthOf(cells []cell) (width int) {
	for _, c := range cells {
		width += c.width
	}
	return width
}

// wrap breaks cells into lines of at most width: at newlines, at spaces, after wide characters and,
// in words that are longer than a line, anywhere.
func wrap(cells []cell, width int) (lines [][]cell) {
	start, used, at := 0, 0, -1 // at: a line may end before cells[at]
	for i := 0; i < len(cells); i++ {
		c := cells[i]
		if c.text == "\n" {
			lines = append(lines, trimmed(cells[start:i]))
			start, used, at = i+1, 0, -1
			continue
		}
		if used += c.width; used > width && c.text != " " && i > start {
			if at <= start {
				at = i
			}
			lines = append(lines, trimmed(cells[start:at]))
			start, at = at, -1
			used = widthOf(cells[start : i+1])
		}
		if c.text == " " || c.width > 1 {
			at = i + 1
		}
	}
	return append(lines, trimmed(cells[start:]))
}

// cutCells breaks cells into lines of width cells, without regard to words.
func cutCells(cells []cell, width int) (lines [][]cell) {
	start, used := 0, 0
	for i, c := range cells {
		if used += c.width; used > width && i > start {
			lines = append(lines, cells[start:i])
			start, used = i, c.width
		}
	}
	return append(lines, cells[start:])
}

// cutCode breaks a line of code into lines of width cells: after the last space in the second half
// of a line, else anywhere, so that a long word leaves no gap.
func cutCode(cells []cell, width int) (lines [][]cell) {
	start, used, space := 0, 0, 0 // space: a line may end before cells[space]
	for i, c := range cells {
		if used += c.width; used > width && i > start && c.text != " " {
			end := i
			if space > start && 2*widthOf(cells[start:space]) > width {
				end = space
			}
			lines = append(lines, cells[start:end])
			start, used = end, widthOf(cells[end:i+1])
		}
		if c.text == " " {
			space = i + 1
		}
	}
	return append(lines, cells[start:])
}

// trimmed returns a line without its trailing spaces.
func trimmed(cells []cell) []cell {
	for len(cells) > 0 && cells[len(cells)-1].text == " " {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// styled returns a line with its colour sequences, which end with the line. A text with a number of
// targets leads there.
func styled(cells []cell, inks *palette.Palette, targets ...string) string {
	var b, run strings.Builder
	for i, c := range cells {
		run.WriteString(c.text)
		if i+1 == len(cells) || cells[i+1].look != c.look {
			text := c.look.style(inks).Styled(run.String())
			if n := int(c.look >> linkBits); n > 0 {
				text = hyperlink.Wrap(targets[n-1], text)
			}
			b.WriteString(text)
			run.Reset()
		}
	}
	return b.String()
}

// inkOf lists the looks that are colours, the strongest first: code in a heading is code.
var inkOf = [...]struct {
	look  look
	token palette.Token
}{{code, palette.Code}, {link, palette.Link}, {heading, palette.Accent},
	{keyword, palette.Keyword}, {added, palette.Added}, {removed, palette.Removed},
	{hunk, palette.Hunk}, {dim, palette.Dim}}

// groundOf are the looks that are backgrounds.
var groundOf = [...]struct {
	look  look
	token palette.Token
}{{onAdded, palette.AddedGround}, {onRemoved, palette.RemovedGround}}

// style converts a look to a style of the terminal.
func (l look) style(inks *palette.Palette) (s ansi.Style) {
	if l&bold != 0 {
		s = s.Bold()
	}
	if l&italic != 0 {
		s = s.Italic(true)
	}
	if l&struck != 0 {
		s = s.Strikethrough(true)
	}
	if l&underlined != 0 {
		s = s.Underline(true)
	}
	for _, k := range inkOf {
		if l&k.look == 0 {
			continue
		}
		if c := inks.Color(k.token); c != nil {
			s = s.ForegroundColor(c)
		} else if k.look == dim {
			s = s.Faint()
		}
		break
	}
	for _, k := range groundOf {
		if c := inks.Color(k.token); l&k.look != 0 && c != nil {
			s = s.BackgroundColor(c)
		}
	}
	return s
}
