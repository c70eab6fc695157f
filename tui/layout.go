// This file defines the interface of the screen's components and lays them out.

package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/chip"
	"github.com/agentscripts/agent/tui/internal/keymap"
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
	m.inline.printer.Begin(m.window.width, m.inline.showing())
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
		rule = titleRule(m.theme, cells.Longest(titleRoom(width),
			"the whole conversation · ctrl+o unfolds and folds · esc goes back",
			"ctrl+o unfolds · esc goes back", "esc goes back", "esc"), width)
	}
	if m.selection.active() {
		rule, above = m.selection.rule(width), append(above, m.overlays.dialogs.aside(width)...)
	}
	rule, told := m.toasts.place(rule, width, (height+toastShare-1)/toastShare)
	above = append(told, above...)
	if height >= comfort { // an empty line after the transcript
		above = append([]string{""}, above...)
	}
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
	// comfort is the least height of a screen with room for a dialog, the transcript and the
	// editor. On a lower one the dialog has priority, so that the user sees what they decide about.
	comfort = 24
	// dialogTight is the greatest height at which a dialog has the screen to itself.
	dialogTight = 8
)

// layoutDialog lays out the screen with a dialog between the transcript and the editor.
func (m *model) layoutDialog() {
	width, height, listens := m.window.width, m.window.height, m.overlays.listens()
	lines, kept := max(1, height/editorShare), transcriptLeast
	if height < comfort {
		lines, kept = 1, max(0, height-2*dialogTight)/2
	}
	var bottom, told []string
	rule := ""
	editor, cursor := m.editor.layout(width, lines)
	keys := m.overlays.dialogs.keys(width - gutter)
	if (keys != "" || listens) && m.editor.value() == "" { // the editor takes no keys
		keys = cells.Fit(keys, width-gutter)
		editor = []string{strings.Repeat(" ", gutter) + m.theme.dim.Render(keys)}
	}
	switch {
	case height > dialogTight:
		rule, told = m.toasts.place(m.editor.rule(width), width,
			(height+toastShare-1)/toastShare)
		bottom = append(append([]string{rule}, editor...), m.statusLine())
		if height >= comfort {
			bottom = append(bottom, m.rows(m.footers)...)
		}
		cursor.Y -= len(bottom) - 1
	case !listens && height > dialogTight/2: // users must see what they type
		bottom = editor
		cursor.Y -= len(bottom)
	default:
		cursor = nil
	}
	room := max(0, height-len(bottom)-len(told)-kept)
	if least := m.overlays.dialogs.least(width); least > room && least < room+kept {
		room = least // rather less of the transcript than a question that has to be scrolled
	}
	middle, at := m.overlays.dialogs.layout(width, room)
	if height >= comfort && len(middle) < room { // an empty line before it
		middle = append([]string{""}, middle...)
		if at != nil {
			at.Y++
		}
	}
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
	if !m.overlays.asks() || height >= comfort {
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
	if len(header) > 0 && len(header)+len(middle)+len(bottom) < height {
		header = append([]string{""}, header...) // below what was printed
	}
	room := max(0, height-len(header)-len(middle)-len(bottom))
	unfinished := m.inline.printer.Tail(min(room, max(liveLeast, height/liveShare)))
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

const (
	// liveShare is the fraction of the terminal, as a divisor, that unfinished entries may fill. If
	// the terminal becomes lower, lines above the cursor are pushed out of it, which cannot be
	// taken back. liveLeast is how many lines they may fill in any case.
	liveShare, liveLeast = 3, 3
)

// statusLine returns the status line.
func (m *model) statusLine() string {
	lines, _ := m.status.layout(m.window.width, wholeHeight)
	return lines[0]
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
