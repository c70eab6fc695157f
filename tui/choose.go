// This file holds the forms in which the user picks from a list or writes a line.

package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/textarea"
)

// choicesShown is the greatest number of visible choices: the conversation above stays visible too.
const choicesShown = 12

// chooser is a form with a list to pick from and a filter line. Its answer is the picked value or,
// if several can be picked, a []string of the marked ones.
type chooser struct {
	sheet
	title   string
	detail  string
	choices []ui.Choice  // texts are clean and on one line each, except values
	labels  []string     // in lower case: what the filter matches
	folded  []string     // the same, with the description
	current string       // the value that is set now: marked, and where the list begins
	columns [2]int       // the widths of the widest label and description
	several bool         // tab marks a choice
	other   bool         // the text of the filter can be picked too
	lasting bool         // there is no filter: letters go to the editor, see strict
	marked  map[int]bool // choices
	filter  textarea.Area
	found   []int // choices that match the filter, best first; own stands for the user's own words
	at      int   // in found
	moved   bool  // the user moved to at
	page    int
	reading scroller // scrolls the detail, if it is too long
	refused bool     // the user tried to pick before all of the detail had been on the screen

	stood func(value string) // called with each value that the user moves to; nil = no one asks
}

func newChooser(title, detail string, choices []ui.Choice) *chooser {
	c := &chooser{title: cells.Clean(title), page: 1}
	c.offer(detail, choices)
	return c
}

// offer replaces the choices. The filter and the user's position in the list stay.
func (c *chooser) offer(detail string, choices []ui.Choice) {
	kept := c.value()
	c.marked = map[int]bool{}
	if detail = strings.TrimSpace(cells.Clean(detail)); detail != c.detail {
		c.detail, c.reading = detail, scroller{}
	}
	c.choices, c.labels, c.folded, c.columns = nil, nil, nil, [2]int{}
	for _, x := range choices {
		c.addChoice(x)
	}
	if c.narrow(); c.moved || c.value() != c.current {
		c.stand(kept)
	}
}

// begin sets the value that is set now, and stands on it.
func (c *chooser) begin(current string) {
	c.current = current
	c.offer(c.detail, c.choices)
}

// addChoice appends a choice.
func (c *chooser) addChoice(x ui.Choice) {
	if x.Label == "" {
		x.Label = x.Value
	}
	x.Label, x.Description = plain.OneLine(x.Label), plain.OneLine(x.Description)
	c.choices = append(c.choices, x)
	c.labels = append(c.labels, strings.ToLower(x.Label))
	c.folded = append(c.folded, strings.ToLower(x.Label+" "+x.Description))
	c.columns[0] = max(c.columns[0], cells.Width(x.Label))
	c.columns[1] = max(c.columns[1], cells.Width(c.about(x)))
}

// about describes a choice, and says whether it is set now.
func (c *chooser) about(x ui.Choice) string {
	if c.current == "" || x.Value != c.current {
		return x.Description
	}
	return strings.Join(nonEmpty("current", x.Description), " · ")
}

// own stands in found for the words in the filter line.
const own = -1

// value returns the value of the current choice, "" if there is none.
func (c *chooser) value() string {
	switch {
	case c.at >= len(c.found):
		return ""
	case c.found[c.at] == own:
		return strings.TrimSpace(c.filter.Text())
	}
	return c.choices[c.found[c.at]].Value
}

// stand moves to the choice with the given value, if it matches the filter.
func (c *chooser) stand(value string) {
	for at, i := range c.found {
		if i != own && c.choices[i].Value == value {
			c.at = at
			return
		}
	}
}

// pick marks the choices with the given values.
func (c *chooser) pick(values []string) {
	for i, x := range c.choices {
		if slices.Contains(values, x.Value) {
			c.marked[i] = true
		}
	}
}

// narrow filters the choices. Those that contain the words of the filter come first, in their
// original order; then, best first, those that contain only its letters in order, in the label or
// else anywhere. Without a filter, the value that is set now is where the list begins.
func (c *chooser) narrow() {
	c.found, c.at = c.found[:0], 0
	words := strings.Fields(strings.ToLower(c.filter.Text()))
	in := make([]bool, len(c.choices))
	add := func(i int) {
		if !in[i] {
			in[i] = true
			c.found = append(c.found, i)
		}
	}
	for i, text := range c.folded {
		if hasAll(text, words) {
			add(i)
		}
	}
	letters := strings.Join(words, "")
	for _, texts := range [][]string{c.labels, c.folded} {
		for _, m := range fuzzy.Find(letters, texts) {
			add(m.Index)
		}
	}
	if c.other && len(words) > 0 {
		c.found = append(c.found, own)
	}
	if len(words) == 0 && c.current != "" {
		c.stand(c.current)
	}
}

func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// key implements component.
func (c *chooser) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	before := c.value()
	defer func() {
		if value := c.value(); c.stood != nil && !c.done && value != before && value != "" {
			c.stood(value)
		}
	}()
	switch msg.String() {
	case "esc":
		return c.give(nil)
	case "enter":
		switch {
		case !c.reading.all:
			c.refused = true
			return nil, true
		case c.several:
			return c.give(c.picked())
		case len(c.found) == 0:
			return nil, true
		}
		return c.give(c.value())
	case "tab":
		if c.several {
			c.markChoice()
		} else {
			c.move(1)
		}
	case "up", "ctrl+p", "shift+tab":
		c.move(-1)
	case "down", "ctrl+n":
		c.move(1)
	case "pgup":
		c.turn(-1)
	case "pgdown":
		c.turn(1)
	default:
		if !c.lasting {
			c.edit(func() { c.filter.Key(msg) })
		}
	}
	return nil, true
}

// strays implements strict.
func (c *chooser) strays(msg tea.KeyPressMsg) bool { return c.lasting && msg.Text != "" }

// answers implements strict.
func (c *chooser) answers(msg tea.KeyPressMsg) bool {
	return c.lasting && msg.String() == "enter"
}

// markChoice marks or unmarks the current choice. The user's own words become a new choice.
func (c *chooser) markChoice() {
	if len(c.found) == 0 {
		return
	}
	i := c.found[c.at]
	if i == own {
		i = len(c.choices)
		c.addChoice(ui.Choice{Value: c.value()})
		c.filter.Set("")
		c.narrow()
		c.stand(c.choices[i].Value)
	}
	if c.marked[i] = !c.marked[i]; c.found[c.at] == i {
		c.move(1)
	}
}

// picked returns the marked values, in the order of the choices.
func (c *chooser) picked() []string {
	values := []string{}
	for i, x := range c.choices {
		if c.marked[i] {
			values = append(values, x.Value)
		}
	}
	return values
}

// turn scrolls by a page: the detail if it is too long, so that all of it can be read, else the
// choices.
func (c *chooser) turn(n int) {
	if c.reading.most > 0 {
		c.reading.turn(n)
		return
	}
	c.move(n * c.page)
}

func (c *chooser) move(n int) {
	c.at = max(0, min(c.at+n, len(c.found)-1))
	c.moved = true
}

// edit changes the filter line. The choice that the user has moved to stays current while it
// matches.
func (c *chooser) edit(change func()) {
	before, kept := c.filter.Text(), c.value()
	if change(); c.filter.Text() == before {
		return
	}
	if c.narrow(); c.moved { // else the best match is current
		c.stand(kept)
	}
}

// paste implements paster.
func (c *chooser) paste(text string) bool {
	if c.lasting {
		return false
	}
	c.edit(func() { c.filter.Insert(plain.OneLine(text)) })
	return true
}

// heading implements form.
func (c *chooser) heading() string { return headingOf(c.title, &c.reading) }

// headingOf returns a title. It names the visible part of the text below it, unless a line of its
// own does.
func headingOf(title string, reading *scroller) string {
	title = plain.FirstLine(title)
	room := titleRoom(reading.width)
	where := reading.where(room)
	switch {
	case where == "" || reading.noted:
		return title
	case cells.Width(where)+5 > room:
		return where
	}
	return where + " · " + title
}

// askedLines returns the lines between the title and the input: the detail, and the title itself if
// it is too long for its line.
func askedLines(title, detail string, width int) []string {
	var lines []string
	if strings.Contains(title, "\n") || cells.Width(title) > titleRoom(width) {
		lines = cells.Wrap(title, width)
	}
	if detail != "" {
		lines = append(lines, cells.Wrap(detail, width)...)
	}
	return lines
}

// choicesLeast is how many choices stay visible below a long detail.
const choicesLeast = 4

// layout implements component.
func (c *chooser) layout(width, height int) ([]string, *tea.Cursor) {
	th, listens := c.theme, c.listens
	side := "  "
	if width < ruleLeast {
		side = ""
	}
	filtered, noted := height > 2 && !c.lasting, height > 3 // the less important lines go first
	left := height
	for _, line := range []bool{filtered, noted} {
		if line {
			left--
		}
	}
	detail := askedLines(c.title, c.detail, width-len(side))
	room := max(left-min(len(c.found), choicesLeast), min(left-1, 1)) // one line of it at least
	rows := cells.Indent(side, c.reading.cutLines(th, detail, width-len(side), min(len(detail),
		room)))
	var cursor *tea.Cursor
	if filtered {
		ask := side + longest(width/2, "Filter: ", "/")
		line, x, y := c.filter.Layout(width-len(ask), 1)
		cursor = tea.NewCursor(min(x+len(ask), width-1), y+len(rows))
		rows = append(rows, th.bold.Render(ask)+cells.Fit(line[0], width-len(ask)))
		left++
	}
	c.page = max(1, min(choicesShown, left-len(rows)))
	from := max(0, min(c.at-c.page/2, len(c.found)-c.page))
	first := c.labelCells(width - 2)
	for i := from; i < min(from+c.page, len(c.found)); i++ {
		rows = append(rows, c.row(th, width, first, i, listens))
	}
	if noted {
		rows = append(rows, c.keyHint(th, width))
	}
	return rows, cursor
}

// keyHint lists the available keys.
func (c *chooser) keyHint(th *theme, width int) string {
	if !c.reading.all {
		text := cells.Fit(longest(width, "  read all of it before you pick: page down goes on",
			"page down: read", "pgdn: read"), width)
		if c.refused {
			return th.alarm.Render(text)
		}
		return th.warn.Render(text)
	}
	note := fmt.Sprintf("%d of %d · enter picks, esc cancels", min(len(c.found), len(c.choices)),
		len(c.choices))
	switch {
	case c.several:
		note = fmt.Sprintf("%d of %d marked · tab marks, enter is done, esc cancels",
			len(c.picked()), len(c.choices))
	case len(c.found) == 0:
		note = "no match · esc cancels"
	}
	if c.other {
		note += " · or write something else"
	}
	return th.dim.Render(cells.Fit("  "+note, width))
}

// row draws one choice; first is the width of the column of labels.
func (c *chooser) row(th *theme, width, first, i int, listens bool) string {
	x := ui.Choice{Label: plain.OneLine(c.filter.Text()), Description: "in your own words"}
	if n := c.found[i]; n != own {
		x = c.choices[n]
	}
	if c.several {
		mark := "[ ] "
		if c.marked[c.found[i]] {
			mark = "[x] "
		}
		x.Label = mark + x.Label
	}
	about := c.about(x)
	label := cells.Fit(x.Label, width-2)
	if room := width - 2 - first - 2; about != "" && room > 8 {
		label = cells.Fit(x.Label, first)
		label += strings.Repeat(" ", first-cells.Width(label))
		about = cells.Fit(about, room)
		if i == c.at && listens {
			return th.choice.Render("› " + label + "  " + about)
		}
		return "  " + label + "  " + th.dim.Render(about)
	}
	if i == c.at && listens {
		return th.choice.Render("› " + label)
	}
	return "  " + label
}

// labelCells returns the width of the column of labels. Long labels leave the descriptions the room
// that they need, up to half of it; if labels that are cut then look the same, only the word
// current has room there.
func (c *chooser) labelCells(width int) int {
	widest := c.columns[0]
	if c.several {
		widest += len("[x] ")
	}
	cut := min(widest, width-2-min(c.columns[1], width/2))
	if cut == widest {
		return cut
	}
	seen := map[string]bool{}
	for _, x := range c.choices {
		label := cells.Fit(x.Label, cut)
		if seen[label] && !seen[x.Label] {
			return max(cut, min(widest, width-2-len("current  ")))
		}
		seen[label], seen[x.Label] = true, true
	}
	return cut
}

// choicesListed is how many choices are listed in lines. More of them are found by their letters.
const choicesListed = 30

// listAnswers implements lineForm.
func (c *chooser) listAnswers() []string {
	lines := append([]string{c.title}, nonEmpty(c.detail)...)
	for i, n := range c.found {
		if i == choicesListed {
			lines = append(lines, fmt.Sprintf("and %d more", len(c.found)-i))
			break
		}
		if n == own {
			continue
		}
		x := c.choices[n]
		text := fmt.Sprintf("%d: %s", n+1, x.Label)
		if about := c.about(x); about != "" {
			text += ", " + about
		}
		if c.marked[n] {
			text += ", marked"
		}
		lines = append(lines, text)
	}
	switch {
	case c.several:
		return append(lines, "write the numbers of your choices, with spaces between them; Ctrl+C "+
			"cancels")
	case c.other:
		return append(lines, "write a number, or an answer of your own; Ctrl+C cancels")
	}
	return append(lines, "write a number, or letters to shorten the list; Ctrl+C cancels")
}

// readAnswer implements lineForm.
func (c *chooser) readAnswer(line string) (problem string) {
	line = strings.TrimSpace(line)
	var values []string
	for _, word := range strings.Fields(strings.ReplaceAll(line, ",", " ")) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(c.choices) {
			values = nil
			break
		}
		values = append(values, c.choices[n-1].Value)
	}
	switch {
	case c.several && (values != nil || line == ""):
		c.give(append([]string{}, values...))
	case len(values) == 1:
		c.give(values[0])
	case c.several, line == "":
		return "not an answer: write a number"
	case c.other:
		c.give(line)
	default:
		c.filter.Set(line)
		c.narrow()
		if len(c.found) == 0 {
			c.filter.Set("")
			c.narrow()
			return "no choice has " + line
		}
		return strings.Join(c.listAnswers(), "\n")
	}
	return ""
}
