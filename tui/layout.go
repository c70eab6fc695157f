// This file defines the interface of the screen's components and lays them out.

package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/chip"
	"github.com/agentscripts/agent/tui/internal/keymap"
	"github.com/agentscripts/agent/tui/terminal"
)

// editorShare is the fraction of the screen, as a divisor, that the editor may fill: the transcript
// keeps the rest.
const editorShare = 3

// layout lays out the screen: header, transcript, dialog or completions, editor, status line,
// footer.
func (m *model) layout() {
	if m.window.width <= 0 || m.window.height <= 0 {
		return
	}
	m.inline.beginLayout(m.window.width)
	if m.overlays.dialogs.front() != nil && !m.selection.active() {
		m.layoutDialog()
		return
	}
	if p := m.overlays.panels.front(); p != nil && !m.selection.active() {
		if p.told.Overlay && m.window.width >= overlayLeast && m.window.height >= overlayLeast/2 {
			m.layoutConversation()
			m.layoutOverlay(p)
		} else {
			m.layoutPanel()
		}
		return
	}
	m.layoutConversation()
}

// overlayLeast is the least width of a screen on which a panel is drawn over the conversation, and
// twice the least height.
const overlayLeast = 20

// layoutOverlay draws a panel over the screen, in its middle.
func (m *model) layoutOverlay(p *panel) {
	width, height := m.window.width, m.window.height
	const besides = 4 // a frame, and a cell on each side
	p.told.Resize(width-2*besides, height-2*besides)
	box := p.box(width-besides, height-2*besides+2)
	left, top := (width-cells.Width(box[0]))/2, (height-len(box))/2
	for i, line := range box {
		m.screen[top+i] = cells.Over(m.screen[top+i], left, line)
	}
	if m.overlays.listens() {
		m.cursor = nil
	}
	m.overlays.gate().noteDrawn(m.now())
}

// layoutConversation lays out the screen without a dialog or a panel.
func (m *model) layoutConversation() {
	width, height := m.window.width, m.window.height
	editor, cursor := m.editor.layout(width, max(1, height/editorShare))
	rule, above := m.editor.rule(width), m.rows(m.above)
	if m.inline.visiting {
		rule = titleRule(m.theme, longest(titleRoom(width),
			"the whole conversation · ctrl+o unfolds and folds · esc goes back",
			"ctrl+o unfolds · esc goes back", "esc goes back", "esc"), width)
	}
	if m.selection.active() {
		rule, above = m.selection.rule(width), append(above, m.overlays.dialogs.aside(width)...)
	}
	rule, told := m.toasts.place(rule, width, (height+toastShare-1)/toastShare)
	above = append(told, above...)
	bottom := append([]string{rule}, editor...)
	bottom = append(append(bottom, m.rows(m.below)...), m.rows(m.footers)...)
	cursor.Y -= len(bottom) - 1 // from the end of the screen
	if m.selection.active() {
		cursor = nil
	}
	m.stack(above, bottom, cursor)
}

// peek lays out the whole screen, which the inline layout does not show, for keys that go by what
// is visible on it.
func (m *model) peek() {
	m.inline.visiting = true
	m.layout()
	m.inline.visiting = false
}

// rows returns the lines of components that are placed below each other.
func (m *model) rows(of []row) (lines []string) {
	for _, r := range of {
		more, _ := r.layout(m.window.width, m.window.height/r.share)
		lines = append(lines, more...)
	}
	return lines
}

const (
	// transcriptLeast is how many lines of the transcript stay visible with a dialog: they show
	// what led to the question.
	transcriptLeast = 4
	// dialogComfort is the least height of a screen with room for a dialog, the transcript and the
	// editor. On a lower one the dialog has priority, so that the user sees what they decide about.
	dialogComfort = 24
	// dialogTight is the greatest height at which a dialog has the screen to itself.
	dialogTight = 8
)

// layoutDialog lays out the screen with a dialog between the transcript and the editor.
func (m *model) layoutDialog() {
	width, height, listens := m.window.width, m.window.height, m.overlays.listens()
	lines, kept := max(1, height/editorShare), transcriptLeast
	if height < dialogComfort {
		lines, kept = 1, max(0, height-2*dialogTight)/2
	}
	var bottom, told []string
	rule := ""
	editor, cursor := m.editor.layout(width, lines)
	switch {
	case height > dialogTight:
		rule, told = m.toasts.place(m.editor.rule(width), width,
			(height+toastShare-1)/toastShare)
		bottom = append(append([]string{rule}, editor...), m.statusLine())
		if height >= dialogComfort {
			bottom = append(bottom, m.rows(m.footers)...)
		}
		cursor.Y -= len(bottom) - 1
	case !listens && height > dialogTight/2: // users must see what they type
		bottom = editor
		cursor.Y -= len(bottom)
	default:
		cursor = nil
	}
	middle, at := m.overlays.dialogs.layout(width, max(0, height-len(bottom)-len(told)-kept))
	if rule == "" && len(middle) > 0 {
		middle[0], _ = m.toasts.place(middle[0], width, 0)
	}
	middle = append(middle, told...)
	if listens {
		if cursor = at; at != nil {
			at.Y -= len(bottom) + len(middle)
		}
	}
	m.stack(middle, bottom, cursor)
	m.overlays.gate().noteDrawn(m.now()) // the layout may have taken a while
}

// layoutPanel lays out the screen with a panel in place of the conversation and the editor. The
// editor stays visible until the panel takes keys, because they go there.
func (m *model) layoutPanel() {
	width, height := m.window.width, m.window.height
	room := max(0, height-2) // title and status line
	m.overlays.panels.front().told.Resize(width, room)
	var foot []string
	if m.cursor = nil; !m.overlays.listens() {
		foot, m.cursor = m.editor.layout(width, 1)
	}
	lines, _ := m.overlays.panels.layout(width, 1+max(0, room-len(foot)))
	status := m.statusLine()
	title, told := m.toasts.place(lines[0], width, 1)
	if lines[0] = title; len(told) > 0 { // the title has no room for it
		status = told[0]
	}
	m.screen = append(append(append(m.screen[:0], lines...), foot...), status)
	if len(m.screen) > height {
		m.screen = m.screen[len(m.screen)-height:]
	}
	m.overlays.gate().noteDrawn(m.now())
	if m.cursor != nil {
		m.cursor.Y += len(m.screen) - 2
	}
}

// stack assembles the screen: the transcript has the room that middle and bottom leave. The
// cursor's row counts upwards from the end of the screen.
func (m *model) stack(middle, bottom []string, cursor *tea.Cursor) {
	width, height := m.window.width, m.window.height
	room := max(0, height-len(bottom)-len(middle))
	var header []string
	if !m.overlays.asks() || height >= dialogComfort {
		header = m.rows(m.headers)
		header = header[:min(len(header), room/2)]
	}
	m.transcript.above = len(header)
	if m.inline.showing() {
		m.stackLive(header, middle, bottom, cursor)
		return
	}
	top, _ := m.transcript.layout(width, room-len(header))
	m.screen = append(append(m.screen[:0], header...), top...)
	for len(m.screen) < room {
		m.screen = append(m.screen, "")
	}
	m.screen = append(append(m.screen, middle...), bottom...)
	if len(m.screen) > height { // a screen of a few lines: its end matters most
		m.screen = m.screen[len(m.screen)-height:]
	}
	if m.cursor = cursor; cursor != nil {
		cursor.Y += height
	}
}

// stackLive assembles the live lines of the inline layout: the header, what of the transcript is
// not finished, and below it what stack has. The cursor's row counts upwards from their end.
func (m *model) stackLive(header, middle, bottom []string, cursor *tea.Cursor) {
	height := m.window.height
	room := max(0, height-len(header)-len(middle)-len(bottom))
	unfinished := m.inline.tail(min(room, max(liveLeast, height/liveShare)))
	m.screen = append(append(m.screen[:0], header...), unfinished...)
	m.screen = append(append(m.screen, middle...), bottom...)
	if len(m.screen) > height {
		m.screen = m.screen[len(m.screen)-height:]
	}
	if m.cursor = cursor; cursor != nil {
		cursor.Y += len(m.screen)
		if len(unfinished) > 0 && m.work.busy() && m.editor.blank() {
			m.cursor = nil // lines above it could be pushed out of a terminal that becomes lower
		}
	}
}

// statusLine returns the status line.
func (m *model) statusLine() string {
	lines, _ := m.status.layout(m.window.width, wholeHeight)
	return lines[0]
}

// inline is the inline layout, in which the screen takes a few lines of the terminal: entries that
// are finished are printed above them, once, and belong to the terminal from then on. It is off in
// the full-screen layout. What needs the whole screen gets it for as long as it is open.
type inline struct {
	unseen
	*shared
	transcript *transcript
	work       *work
	toasts     *toasts
	peek       func()      // lays out the whole screen, for a key that goes by what is visible
	covered    func() bool // reports whether something that needs the whole screen is open
	paper      paper       // nil before Run, and if the terminal is none

	on       bool
	visiting bool // the user looks at the whole transcript, on the whole screen
	live     bool // the last layout was inline

	first   *entry // of the transcript: another one if the transcript was replaced
	printed int    // the entries before it are printed
	// of what comes next, only the last entries are printed: all, or of those that were loaded
	recent, replaced bool
	any              bool  // something has been printed
	running          []int // entries that are printed and were running then
	above            []string
	whole            bool // all live lines are drawn again
}

// paper is what the inline layout is printed on. terminal.Output implements it.
type paper interface {
	Show(f terminal.Frame)
	SetProfile(p colorprofile.Profile)
	SetFrozen(frozen bool)
}

const (
	// recentShown is how many entries of a session are printed that was loaded, or that took place
	// on the whole screen: what was said last.
	recentShown = 20
	// liveShare is the fraction of the terminal, as a divisor, that unfinished entries may fill. If
	// the terminal becomes lower, lines above the cursor are pushed out of it, which cannot be
	// taken back. liveLeast is how many lines they may fill in any case.
	liveShare, liveLeast = 3, 3
)

// configure chooses the layout. It returns what is wrong with the setting.
func (p *inline) configure(layout string) (problem string) {
	switch layout {
	case "", "inline":
		p.on = true
	case "fullscreen":
		p.on = false
	case "auto": // the console of Linux does not keep what leaves the screen
		p.on = !strings.HasPrefix(p.info.Terminal, "linux ")
	default:
		p.on = true
		return fmt.Sprintf("layout: got %q, want inline, fullscreen or auto", layout)
	}
	return ""
}

// showing reports whether the screen takes a few lines of the terminal now.
func (p *inline) showing() bool { return p.on && p.paper != nil && !p.visiting && !p.covered() }

// handleMsg implements component.
func (p *inline) handleMsg(msg tea.Msg) tea.Cmd {
	if p.paper == nil {
		return nil
	}
	switch msg := msg.(type) {
	case tea.ColorProfileMsg:
		p.paper.SetProfile(msg.Profile)
		p.paper.SetFrozen(keepsLines(p.info.Terminal))
		return tea.RequestTerminalVersion
	case tea.TerminalVersionMsg:
		if strings.HasPrefix(msg.Name, "XTerm") { // others say so in $TERM, too
			p.paper.SetFrozen(true)
		}
	}
	return nil
}

// keepsLines reports whether a terminal is known to leave its lines as they are when its width
// changes.
func keepsLines(terminal string) bool {
	name, _, _ := strings.Cut(terminal, " ")
	tmux := strings.HasSuffix(terminal, "tmux")
	return strings.HasPrefix(name, "screen") && !tmux || name == "linux" ||
		strings.HasPrefix(name, "st-")
}

// key implements component: keys that scroll or unfold the transcript show all of it.
func (p *inline) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	name := msg.String()
	switch {
	case p.showing() && (name == "ctrl+o" || name == "pgup" || name == "ctrl+home"):
		p.peek()
		p.visiting = true
	case p.showing():
		return nil, name == "pgdown" || name == "ctrl+end"
	case !p.visiting:
	case name == "esc", name == "ctrl+o" && p.transcript.canvas.expanded:
		p.visiting = false
		return nil, true
	case msg.Text != "": // it is for the editor
		p.visiting = false
	}
	return nil, false
}

// beginLayout begins a layout: it collects the lines of the entries that are to be printed.
func (p *inline) beginLayout(width int) {
	was := p.live
	if p.live = p.showing(); !p.live {
		return
	}
	t := p.transcript
	if t.canvas.width = width; !was {
		t.endEntry()
		p.fold()
	}
	if len(t.entries) == 0 {
		return
	}
	if p.first != t.entries[0] {
		p.first, p.printed, p.replaced, p.running = t.entries[0], 0, true, nil
	}
	p.printEnded()
	end := p.settled()
	p.skip(end)
	for ; p.printed < end; p.printed++ {
		lines := p.finalLines(p.printed)
		if waitsForDrawing(t.entries[p.printed].block) {
			return
		}
		p.addLines(lines)
		if p.work.conversation.overtaken(p.printed) {
			p.running = append(p.running, p.printed)
		}
	}
}

// printEnded prints once more the entries that were printed while they were running, and have
// ended.
func (p *inline) printEnded() {
	p.running = slices.DeleteFunc(p.running, func(i int) bool {
		if p.work.conversation.overtaken(i) {
			return false
		}
		p.addLines(p.finalLines(i))
		return true
	})
}

// finalLines returns the lines of entry i without what the user has asked about it, which may not
// be answered yet.
func (p *inline) finalLines(i int) []string {
	e := p.transcript.entries[i]
	if asked := e.answer; asked != nil {
		e.answer = nil
		p.transcript.changed(i)
		defer func() {
			e.answer = asked
			p.transcript.changed(i)
		}()
	}
	return p.transcript.lines(i)
}

// addLines prints lines of an entry.
func (p *inline) addLines(lines []string) {
	if p.printed == 0 && p.any { // another session
		p.above = append(p.above, "")
	}
	p.above = append(p.above, lines...)
	p.any = p.any || len(lines) > 0
}

// skip leaves out all entries before end but the last ones, if only these are to be printed: of a
// session that was loaded, and what was on the whole screen.
func (p *inline) skip(end int) {
	if end <= p.printed {
		return
	}
	if p.replaced && !p.recent {
		for end > p.printed && !isLate(p.transcript.entries[end-1]) {
			end-- // what the program says about the session
		}
	} else if !p.recent {
		return
	}
	p.recent, p.replaced = false, false
	if n := end - recentShown - p.printed; n > 1 {
		note := "… " + plain.Count(n, "earlier entry is", "earlier entries are") +
			" not printed; ctrl+o shows all"
		p.addLines([]string{p.theme.dim.Render(cells.Fit(note, p.transcript.canvas.width))})
		p.printed += n
	}
}

func isLate(e *entry) bool {
	_, late := e.block.(*lateBlock)
	return late
}

// fold folds all entries, as they are printed.
func (p *inline) fold() {
	if t := p.transcript; t.canvas.expanded {
		t.canvas.expanded = false
		t.folding++
	}
}

// settled returns how many entries, from the first, will not change any more.
func (p *inline) settled() int {
	t, c := p.transcript, p.work.conversation
	if !c.scripts.begun { // many scripts may yet become one line
		return 0
	}
	end := c.firstUnfinished(p.work.busy())
	if last := t.lastSeen(len(t.entries) - 1); end > last && last >= 0 {
		switch b := t.entries[last].block.(type) {
		case *changeBlock: // the next change of the setting replaces it
			end = last
		case *noticeBlock:
			if b.level != "dim" { // the same once more is counted, not added
				end = last
			}
		}
	}
	return end
}

// tail returns the last n lines of the entries that are not printed.
func (p *inline) tail(n int) (lines []string) {
	t, cut := p.transcript, false
	for i := len(t.entries) - 1; i >= p.printed && !cut; i-- {
		whole := t.lines(i)
		less := len(whole) - (n - len(lines))
		cut = less > 0
		lines = append(slices.Clone(whole[max(0, less):]), lines...)
	}
	if note := "… more, printed when it has ended"; cut && n > 1 {
		lines[0] = p.theme.dim.Render(cells.Fit(note, t.canvas.width))
	}
	return lines
}

// showLines draws the lines of a layout. While the size of the terminal changes, nothing is drawn:
// the terminal moves the lines, and it may be ahead of what it tells.
func (p *inline) showLines(lines []string, cursor *tea.Cursor, w *window, key bool) {
	if p.whole = p.whole || w.moving; w.moving || p.paper == nil || !p.live || w.width <= 0 ||
		w.height <= 0 {
		return
	}
	f := terminal.Frame{Above: p.above, Lines: slices.Clone(lines), Width: w.width,
		Height: w.height, Key: key, Whole: p.whole}
	if p.above, p.whole = nil, false; cursor != nil {
		f.Cursor = &terminal.Cell{X: cursor.X, Y: cursor.Y}
	}
	p.paper.Show(f)
}

// rest returns the lines that are printed when the screen ends: those of entries that are not
// printed yet, finished or not.
func (p *inline) rest() []string {
	if !p.on || p.transcript.canvas.width <= 0 {
		return nil
	}
	p.fold()
	p.skip(len(p.transcript.entries))
	for ; p.printed < len(p.transcript.entries); p.printed++ {
		p.addLines(p.finalLines(p.printed))
	}
	lines := p.above
	p.above = nil
	return lines
}

// toggle changes the layout.
func (p *inline) toggle() tea.Cmd {
	if p.paper == nil {
		return p.toasts.addToast("error", "there is no other layout here")
	}
	if p.on = !p.on; p.on {
		p.visiting, p.recent = false, true
		return nil
	}
	return p.toasts.addToast("info", "the whole screen; /fullscreen again goes back")
}

// component is a part of the screen. The model passes every message to every component, offers a
// key to each in turn until one uses it, and joins the lines of the visible ones. A component can
// be created and tested by itself.
type component interface {
	// handleMsg handles a message: from the terminal, from the feed, or the result of a command. It
	// ignores messages that are not for it.
	handleMsg(msg tea.Msg) tea.Cmd
	// key handles a key press. It reports false if the component does not use the key.
	key(msg tea.KeyPressMsg) (cmd tea.Cmd, used bool)
	// layout returns lines of at most width cells, and at most height of them if it can. The
	// cursor's row counts from the first line; nil means that the cursor is elsewhere.
	layout(width, height int) (lines []string, cursor *tea.Cursor)
}

// keyless is the key method of a component that has no keys.
type keyless struct{}

func (keyless) key(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }

// unseen is the layout method of a component that has no lines of its own.
type unseen struct{}

func (unseen) layout(int, int) ([]string, *tea.Cursor) { return nil, nil }

// shared is what all components use. After the screen has started, only what theme points to
// changes, in (*looks).apply, and the chips, which Update adds.
type shared struct {
	backend Backend
	info    Info
	theme   *theme
	keys    *keymap.Map
	now     func() time.Time
	chips   *chip.Set // the long texts that the user has pasted
}
