// This file searches the transcript. The texts of entries are searched, not their lines, so that
// entries that were never visible need not be drawn.

package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/find"
	"github.com/agentscripts/agent/tui/internal/textarea"
)

// search is the line in which the user types what is searched for, and the way from one place to
// the next. The selection passes it keys while it is open.
type search struct {
	transcript *transcript
	theme      *theme
	open       bool
	moving     bool // n and N move; they are not typed
	line       textarea.Area
	hits       []int // the entries that have the text
	back       spot  // where the user was
}

// spot is a place in the transcript: a line of an entry, or its end.
type spot struct {
	entry, line int
	follow      bool
}

// begin opens the search at what is visible.
func (s *search) begin() {
	t := s.transcript
	if s.open {
		s.moving = false
		return
	}
	s.open, s.moving, s.hits = true, false, nil
	s.line.Set("")
	s.back = spot{t.top, t.line, t.follow}
	t.selected, t.found, t.searched = -1, spot{entry: -1}, true
}

// end closes the search and leaves the transcript where it is.
func (s *search) end() {
	s.open = false
	s.transcript.query, s.transcript.searched = find.Query{}, false
}

// key handles a key while the search is open.
func (s *search) key(msg tea.KeyPressMsg) (used bool) {
	t := s.transcript
	name := msg.String()
	switch {
	case name == "esc":
		s.end()
		t.top, t.line, t.follow = s.back.entry, s.back.line, s.back.follow
	case name == "up" || s.moving && name == "N":
		s.moveTo(-1)
	case name == "down" || s.moving && name == "n":
		s.moveTo(1)
	case name == "enter" && s.moving:
		found := t.found.entry
		s.end()
		t.selectFrom(max(found, 0), 1)
	case name == "enter":
		s.moving = true
	case name == "ctrl+f":
		s.moving = false
	case s.moving, name == "ctrl+d" && s.line.Text() == "":
		return false
	default:
		if before := s.line.Text(); !s.line.Key(msg) {
			return false
		} else if s.line.Text() != before {
			s.lookFor()
		}
	}
	return true
}

// paste adds pasted text to what is searched for.
func (s *search) paste(text string) {
	s.line.Insert(strings.ReplaceAll(text, "\n", " "))
	s.lookFor()
}

// lookFor goes to the last place, up to where the user was, that has the text.
func (s *search) lookFor() {
	t := s.transcript
	t.query = find.New(s.line.Text())
	t.top, t.line, t.follow = s.back.entry, s.back.line, s.back.follow
	t.found = spot{entry: -1}
	if s.collect(); len(s.hits) == 0 {
		return
	}
	t.drawRows()
	from := t.lastVisible()
	i, exact := slices.BinarySearch(s.hits, max(from, 0))
	if !exact {
		i = max(i-1, 0)
	}
	rows := t.matches(s.hits[i])
	t.goTo(spot{entry: s.hits[i], line: rows[len(rows)-1]})
}

// collect finds the entries that have the text.
func (s *search) collect() {
	t := s.transcript
	s.hits = s.hits[:0]
	for i, e := range t.entries {
		if hasText(e.block, t.query) || e.answer != nil && t.query.In(e.answer.text) {
			s.hits = append(s.hits, i)
		}
	}
}

// moveTo goes to the next place (1) or the previous one (-1), and on at the other end.
func (s *search) moveTo(step int) {
	t := s.transcript
	if s.collect(); len(s.hits) == 0 {
		return
	}
	i, here := slices.BinarySearch(s.hits, t.found.entry)
	if here {
		rows := t.matches(t.found.entry)
		k, exact := slices.BinarySearch(rows, t.found.line)
		if step > 0 && exact {
			k++
		} else if step < 0 {
			k--
		}
		if k >= 0 && k < len(rows) {
			t.goTo(spot{entry: t.found.entry, line: rows[k]})
			return
		}
	}
	if step < 0 || here {
		i += step
	}
	i = (i + len(s.hits)) % len(s.hits)
	rows := t.matches(s.hits[i])
	line := rows[0]
	if step < 0 {
		line = rows[len(rows)-1]
	}
	t.goTo(spot{entry: s.hits[i], line: line})
}

// rule returns the line of the search.
func (s *search) rule(width int) string {
	text := s.line.Text()
	count := ""
	i, here := slices.BinarySearch(s.hits, s.transcript.found.entry)
	switch {
	case text == "":
	case len(s.hits) == 0:
		count = "not found"
	case here:
		count = fmt.Sprintf("entry %d of %d", i+1, len(s.hits))
	}
	keys := []string{"up and down move · enter, then n and N · esc goes back", "up, down · esc", ""}
	if s.moving {
		keys = []string{"n and N move · enter selects · esc goes back", "n, N · esc", ""}
	}
	const between = " · "
	room := titleRoom(width) - cells.Width("find: ▏"+between+count)
	shown := text
	if over := cells.Width(shown) - max(room, 1); over > 0 { // its end is what is typed
		shown = ansi.TruncateLeft(shown, over+1, "…")
	}
	parts := nonEmpty("find: "+shown+"▏", count,
		cells.Longest(max(0, room-cells.Width(between+shown)), keys...))
	return titleRule(s.theme, strings.Join(parts, between), width)
}

// goTo shows a place.
func (t *transcript) goTo(at spot) {
	t.found = at
	row := at.line
	for i := at.entry - 1; i >= t.top && row <= t.height; i-- {
		row += len(t.lines(i))
	}
	if row -= t.line; at.entry < t.top || row < 0 || row >= t.height {
		t.top, t.line = at.entry, at.line
		t.scroll(-t.height / 2)
	}
	t.follow = false
}

// matches returns the lines of entry i that have the text of the search. If only the unfolded entry
// has it, it is unfolded. If the text is broken by the end of a line or by markup, it returns the
// first line.
func (t *transcript) matches(i int) []int {
	e := t.entries[i]
	rows := t.matchingLines(i)
	if len(rows) == 0 && !t.expandedEntry(e) {
		was := *e
		e.ownFold, e.expanded, e.folding = true, true, t.folding
		if rows = t.matchingLines(i); len(rows) == 0 {
			e.ownFold, e.expanded, e.folding = was.ownFold, was.expanded, was.folding
			t.lines(i)
		}
	}
	if len(rows) == 0 {
		if rows = []int{0}; e.gap {
			rows[0] = 1
		}
	}
	return rows
}

func (t *transcript) matchingLines(i int) (rows []int) {
	for n, l := range t.lines(i) {
		if t.query.In(ansi.Strip(l)) {
			rows = append(rows, n)
		}
	}
	return rows
}

// drawMatches marks the text of the search in the visible rows.
func (t *transcript) drawMatches() {
	if t.query.Empty() {
		return
	}
	here := t.found.line - t.line // the row of the place
	for i := t.top; i < t.found.entry && here < len(t.rows); i++ {
		here += len(t.lines(i))
	}
	for y, row := range t.rows {
		ink := ansi.NewStyle().Bold().Underline(true)
		if t.found.entry >= t.top && y == here {
			ink = ansi.NewStyle().Reverse(true)
		}
		t.rows[y], _ = t.query.Mark(row, ink.Styled)
	}
}

// texts returns the texts of a block that are searched and copied, as they are before they are
// drawn. They need not be clean.
func texts(b block) []string {
	switch b := b.(type) {
	case *userBlock:
		return []string{b.whole()}
	case *messageBlock:
		if b.finished {
			return []string{b.final}
		}
		return []string{b.stream.Text()}
	case *thoughtBlock:
		return []string{string(b.stream.text)}
	case *sayBlock:
		return []string{b.text}
	case *noticeBlock:
		return []string{b.text}
	case *changeBlock:
		return []string{b.text}
	case *failureBlock:
		return nonEmpty(b.message, b.excerpt, b.hint)
	case *subagentBlock:
		return nonEmpty(b.name, b.task, b.why, b.response)
	case *summaryBlock:
		return nonEmpty(b.title, b.summary)
	case *toolBlock:
		return toolTexts(b)
	case *sourcesBlock:
		return sourceTexts(b)
	case *entryBlock:
		return drawingTexts(b.sketch)
	case *lateBlock:
		return lateTexts(b)
	}
	return nil
}

// hasText reports whether a block has the text of the search.
func hasText(b block, q find.Query) bool {
	return slices.ContainsFunc(texts(b), q.In)
}

func sourceTexts(b *sourcesBlock) (out []string) {
	for _, s := range b.list {
		out = append(out, s.title, s.url)
	}
	return out
}

func lateTexts(b *lateBlock) (out []string) {
	if b.item == nil {
		for _, x := range b.blocks {
			out = append(out, texts(x)...)
		}
		return out
	}
	i := b.item
	out = nonEmpty(i.Reasoning, i.Text, i.Tool, i.ForUser)
	for _, c := range i.Content {
		out = append(out, c.Text)
	}
	if i.Display != nil {
		out = append(out, i.Display.Text)
	}
	return append(out, valueTexts(i.Args)...)
}

// toolTexts returns the texts of a call: of its arguments, then of its result.
func toolTexts(b *toolBlock) []string {
	out := nonEmpty(append([]string{b.tool, b.title}, valueTexts(b.args)...)...)
	if b.agent != nil {
		out = append(out, texts(b.agent)...)
	}
	if b.result != nil {
		out = append(out, b.result.text)
	}
	return append(append(out, nonEmpty(string(b.output), b.why, b.forUser)...),
		append(drawingTexts(b.drawsCall), drawingTexts(b.drawsResult)...)...)
}

// valueTexts returns the texts in arguments.
func valueTexts(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case map[string]any:
		for _, k := range value.SortedKeys(v) {
			out = append(append(out, k), valueTexts(v[k])...)
		}
	case []any:
		for _, x := range v {
			out = append(out, valueTexts(x)...)
		}
	}
	return out
}

// drawingTexts returns the texts of a script's drawing; s may be nil.
func drawingTexts(s *sketch) (out []string) {
	if s == nil || s.drawing == nil {
		return nil
	}
	out = nonEmpty(s.drawing.Markdown)
	for _, l := range s.drawing.Lines {
		line := ""
		for _, span := range l {
			line += span.Text
		}
		out = append(out, line)
	}
	return out
}
