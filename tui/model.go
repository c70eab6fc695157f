// This file holds the model: the parts of the screen, how messages reach them, and their order.

package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/chip"
	"github.com/agentscripts/agent/tui/internal/feed"
	"github.com/agentscripts/agent/tui/internal/keymap"
)

// model is the screen: it routes messages and keys to its parts and joins their lines. Update
// handles a message and then lays out the screen; View only joins the lines. Every part with state
// of its own is a component. newModel creates them and defines their order for messages, keys and
// layout.
type model struct {
	*shared
	ticker ticker
	pace   time.Duration // faster keys are drawn together; 0 = each key at once
	drawn  time.Time     // when the screen was last laid out
	late   bool          // a layout is due soon

	window     *window
	state      *programState
	transcript *transcript
	selection  *selection
	editor     *editor
	toasts     *toasts
	board      *board
	status     *status
	work       *work
	commands   *commands
	overlays   *overlays
	looks      *looks
	inline     *inlineLayout
	parts      []component // all except the overlays, in the order of messages and keys
	above      []row       // between the transcript and the editor
	below      []row       // below the editor
	footers    []row       // below everything
	headers    []row       // above everything

	offered keyQueue

	lastCtrlC time.Time // zero = something else has followed it
	lastEsc   time.Time // while there was nothing to interrupt; zero = something has followed it
	quitToast int       // the id of the toast that says that a second one quits

	screen []string    // the lines of the screen
	cursor *tea.Cursor // nil = hidden
}

// row is a component above or below the editor.
type row struct {
	component
	share int // the fraction of the screen that it may fill, as a divisor
}

// wholeHeight is the share of a row that limits its lines itself.
const wholeHeight = 1

func newModel(b Backend, info Info) *model {
	usual, _ := keymap.New(nil)
	base := &shared{backend: b, info: info, theme: newTheme(), keys: usual, now: time.Now,
		chips: &chip.Set{}}
	toasts := &toasts{shared: base}
	state := &programState{shared: base, stale: true}
	board := &board{shared: base}
	transcript := newTranscript(base)
	conversation := newConversation(base, transcript, toasts)
	editor := newEditor(base, transcript, toasts)
	work := newWork(base, state, conversation, toasts, editor)
	status := newStatus(base, state, board, conversation)
	dialogs := newDialogs(base, transcript, toasts)
	overlays := newOverlays(base, dialogs, &panels{shared: base}, toasts)
	scripts := newScripts(base, overlays)
	greeting := &greeting{shared: base, overlays: overlays, editor: editor}
	looks := newLooks(base, transcript, overlays, toasts)
	commands := &commands{shared: base, transcript: transcript, overlays: overlays, work: work,
		scripts: scripts, looks: looks, greeting: greeting}
	window := &window{shared: base, toasts: toasts}
	inline := newInlineLayout(base, transcript, work, toasts)
	commands.inline = inline
	selection := &selection{shared: base, transcript: transcript, toasts: toasts,
		search: search{transcript: transcript, theme: base.theme}}

	editor.busy, editor.submit, editor.complete.commands = work.busy, commands.submit, commands.all
	editor.complete.themes = looks.choices
	status.stashed, status.vimMode, status.escEdits = editor.draft.Stashed, editor.draft.VimMode,
		editor.draft.EscEdits
	dialogs.busy, dialogs.interrupt = work.busy, work.interrupt
	overlays.writing = func() bool { return !editor.blank() }
	overlays.elsewhere, editor.selecting = selection.active, selection.active

	m := &model{shared: base, ticker: noTicker{}, window: window, state: state,
		offered:    keyQueue{window: window},
		transcript: transcript, selection: selection, editor: editor, toasts: toasts, board: board,
		status: status, work: work, commands: commands, overlays: overlays, looks: looks,
		inline: inline}
	status.takers, status.asks = m.offered.takers, m.overlays.dialogs.asks
	inline.peek = m.peek
	inline.covered = func() bool { return selection.active() || overlays.panels.front() != nil }
	selection.covered, selection.asked = overlays.coversAll, overlays.asks
	conversation.covered = overlays.coversAll
	selection.empty = editor.blank
	selection.begins = m.yieldKeys
	m.parts = []component{window, looks, state, commands, scripts, greeting,
		searchKeys{editor: editor},
		editor.complete, vimKeys{editor: editor},
		status, inline, conversation, selection, work, toasts, board, editor}
	m.above = []row{
		{boardPlace{board, ui.PieceWidget, "above"}, widgetShare},
		{work, wholeHeight},
		{editor.complete, wholeHeight},
	}
	m.below = []row{
		{boardPlace{board, ui.PieceWidget, "below"}, widgetShare},
		{status, wholeHeight},
	}
	m.footers = []row{{boardPlace{board, ui.PieceFooter, ""}, widgetShare}}
	m.headers = []row{{boardPlace{board, ui.PieceHeader, ""}, widgetShare}}
	return m
}

// ticker is when frames are written to the terminal: Wake is called on a change, key for the effect
// of a key, and Drawn when it is drawn. terminal.Rest implements it.
type ticker interface {
	Wake(key bool)
	Drawn()
}

// noTicker is used before the screen runs.
type noTicker struct{}

func (noTicker) Wake(bool) {}
func (noTicker) Drawn()    {}

// insertMsg is text for the editor.
type insertMsg string

// draftTextMsg is a text for the editor, in place of what it has.
type draftTextMsg string

// quitMsg ends the screen.
type quitMsg struct{}

// layoutMsg draws the keys that were held back.
type layoutMsg struct{}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd {
	return tea.Batch(askCommands(m.backend), askPrompts(m.backend), m.state.refresh(),
		m.looks.askGround(m.looks.chosen))
}

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, key := msg.(tea.KeyPressMsg)
	m.ticker.Wake(key)
	cmd := tea.Batch(m.handle(msg), m.status.followWork(m.work.busy(), m.now()), m.state.refresh())
	m.window.sight.keepDraft(m.editor)
	if m.holds(msg) {
		if m.late {
			return m, cmd
		}
		m.late = true
		return m, tea.Batch(cmd, tea.Tick(m.pace, func(time.Time) tea.Msg { return layoutMsg{} }))
	}
	m.layout()
	m.inline.showLines(m.screen, m.cursor, m.window, key)
	m.drawn, m.late = time.Now(), false
	return m, tea.Batch(cmd, m.overlays.arm(), m.transcript.canvas.sketches.work())
}

// holds reports whether a key that comes right after another is drawn together with the next ones:
// a terminal without bracketed paste sends pasted text as many keys.
func (m *model) holds(msg tea.Msg) bool {
	key, ok := msg.(tea.KeyPressMsg)
	return ok && (key.Text != "" || key.Code == tea.KeyEnter) && time.Since(m.drawn) < m.pace
}

// handle routes a message: keys and pasted text go to one component, everything else to all of
// them.
func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.paste(msg)
	case feed.Batch:
		var cmds []tea.Cmd
		for _, item := range msg {
			cmds = append(cmds, m.handle(item))
		}
		return tea.Batch(cmds...)
	case keyTakenMsg:
		return m.keyTaken(bool(msg))
	case quitMsg:
		return tea.Quit
	case panicMsg:
		panic(msg.value) // the program restores the terminal and reports it
	}
	cmds := []tea.Cmd{m.overlays.handleMsg(msg)}
	for _, p := range m.parts {
		cmds = append(cmds, p.handleMsg(msg))
	}
	return tea.Batch(cmds...)
}

// paste puts pasted text into what is in front, if it takes text, or into the editor.
func (m *model) paste(msg tea.PasteMsg) tea.Cmd {
	m.forgetCtrlC()
	m.lastEsc = time.Time{}
	text := ""
	if m.selection.active() || m.overlays.gate() != nil {
		text = cells.Clean(msg.Content) // takes a while if there is much
	}
	if m.selection.paste(text) {
		return nil
	}
	m.selection.stop()
	used := m.overlays.paste(text)
	cmd := m.keysBelow(m.overlays.takeTyped())
	if used {
		return cmd
	}
	return tea.Batch(cmd, m.editor.pasteContent(msg.Content))
}

// View implements tea.Model.
func (m *model) View() tea.View {
	defer m.ticker.Drawn()
	v := tea.NewView("")
	if !m.inline.showing() { // else terminal.Output draws the lines
		v = tea.NewView(strings.Join(m.screen, "\n"))
		v.AltScreen = true
		v.MouseMode = tea.MouseModeCellMotion
		v.Cursor = m.cursor
	}
	v.ReportFocus = true
	v.WindowTitle = m.board.title()
	v.KeyboardEnhancements.ReportEventTypes = m.overlays.hearsReleases()
	return v
}

// callCmd returns a command that calls f. f may be nil.
func callCmd(f func()) tea.Cmd {
	if f == nil {
		return nil
	}
	return func() tea.Msg { f(); return nil }
}
