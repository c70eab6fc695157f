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
	submits chan submission // drained in order by submitAll
	wake    func(key bool)  // something changes: it is to be drawn, for a key at once
	pace    time.Duration   // what is typed faster than this is drawn together; 0 = every key at once
	drawn   time.Time       // when the screen was last laid out
	late    bool            // it is to be laid out soon

	width, height int
	transcript    transcript
	calls         map[string]int  // entries of tool calls that have not ended, by call id
	agents        map[string]int  // entries of sub-agents that have not ended, by their id
	message       int             // entry of the message that streams, -1 = none
	thought       int             // entry of the reasoning that streams, -1 = none
	thoughts      []int           // entries of the reasoning before it, of the same message
	retry         int             // entry that tells of the last retry, -1 = none
	sources       []source        // of the message that streams
	shown         map[string]bool // ids of the entries of scripts that are in the transcript
	shells        []userShell     // of the user, whose calls are not told of yet

	editor   editor
	complete completion
	dialogs  dialogs
	picking  picking
	toasts   toasts
	board    board
	sight    sight
	panels   panels
	status   status
	work     work
	waiting  []Waiting // input that waits
	commands []Command
	resizes  int // changes of the screen's size

	stale    bool // the state is to be asked for
	asked    int  // how often it was
	answered int  // the latest of these questions that was answered

	lastKey   time.Time // of a key press or a paste
	arming    bool      // an armMsg is on its way
	lastCtrlC time.Time
	fullSaid  bool // the editor has no room for keys, and the user knows

	screen []string    // the lines of the screen
	cursor *tea.Cursor // nil = hidden
}

func newModel(b Backend, info Info) *model {
	th := newTheme()
	m := &model{backend: b, info: info, theme: th, now: time.Now, wake: func(bool) {}, submits: make(chan submission, submitsWaiting),
		transcript: newTranscript(th), calls: map[string]int{}, agents: map[string]int{}, shown: map[string]bool{}, message: -1, thought: -1, retry: -1, editor: editor{theme: th}, stale: true}
	m.transcript.canvas.sketches.draw = b.Draw
	m.work.rest()
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

// pickMsg is a command whose arguments the user is to pick.
type pickMsg string

// quitMsg ends the screen.
type quitMsg struct{}

// scriptsMsg is what /scripts shows.
type scriptsMsg string

// commandsMsg are the scripts' commands.
type commandsMsg []Command

// layoutMsg says that what was typed is to be drawn now.
type layoutMsg struct{}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return tea.Batch(m.askCommands(), m.refresh()) }

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, key := msg.(tea.KeyPressMsg)
	m.wake(key)
	cmd := tea.Batch(m.handle(msg), m.status.follow(m.work.busy(), m.now()), m.refresh())
	if m.holds(msg) {
		if m.late {
			return m, cmd
		}
		m.late = true
		return m, tea.Batch(cmd, tea.Tick(m.pace, func(time.Time) tea.Msg { return layoutMsg{} }))
	}
	m.layout()
	m.drawn, m.late = time.Now(), false
	return m, tea.Batch(cmd, m.arm(), m.transcript.canvas.sketches.work())
}

// holds reports whether a key is drawn together with those that follow, because it comes right after another one:
// a text that is pasted into a terminal that does not say so is many keys.
func (m *model) holds(msg tea.Msg) bool {
	key, ok := msg.(tea.KeyPressMsg)
	return ok && (key.Text != "" || key.Code == tea.KeyEnter) && time.Since(m.drawn) < m.pace
}

func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return m.resize(msg)
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.FocusMsg:
		m.sight.blurred.Store(false)
	case tea.BlurMsg:
		m.sight.blurred.Store(true)
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
	case drawnMsg:
		m.transcript.canvas.sketches.take(msg)
	case armMsg:
		m.armed()
	case scriptsMsg:
		m.transcript.add(&sayBlock{text: clean(string(msg))})
		m.transcript.end()
	case commandsMsg:
		m.commands = msg
		m.complete.update(m.editor.value(), m.allCommands())
	case completionsMsg:
		m.complete.arguments(m.editor.value(), msg)
	case choicesMsg:
		return m.pick(msg)
	case stateMsg:
		m.know(msg)
	case sentMsg:
		return m.sent(msg)
	case droppedMsg:
		m.dropped(msg)
	case resizedMsg:
		return m.resized(msg)
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
			m.dialogs.open(item)
		case closeMsg:
			cmds = append(cmds, m.closed(item))
		case insertMsg:
			cmds = append(cmds, m.insert(clean(string(item))))
		case pieceMsg:
			m.board.show(item)
		case entryMsg:
			m.showEntry(item)
		case openPanelMsg:
			m.panels = append(m.panels, item.panel)
		case drawPanelMsg:
			item.panel.lines = item.lines
		case closePanelMsg:
			m.panels = m.panels.without(item.panel)
		case copyMsg:
			cmds = append(cmds, m.copied(item))
		case desktopMsg:
			cmds = append(cmds, desktop(m.info.Terminal, item))
		case endMsg:
			m.workEnds(item)
		case pickMsg:
			cmds = append(cmds, m.askAtStart(string(item)))
		case moreMsg:
			m.more(item)
		case quitMsg:
			cmds = append(cmds, tea.Quit)
		case loadMsg:
			m.load(item)
		}
	}
	return tea.Batch(cmds...)
}

// resizeQuiet is how long the screen must have kept its size before the program is told: while a window is
// dragged it has many.
const resizeQuiet = 150 * time.Millisecond

// resizedMsg says that resizeQuiet has passed since the n-th change of size.
type resizedMsg int

func (m *model) resize(msg tea.WindowSizeMsg) tea.Cmd {
	m.sight.resize(msg.Width)
	first := m.width == 0 && m.height == 0
	same := m.width == msg.Width && m.height == msg.Height
	m.width, m.height = msg.Width, msg.Height
	if first || same || m.backend.Resized == nil {
		return nil
	}
	m.resizes++
	n := m.resizes
	return tea.Tick(resizeQuiet, func(time.Time) tea.Msg { return resizedMsg(n) })
}

func (m *model) resized(n resizedMsg) tea.Cmd {
	if int(n) != m.resizes {
		return nil
	}
	f, width, height := m.backend.Resized, m.width, m.height
	return func() tea.Msg { f(width, height); return nil }
}

// hint is what the empty editor says.
func (m *model) hint() string {
	if m.work.busy() {
		return "Enter steers, alt+enter waits until this is done"
	}
	return "Ask, or type / for commands, ! for the shell"
}

// editorShare is what part of the screen the editor may fill, as a divisor: the transcript keeps the rest.
const editorShare = 3

// layout lays the screen out: transcript, dialog or completions, editor, status line.
func (m *model) layout() {
	if m.width <= 0 || m.height <= 0 {
		return
	}
	if d := m.dialogs.front(); d != nil {
		m.layoutDialog(d)
		return
	}
	if p := m.panels.front(); p != nil {
		m.layoutPanel(p)
		return
	}
	editor, cursor := m.editor.layout(m.width, max(1, m.height/editorShare), m.hint())
	bottom := append([]string{m.rule()}, editor...)
	bottom = append(bottom, m.board.widgets(m.theme, "below", m.width, m.height/widgetShare)...)
	bottom = append(append(bottom, m.statusLine()), m.board.footers(m.theme, m.width, m.height/widgetShare)...)
	middle := append(m.board.widgets(m.theme, "above", m.width, m.height/widgetShare), m.waitingLines()...)
	middle = append(middle, m.complete.layout(m.theme, m.width)...)
	cursor.Y -= len(bottom) - 1 // from the end of the screen
	m.stack(middle, bottom, cursor)
}

const (
	// transcriptLeast is how many lines of the transcript a dialog leaves in sight: what led to the question.
	transcriptLeast = 4
	// dialogComfort is the height of a screen that has room for a dialog, the transcript and the editor. On
	// a lower one the dialog comes first: what is decided about must be seen.
	dialogComfort = 24
	// dialogTight is the height up to which a dialog has the screen for itself.
	dialogTight = 8
)

// layoutDialog lays the screen out with a dialog between the transcript and the editor.
func (m *model) layoutDialog(d *dialog) {
	listens := m.listens()
	if listens {
		d.patience.Go()
	} else {
		d.patience.Hold()
	}
	lines, kept := max(1, m.height/editorShare), transcriptLeast
	if m.height < dialogComfort {
		lines, kept = 1, max(0, m.height-2*dialogTight)/2
	}
	var bottom []string
	editor, cursor := m.editor.layout(m.width, lines, m.hint())
	switch {
	case m.height > dialogTight:
		bottom = append(append([]string{m.rule()}, editor...), m.statusLine())
		if m.height >= dialogComfort {
			bottom = append(bottom, m.board.footers(m.theme, m.width, m.height/widgetShare)...)
		}
		cursor.Y -= len(bottom) - 1
	case !listens && m.height > dialogTight/2: // who types sees what is typed
		bottom = editor
		cursor.Y -= len(bottom)
	default:
		cursor = nil
	}
	middle, at := d.draw(m.theme, m.width, max(0, m.height-len(bottom)-kept), listens)
	if listens {
		if cursor = at; at != nil {
			at.Y -= len(bottom) + len(middle)
		}
	}
	m.stack(middle, bottom, cursor)
	d.gate.draw(m.now()) // to lay it out may have taken its time
}

// stack puts the screen together: the transcript has the room that middle and bottom leave. The cursor's
// row counts from the end of the screen, upwards.
func (m *model) stack(middle, bottom []string, cursor *tea.Cursor) {
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
		cursor.Y += m.height
	}
}

// statusLine is the status line, with what scripts show in it.
func (m *model) statusLine() string {
	sep := m.theme.dim.Render(" · ")
	right := fit(strings.Join(m.board.statuses(m.theme, "right"), sep), m.width/2)
	width := m.width - cells(right)
	if right != "" {
		width-- // they do not touch
	}
	left := m.status.line(m.theme, width, m.now(), m.agentsLine(), len(m.waiting), m.transcript.below(), m.board.statuses(m.theme, "left"))
	if right == "" {
		return left
	}
	return left + strings.Repeat(" ", m.width-cells(right)-cells(left)) + right
}

// rule is the line above the editor: it says what the editor's text is for, if that is not the model.
func (m *model) rule() string {
	mode := shellMode(m.editor.value())
	if mode == "" {
		return m.theme.dim.Render(strings.Repeat("─", m.width))
	}
	return titleRule(m.theme, mode, m.width)
}

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView(strings.Join(m.screen, "\n"))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.Cursor = m.cursor
	v.ReportFocus = true
	v.WindowTitle = m.board.title()
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
