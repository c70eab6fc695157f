// This file holds the model: the state of the screen, how messages reach its parts, and the layout.
package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
)

// model is the state of the screen. Update sorts messages to its methods and then lays the screen out;
// View only puts together what was laid out.
type model struct {
	backend Backend
	info    Info
	theme   *theme
	now     func() time.Time
	submits chan string // drained in order by submitAll
	wake    func()      // something changes: it is to be drawn

	width, height int
	transcript    transcript
	calls         map[string]int // entries of tool calls that have not ended, by call id
	message       int            // entry of the message that streams, -1 = none
	thought       int            // entry of the reasoning that streams, -1 = none

	editor   editor
	complete completion
	dialogs  dialogs
	toasts   toasts
	status   status
	pending  []pendingText
	begun    bool   // Begin has told of what is worked on
	told     bool   // agent_end has told how it ended
	failure  string // the last error that was told since it began
	commands []Command

	lastKey   time.Time // of a key press
	lastCtrlC time.Time

	screen []string    // the lines of the screen
	cursor *tea.Cursor // nil = hidden
}

func newModel(b Backend, info Info) *model {
	th := newTheme()
	m := &model{backend: b, info: info, theme: th, now: time.Now, wake: func() {}, submits: make(chan string, submitsWaiting),
		transcript: newTranscript(th), calls: map[string]int{}, message: -1, thought: -1, editor: editor{theme: th}}
	m.status = status{model: clean(info.Model), offline: info.Offline, permission: info.Permission, errors: map[string]bool{}}
	m.complete.theme = th
	if m.status.permission == "" {
		m.status.permission = engine.PermissionDefault
	}
	m.greet()
	return m
}

func (m *model) greet() {
	title := strings.TrimSpace("agent " + m.info.Version)
	m.transcript.add(&noticeBlock{"dim", clean(strings.Join(nonEmpty(title, m.info.Dir, "/help shows keys and commands"), " · "))})
	if m.info.Notice != "" {
		m.transcript.add(&sayBlock{text: clean(m.info.Notice)})
	}
}

func nonEmpty(texts ...string) []string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// insertMsg is text for the editor.
type insertMsg string

// scriptsMsg is what /scripts shows.
type scriptsMsg string

// commandsMsg are the scripts' commands.
type commandsMsg []Command

// brokenMsg are the names of broken guards.
type brokenMsg []string

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return tea.Batch(m.askCommands(), m.askBroken()) }

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.wake()
	cmd := m.handle(msg)
	m.layout()
	return m, cmd
}

func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.paste(msg)
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case batch:
		return m.deliver(msg)
	case tickMsg:
		return m.status.tick()
	case toastOver:
		m.toasts.remove(int(msg))
	case armMsg:
		return m.dialogs.arm(m.now(), m.lastKey)
	case scriptsMsg:
		m.transcript.add(&sayBlock{text: clean(string(msg))})
		m.transcript.end()
	case commandsMsg:
		m.commands = msg
		m.complete.update(m.editor.value(), m.allCommands())
	case completionsMsg:
		m.complete.arguments(m.editor.value(), msg)
	case brokenMsg:
		m.status.broken = msg
	case panicMsg:
		panic(msg.value) // the program restores the terminal and reports it
	}
	return nil
}

// deliver takes what the feed brings.
func (m *model) deliver(items batch) tea.Cmd {
	var cmds []tea.Cmd
	for _, item := range items {
		switch item := item.(type) {
		case *engine.Event:
			cmds = append(cmds, m.event(item))
		case *delta:
			m.delta(item)
		case *dialog:
			cmds = append(cmds, m.dialogs.open(item, m.now()))
		case closeMsg:
			cmds = append(cmds, m.dialogs.drop(item.dialog, m.now()))
		case insertMsg:
			cmds = append(cmds, m.insert(clean(string(item))))
		case beginMsg:
			cmds = append(cmds, m.workBegins(string(item)))
		case endMsg:
			m.workEnds(item.interrupted)
		}
	}
	return tea.Batch(cmds...)
}

// editorShare is what part of the screen the editor may fill, as a divisor: the transcript keeps the rest.
const editorShare = 3

// layout lays the screen out: transcript, dialog or completions, editor, status line.
func (m *model) layout() {
	if m.width <= 0 || m.height <= 0 {
		return
	}
	editor, cursor := m.editor.layout(m.width, max(1, m.height/editorShare))
	rule := m.theme.dim.Render(strings.Repeat("─", m.width))
	bottom := append([]string{rule}, editor...)
	bottom = append(bottom, m.status.line(m.theme, m.width, m.now(), len(m.queued()), m.transcript.below()))

	var middle []string
	above := len(bottom) - 1 // how far the cursor's first line is from the end of the screen
	if d := m.dialogs.front(); d != nil {
		var at *tea.Cursor
		room := m.height - len(bottom) - min(transcriptLeast, m.height/4)
		if middle, at = d.layout(m.theme, m.width, room, d.armed); d.armed {
			cursor, above = at, len(bottom)+len(middle)
		}
	} else {
		middle = m.complete.layout(m.theme, m.width)
	}
	room := max(0, m.height-len(bottom)-len(middle))
	m.transcript.layout(m.width, room)
	m.screen = append(m.screen[:0], m.transcript.rows...)
	for len(m.screen) < room {
		m.screen = append(m.screen, "")
	}
	m.toasts.over(m.screen, m.theme, m.width)
	m.screen = append(append(m.screen, middle...), bottom...)
	if len(m.screen) > m.height { // a screen of a few lines: the end of it matters
		m.screen = m.screen[len(m.screen)-m.height:]
	}
	if m.cursor = cursor; cursor != nil {
		cursor.Y += m.height - above
	}
}

// transcriptLeast is how many lines of the transcript a dialog leaves in sight: what led to the question.
const transcriptLeast = 4

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView(strings.Join(m.screen, "\n"))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.Cursor = m.cursor
	return v
}

// call returns a command that calls f, which may be nil.
func call(f func()) tea.Cmd {
	if f == nil {
		return nil
	}
	return func() tea.Msg { f(); return nil }
}

func (m *model) askCommands() tea.Cmd {
	f := m.backend.Commands
	if f == nil {
		return nil
	}
	return func() tea.Msg { return commandsMsg(f()) }
}

// askArguments asks the command of a line how its arguments may go on.
func (m *model) askArguments(text string) tea.Cmd {
	f := m.backend.Complete
	if f == nil || !wantsArguments(text) {
		return nil
	}
	return func() tea.Msg { return completionsMsg{text, f(text)} }
}

func (m *model) askBroken() tea.Cmd {
	f := m.backend.Broken
	if f == nil {
		return nil
	}
	return func() tea.Msg { return brokenMsg(f()) }
}
