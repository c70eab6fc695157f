// This file holds the transcript: a list of entries of which only the visible ones are drawn.
// Nothing that happens per frame iterates over all of them.

package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/tui/internal/drag"
	"github.com/agentscripts/agent/tui/internal/find"
	"github.com/agentscripts/agent/tui/internal/markdown"
	"github.com/agentscripts/agent/tui/internal/palette"
	"github.com/agentscripts/agent/tui/internal/scroll"
)

// block is the content of an entry. Its texts are clean.
type block interface {
	// drawLines returns lines of at most c.width cells. It is called again when the entry or the
	// canvas has changed.
	drawLines(c *canvas) []string
	// compact reports whether no empty line separates this from a compact block before it.
	compact() bool
}

// canvas is what blocks are drawn on.
type canvas struct {
	width    int
	theme    *theme
	expanded bool // long results are shown in full
	printing bool // the lines are printed once, and are the terminal's then
	times    int  // how often the entry that is drawn was added in a row
	md       *markdown.Drawer
	sketches *sketches
	tool     func(name string) *engine.Tool // nil: no tools are known
	// the target of a path as a link of the terminal, "" if there is none; nil: there are no links
	file func(path string) string
	dir  string // where relative paths begin; "" = paths are shown as they are given
}

// toolOf returns the tool of a name, nil if there is none.
func (c *canvas) toolOf(name string) *engine.Tool {
	if c.tool == nil {
		return nil
	}
	return c.tool(name)
}

// entry is a block of the transcript with its cached lines.
type entry struct {
	block   block
	gap     bool // an empty line precedes it
	version int  // counts changes of the block
	times   int  // how often the same remark was added in a row; 0 is once

	// ownFold is the user's choice for this entry, valid while folding of the transcript has this
	// value
	ownFold, expanded bool
	folding           int
	answer            *answer // who decided about its calls; nil = hidden

	lines         []string // cached for the fields below; nil = never drawn
	drawnVersion  int
	drawnWidth    int
	drawnExpanded bool
	drawnEpoch    int
	drawnInks     *palette.Palette
}

// estimate is the assumed height of an entry that has not been drawn.
const estimate = 4

// transcript scrolls through entries. Its scroll position is an entry and a line of it, so that it
// does not move when heights above it change.
type transcript struct {
	canvas  canvas
	height  int
	above   int // lines of the screen above it
	entries []*entry
	heights scroll.Heights
	follow  bool // the end is visible, and stays visible
	ended   bool // the end is visible
	top     int  // the first visible entry
	line    int  // its first visible line
	rows    []string

	selected int  // the selected entry, -1 = none
	reveal   bool // the next layout scrolls to it
	mark     int  // its first row on the screen, -1 = none
	folding  int  // counts how often all entries were folded or unfolded

	searched bool       // the search is open
	query    find.Query // what it searches for
	found    spot       // the place that it shows; entry -1 = none

	dragged *drag.Drag // nil = the mouse selects no text
}

// wheelLines is how many lines the mouse wheel scrolls: the usual number in terminals.
const wheelLines = 3

func newTranscript(b *shared) *transcript {
	return &transcript{canvas: canvas{theme: b.theme, md: markdown.NewDrawer(b.theme.inks),
		sketches: &sketches{draw: b.backend.Draw}, tool: b.backend.Tool},
		follow: true, selected: -1}
}

// handleMsg implements component.
func (t *transcript) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			t.scroll(-wheelLines)
		case tea.MouseWheelDown:
			t.scroll(wheelLines)
		}
	case drawnMsg:
		t.canvas.sketches.takeSketch(msg)
	case *event.Event:
		if name := msg.Name(); name == "script_load" || name == "script_unload" {
			t.redraw()
		}
	}
	return t.canvas.sketches.handleImages(msg)
}

// key implements component.
func (t *transcript) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	page := max(1, t.height-2)
	switch msg.String() {
	case "ctrl+o":
		t.canvas.expanded = !t.canvas.expanded
		t.folding++ // entries folded one by one follow all others again
	case "pgup":
		t.scroll(-page)
	case "pgdown":
		t.scroll(page)
	case "ctrl+home":
		t.home()
	case "ctrl+end":
		t.endEntry()
	default:
		return nil, false
	}
	return nil, true
}

// redraw redraws all entries, including those that scripts draw.
func (t *transcript) redraw() { t.canvas.sketches.epoch++ }

// addEntry appends a block and returns its entry's index.
func (t *transcript) addEntry(b block) int {
	gap := false
	if last := t.lastSeen(len(t.entries) - 1); last >= 0 {
		gap = !(b.compact() && t.entries[last].block.compact())
	}
	t.entries = append(t.entries, &entry{block: b, gap: gap})
	t.heights.Add(estimate)
	return len(t.entries) - 1
}

// addRemark appends a remark and returns its entry, or counts it and returns -1 if it is the same
// as the last one.
func (t *transcript) addRemark(b *noticeBlock) int {
	if i := t.lastSeen(len(t.entries) - 1); i >= 0 {
		if last, ok := t.entries[i].block.(*noticeBlock); ok && *last == *b {
			t.entries[i].times = max(t.entries[i].times, 1) + 1
			t.changed(i)
			return -1
		}
	}
	return t.addEntry(b)
}

// changed marks entry i for drawing.
func (t *transcript) changed(i int) { t.entries[i].version++ }

// replaceEntry replaces the block of entry i.
func (t *transcript) replaceEntry(i int, b block) {
	t.entries[i].block, t.entries[i].times = b, 0
	t.changed(i)
}

// swap exchanges the blocks of two entries.
func (t *transcript) swap(i, j int) {
	a, b := t.entries[i].block, t.entries[j].block
	t.replaceEntry(i, b)
	t.replaceEntry(j, a)
}

// goneBlock is the block of an entry that no longer shows anything.
type goneBlock struct{}

func (goneBlock) compact() bool              { return true }
func (goneBlock) drawLines(*canvas) []string { return nil }

// hide hides entry i.
func (t *transcript) hide(i int) {
	t.entries[i].gap = false
	t.replaceEntry(i, goneBlock{})
}

// showEntry shows a block in an entry that shows nothing.
func (t *transcript) showEntry(i int, b block) {
	t.replaceEntry(i, b)
	t.entries[i].gap = t.lastSeen(i-1) >= 0
	for j := i + 1; j < len(t.entries); j++ {
		if _, gone := t.entries[j].block.(goneBlock); !gone {
			t.entries[j].gap = t.entries[j].gap || !b.compact()
			t.changed(j)
			break
		}
	}
}

// lastSeen returns the last entry up to i that shows anything, -1 if there is none.
func (t *transcript) lastSeen(i int) int {
	for ; i >= 0; i-- {
		if _, gone := t.entries[i].block.(goneBlock); !gone {
			break
		}
	}
	return i
}

// clearEntries removes all entries.
func (t *transcript) clearEntries() {
	t.entries, t.heights, t.top, t.line, t.follow = nil, scroll.Heights{}, 0, 0, true
	t.selected, t.found.entry, t.dragged = -1, -1, nil
}

// lines returns the lines of entry i and draws them if necessary.
func (t *transcript) lines(i int) []string {
	e, c := t.entries[i], t.canvas
	c.expanded, c.times = t.expandedEntry(e), e.times
	if e.lines == nil || e.drawnVersion != e.version || e.drawnWidth != c.width ||
		e.drawnExpanded != c.expanded || e.drawnEpoch != c.sketches.epoch ||
		e.drawnInks != c.theme.inks {
		e.drawnVersion, e.drawnWidth, e.drawnExpanded, e.drawnEpoch, e.drawnInks = e.version,
			c.width, c.expanded, c.sketches.epoch, c.theme.inks
		c.sketches.entry = e
		e.lines = e.lines[:0:0]
		if e.gap {
			e.lines = append(e.lines, "")
		}
		if drawn := e.block.drawLines(&c); len(drawn) > 0 {
			e.lines = append(e.lines, drawn...)
			if e.answer != nil {
				e.lines = append(e.lines, e.answer.drawLines(&c)...)
			}
		} else {
			e.lines = nil
		}
		if len(e.lines) == 0 {
			e.lines = []string{} // drawn, and empty
		}
		t.heights.Set(i, len(e.lines))
	}
	return e.lines
}

// layout implements component: it draws the visible entries. The lines are valid until the next
// layout. A selected entry does not move when others are added.
func (t *transcript) layout(width, height int) ([]string, *tea.Cursor) {
	t.canvas.width, t.height = width, max(height, 0)
	if t.reveal && t.selected >= 0 {
		t.scrollTo(t.selected)
	}
	t.reveal = false
	t.drawRows()
	t.drawMatches()
	t.drawDragged()
	if t.selected >= 0 && t.mark >= 0 {
		t.rows[t.mark] = t.highlight(t.rows[t.mark])
	}
	return t.rows, nil
}

// held reports whether the transcript stays where it is when entries are added at its end.
func (t *transcript) held() bool {
	return t.selected >= 0 || t.searched || t.dragged != nil
}

// drawRows fills the rows.
func (t *transcript) drawRows() {
	if t.ended = t.follow; !t.follow {
		if t.fromTop(); len(t.rows) == t.height && !t.atEnd() {
			return
		}
		t.ended, t.follow = true, !t.held()
	}
	t.fromEnd()
	t.follow = t.follow && !t.held()
}

// fromTop fills rows downwards from the scroll position.
func (t *transcript) fromTop() {
	t.rows, t.mark = t.rows[:0], -1
	if t.top >= len(t.entries) {
		return
	}
	t.line = min(t.line, max(len(t.lines(t.top))-1, 0)) // the entry may have become shorter
	skip := t.line
	for i := t.top; i < len(t.entries) && len(t.rows) < t.height; i++ {
		lines := t.lines(i)
		first := 0 // its first line that is not empty
		if t.entries[i].gap {
			first = 1
		}
		if i == t.selected && len(lines) > max(first, skip) {
			t.mark = len(t.rows) + max(first-skip, 0)
		}
		lines = lines[min(skip, len(lines)):]
		t.rows = append(t.rows, lines[:min(len(lines), t.height-len(t.rows))]...)
		skip = 0
	}
	if t.mark >= len(t.rows) { // only the empty line before it is visible
		t.mark = -1
	}
}

// atEnd reports whether fromTop has drawn the end.
func (t *transcript) atEnd() bool {
	n := t.height + t.line
	for i := t.top; i < len(t.entries); i++ {
		if n -= len(t.lines(i)); n < 0 {
			return false
		}
	}
	return n >= 0
}

// fromEnd fills rows upwards from the end, and sets the scroll position to the first row.
func (t *transcript) fromEnd() {
	t.top, t.line = 0, 0
	n := 0
	for i := len(t.entries) - 1; i >= 0; i-- {
		if n += len(t.lines(i)); n >= t.height {
			t.top, t.line = i, n-t.height
			break
		}
	}
	t.fromTop()
}

// scroll moves by n lines, up if n is negative.
func (t *transcript) scroll(n int) {
	if len(t.entries) == 0 || n > 0 && t.follow {
		return
	}
	t.follow = false
	t.line += n
	for t.line < 0 && t.top > 0 {
		t.top--
		t.line += len(t.lines(t.top))
	}
	t.line = max(t.line, 0)
	for t.top < len(t.entries)-1 && t.line >= len(t.lines(t.top)) {
		t.line -= len(t.lines(t.top))
		t.top++
	}
}

// home and end go to the first and to the last line.
func (t *transcript) home()     { t.top, t.line, t.follow = 0, 0, false }
func (t *transcript) endEntry() { t.follow = true }

// below estimates how many lines are below the visible ones.
func (t *transcript) below() int {
	if t.follow || t.ended {
		return 0
	}
	return max(1, t.heights.Total()-t.heights.Before(t.top)-t.line-t.height)
}

// lastVisible returns the last entry with a line on the screen, -1 if there is none.
func (t *transcript) lastVisible() int { return t.entryAt(len(t.rows) - 1) }

// entryAt returns the entry in row y of the transcript, -1 if there is none.
func (t *transcript) entryAt(y int) int {
	if y < 0 || y >= len(t.rows) {
		return -1
	}
	y += t.line
	for i := t.top; i < len(t.entries); i++ {
		if y -= len(t.lines(i)); y < 0 {
			return i
		}
	}
	return -1
}

// scrollTo scrolls until entry i is visible, or its beginning if it is higher than the screen.
func (t *transcript) scrollTo(i int) {
	gap := 0
	if t.entries[i].gap {
		gap = 1
	}
	if i < t.top || i == t.top && t.line > gap {
		t.top, t.line, t.follow = i, 0, false
	}
	from := -t.line // the row of its first line
	for k := t.top; k < i; k++ {
		from += len(t.lines(k))
	}
	if over := from + len(t.lines(i)) - t.height; over > 0 {
		t.follow = false
		t.scroll(max(0, min(over, from+gap)))
	}
}
