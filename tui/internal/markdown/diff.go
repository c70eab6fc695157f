// This file draws the changes of a file.

package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/palette"
)

// numbered is the least width of a change whose lines have numbers.
const numbered = 40

// mostDigits is the length of the greatest number that is shown: the code needs the room.
const mostDigits = 7

// diffRow is a line of a change.
type diffRow struct {
	sign byte   // '+', '-' or ' '; 0 is a remark
	line int    // its number: in the old text if it is removed, else in the new one
	text string // without the sign
}

// Diff returns the lines of a unified diff of one file, whose code is in a language, which may be
// unknown: each at most width cells wide and with its own colour sequences. Lines have their
// numbers in place of the heads of hunks, and code has its colours where there is a colour to put
// behind what was added and removed. The text must not contain control characters other than
// newlines. A text of another form is drawn as Code draws a diff.
func Diff(text, language string, width int, inks *palette.Palette) (lines []string) {
	rows, ok := parseDiff(text)
	if !ok {
		return Code(text, "diff", width, inks)
	}
	d := newDiffer(rows, language, width, inks)
	for i := 0; i < len(rows); {
		// what replaces what: as many added lines as removed ones
		removed := countSigns(rows[i:], '-')
		added := countSigns(rows[i+removed:], '+')
		for k := range max(1, removed+added) {
			other := ""
			switch {
			case removed != added:
			case k < removed:
				other = rows[i+removed+k].text
			default:
				other = rows[i+k-removed].text
			}
			lines = d.drawRow(lines, &rows[i+k], other)
		}
		i += max(1, removed+added)
	}
	return lines
}

// countSigns returns how many of the first rows have a sign.
func countSigns(rows []diffRow, sign byte) (n int) {
	for n < len(rows) && rows[n].sign == sign {
		n++
	}
	return n
}

// parseDiff returns the rows of a unified diff without the names of files. Hunks after the first
// one begin with a remark.
func parseDiff(text string) (rows []diffRow, ok bool) {
	var before, after int
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "@@ "):
			n, err := fmt.Sscanf(line, "@@ -%d", &before)
			_, rest, found := strings.Cut(line, " +")
			m, err2 := fmt.Sscanf(rest, "%d", &after)
			if n*m == 0 || err != nil || err2 != nil || !found {
				return nil, false
			}
			if i > 0 {
				rows = append(rows, diffRow{text: "⋮"})
			}
		case i == 0:
			return nil, false
		case strings.HasPrefix(line, "-"):
			rows = append(rows, diffRow{'-', before, line[1:]})
			before++
		case strings.HasPrefix(line, "+"):
			rows = append(rows, diffRow{'+', after, line[1:]})
			after++
		case line == "" || line[0] == ' ':
			rows = append(rows, diffRow{' ', after, strings.TrimPrefix(line, " ")})
			before++
			after++
		default:
			rows = append(rows, diffRow{text: line})
		}
	}
	return rows, true
}

// differ draws rows.
type differ struct {
	inks       *palette.Palette
	width      int
	digits     int // of a number; 0 = there are none
	old, fresh *coder
}

func newDiffer(rows []diffRow, language string, width int, inks *palette.Palette) *differ {
	d := &differ{inks: inks, width: max(width, 1), old: newCoder(language, inks),
		fresh: newCoder(language, inks)}
	if width >= numbered {
		for _, r := range rows {
			d.digits = max(d.digits, len(strconv.Itoa(r.line)))
		}
		if d.digits > mostDigits {
			d.digits = 0
		}
	}
	return d
}

// drawRow appends a row. other is the line that it replaces or that replaces it, "" if there is
// none.
func (d *differ) drawRow(lines []string, r *diffRow, other string) []string {
	if r.sign == 0 {
		note := r.text
		if d.digits > 0 {
			note = strings.Repeat(" ", max(0, d.digits-1)) + note
		}
		for _, l := range cutCode(cellsOf([]span{{note, dim}}), d.width) {
			lines = append(lines, styled(trimmed(l), d.inks))
		}
		return lines
	}
	head := string(r.sign)
	if d.digits > 0 {
		head = fmt.Sprintf("%*d %c ", d.digits, r.line, r.sign)
	}
	if d.width <= 2*len(head) {
		head = ""
	}
	mark := signLooks(r.sign)
	spans := d.marked(r, other, mark.ground)
	if line := strings.TrimRight(r.text, " "); len(head)+len(line) <= d.width &&
		plain.ASCII(line) && line != "" { // the common case
		c := coder{inks: d.inks}
		return append(lines, (mark.sign|mark.ground).style(d.inks).Styled(head)+
			c.inked(spans, 0, len(line)))
	}
	drawn := cellsOf(spans)
	room := d.width - len(head)
	margin := 0
	for margin < len(drawn) && margin < (room-1)/2 && drawn[margin].text == " " {
		margin++
	}
	before := append(cellsOf([]span{{head, mark.sign | mark.ground}}), drawn[:margin]...)
	for _, l := range cutCode(drawn[margin:], room-margin) {
		lines = append(lines, styled(trimmed(append(before, trimmed(l)...)), d.inks))
		before = cellsOf([]span{{strings.Repeat(" ", len(head)+margin), 0}})
	}
	return lines
}

// signLook is how a row with a sign looks: its sign and number, and its background.
type signLook struct{ sign, ground look }

func signLooks(sign byte) signLook {
	switch sign {
	case '+':
		return signLook{added, onAdded}
	case '-':
		return signLook{removed, onRemoved}
	}
	return signLook{dim, 0}
}

// marked returns the text of a row on a background, 0 = none, with what differs from other in bold.
// Where the terminal has no colour for the background, the text has that of its sign.
func (d *differ) marked(r *diffRow, other string, ground look) (out []span) {
	spans := d.spans(r)
	if ground == 0 {
		return spans
	}
	if len(ground.style(d.inks)) == 0 {
		spans = []span{{r.text, signLooks(r.sign).sign}}
	}
	from, to := changed(r.text, other)
	at := 0
	for _, s := range spans {
		n := len(s.text)
		a, b := min(max(from-at, 0), n), min(max(to-at, 0), n)
		for _, part := range [...]span{{s.text[:a], s.look}, {s.text[a:b], s.look | bold},
			{s.text[b:], s.look}} {
			if part.text != "" {
				out = append(out, span{part.text, part.look | ground})
			}
		}
		at += n
	}
	return out
}

// spans returns the text of a row with its looks. What a line leaves open, such as a comment, is
// followed in the old text and in the new one.
func (d *differ) spans(r *diffRow) []span {
	switch {
	case d.fresh.language == nil:
		return []span{{r.text, 0}}
	case r.sign == '-':
		return d.old.spans(r.text)
	case r.sign == ' ':
		d.old.spans(r.text)
	}
	return d.fresh.spans(r.text)
}

// changed returns the bytes of text in which it differs from other; from = to if that is most of
// it, and nothing stands out.
func changed(text, other string) (from, to int) {
	if other == "" {
		return 0, 0
	}
	most := min(len(text), len(other))
	for from < most && text[from] == other[from] {
		from++
	}
	end := 0
	for end < most-from && text[len(text)-1-end] == other[len(other)-1-end] {
		end++
	}
	from, end = len(plain.Head(text, from)), len(plain.Tail(text, end))
	indent := len(text) - len(strings.TrimLeft(text, " "))
	if shared := max(0, from-indent) + end; 2*shared < len(text)-indent {
		return 0, 0
	}
	return from, len(text) - end
}
