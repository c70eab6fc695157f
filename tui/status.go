// This file draws the status line: errors, activity, waiting input and the permission mode.

package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/tui/internal/cells"
)

// status is the last line of the screen.
type status struct {
	*shared
	state        *programState
	board        *board
	conversation *conversation

	stashed func() bool // reports whether the user has put a text away

	model      string
	window     float64 // percent of the model's window in use, 0 = unknown
	estimated  bool    // window is an estimate
	cost       float64 // US dollars, as far as prices are known
	permission event.Permission

	working bool
	since   time.Time
	ticking bool // a tick is scheduled
	turns   int  // frames of the spinner drawn
}

// spinnerStep is the time between two frames of the spinner: smooth enough, and cheap. No ticks are
// scheduled while the agent is idle.
const spinnerStep = 125 * time.Millisecond

const spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

// tickMsg turns the spinner.
type tickMsg struct{}

func newStatus(b *shared, state *programState, board *board, c *conversation) *status {
	s := &status{shared: b, state: state, board: board, conversation: c,
		stashed:    func() bool { return false },
		model:      cells.Clean(b.info.Model),
		permission: b.info.Permission}
	if s.permission == "" {
		s.permission = event.PermissionDefault
	}
	return s
}

// handleMsg implements component.
func (s *status) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tickMsg:
		return s.tick()
	case *event.Event:
		s.event(msg)
	}
	return nil
}

// event updates the status line from an event.
func (s *status) event(ev *event.Event) {
	if ev.Env().Depth > 0 { // of a sub-agent
		return
	}
	switch ev.Name() {
	case "agent_start", "turn_end", "agent_end", "session_start", "session_compact":
		s.know(ev.Env())
	case "model_change":
		s.model = cells.Clean(ev.Text("new"))
	case "thinking_change":
		s.state.Thinking = ev.Text("new")
	case "permission_change":
		s.permission = event.Permission(cells.Clean(ev.Text("new")))
	}
}

// key implements component.
func (s *status) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	if msg.String() != "shift+tab" {
		return nil, false
	}
	mode, set := s.cycle(), s.backend.SetPermission
	if set == nil {
		return nil, true
	}
	return func() tea.Msg { set(mode); return nil }, true
}

// layout implements component: one line, with what scripts show in it on the right.
func (s *status) layout(width, _ int) ([]string, *tea.Cursor) {
	sep := s.theme.dim.Render(" · ")
	right := cells.Fit(strings.Join(s.board.statuses("right"), sep), width/2)
	room := width - cells.Width(right)
	if right == "" {
		return []string{s.line(room)}, nil
	}
	left := s.line(room - 1) // a space between the two sides
	return []string{left + strings.Repeat(" ", room-cells.Width(left)) + right}, nil
}

// followWork records whether work is in progress.
func (s *status) followWork(busy bool, now time.Time) tea.Cmd {
	if busy && !s.working {
		s.since = now
	}
	if s.working = busy; !busy || s.ticking {
		return nil
	}
	s.ticking = true
	return nextTick()
}

func (s *status) tick() tea.Cmd {
	if s.ticking = s.working; !s.working {
		return nil
	}
	s.turns++
	return nextTick()
}

func nextTick() tea.Cmd {
	return tea.Tick(spinnerStep, func(time.Time) tea.Msg { return tickMsg{} })
}

// know updates the state from an event's envelope.
func (s *status) know(env *event.Envelope) {
	s.window, s.estimated, s.cost = 0, false, 0
	if env.Window != nil {
		window := env.Window()
		s.window, _ = value.Number(window["percent"])
		s.estimated = window["estimated"] == true
	}
	if env.Cost != nil {
		s.cost = env.Cost()
	}
	if env.Model != "" {
		s.model = cells.Clean(env.Model)
	}
	if env.Permission != "" {
		s.permission = env.Permission
	}
}

// cycle switches to the next permission mode. It leaves out yolo, in which nothing is asked: one
// key press too many must not switch to it, even for a moment. /permission yolo does.
func (s *status) cycle() event.Permission {
	modes := slices.DeleteFunc(event.Permissions(),
		func(p event.Permission) bool { return p == event.PermissionYolo })
	at := slices.Index(modes, s.permission)
	if at < 0 { // yolo: back to a mode that asks
		at = slices.Index(modes, event.PermissionDefault) - 1
	}
	s.permission = modes[(at+1)%len(modes)]
	return s.permission
}

// line draws the status in at most width cells. Errors come first, because the end is cut on a
// narrow screen.
func (s *status) line(width int) string {
	th := s.theme
	var parts []string
	if len(s.state.Broken) > 0 {
		parts = append(parts,
			th.alarm.Render(" BROKEN "+cells.Clean(strings.Join(s.state.Broken, ", "))+" "))
	}
	if len(s.state.Gone) > 0 {
		parts = append(parts,
			th.err.Render("✗ gone: "+cells.Clean(strings.Join(s.state.Gone, ", "))))
	}
	if len(s.state.Disabled) > 0 {
		parts = append(parts, th.err.Render("✗ NOT GUARDED, disabled: "+
			plain.OneLine(strings.Join(s.state.Disabled, ", "))))
	}
	switch n := s.state.Review; {
	case n == 1:
		parts = append(parts, th.warn.Render("1 script waits: /trust"))
	case n > 1:
		parts = append(parts, th.warn.Render(fmt.Sprintf("%d scripts wait: /trust", n)))
	}
	if len(s.state.Failed) > 0 {
		parts = append(parts,
			th.err.Render("✗ "+cells.Clean(strings.Join(s.state.Failed, ", "))))
	}
	if s.working {
		turn := []rune(spinner)[s.turns%len([]rune(spinner))]
		parts = append(parts,
			th.accent.Render(fmt.Sprintf("%c %s %s", turn, s.board.working(),
				elapsed(s.now().Sub(s.since)))))
	}
	if agents := s.conversation.agentsLine(); agents != "" {
		parts = append(parts, th.accent.Render(cells.Fit(agents, width/2)))
	}
	if queued := len(s.state.Waiting); queued > 0 {
		parts = append(parts, th.warn.Render(fmt.Sprintf("%d queued", queued)))
	}
	if s.stashed() {
		parts = append(parts, th.accent.Render("draft stashed"))
	}
	if below := s.conversation.transcript.below(); below > 0 {
		parts = append(parts, th.dim.Render(fmt.Sprintf("↓ %d lines", below)))
	}
	if s.state.Unfenced {
		parts = append(parts, th.warn.Render("no sandbox"))
	}
	mode := th.dim.Render(string(s.permission))
	if s.permission == event.PermissionYolo {
		mode = th.warn.Render("yolo")
	}
	parts = append(parts, mode)
	model := s.model
	if s.info.Offline && !strings.Contains(model, "offline") {
		model += " (offline)"
	}
	if thinking := cells.Clean(s.state.Thinking); thinking != "" {
		model += " thinks " + thinking
	}
	for _, part := range []string{model, s.full(), s.used(), s.price(),
		cells.Fit(plain.OneLine(s.state.Session), sessionCells)} {
		if part != "" {
			parts = append(parts, th.dim.Render(part))
		}
	}
	parts = append(parts, s.board.statuses("left")...)
	if s.working {
		parts = append(parts, th.dim.Render("esc interrupts"))
	}
	return ansi.Truncate(strings.Join(parts, th.dim.Render(" · ")), width, "…")
}

// sessionCells is the greatest width of a session's name in the status line.
const sessionCells = 30

// full formats how full the model's window is.
func (s *status) full() string {
	if s.window <= 0 {
		return ""
	}
	if s.estimated {
		return fmt.Sprintf("window ~%.0f%%", s.window)
	}
	return fmt.Sprintf("window %.0f%%", s.window)
}

// price formats the cost of the session. An unknown cost is never shown as 0.
func (s *status) price() string { return dollars(s.cost, s.state.Unpriced) }

// dollars formats a cost, "" if it is 0; unknown means that the cost is incomplete.
func dollars(cost float64, unknown bool) (text string) {
	switch {
	case cost <= 0 && unknown:
		return "$?"
	case cost <= 0:
		return ""
	case cost < 0.01:
		text = "under $0.01"
	default:
		text = fmt.Sprintf("$%.2f", cost)
	}
	if unknown {
		text += " + ?"
	}
	return text
}

// tokenCount formats a number of tokens for people.
func tokenCount(n int) string {
	const thousand, million = 1000, 1000 * 1000
	switch {
	case n < thousand:
		return fmt.Sprint(n)
	case n < 10*thousand:
		return fmt.Sprintf("%.1fk", float64(n)/thousand)
	case n < million:
		return fmt.Sprintf("%dk", n/thousand)
	}
	return fmt.Sprintf("%.1fM", float64(n)/million)
}

func (s *status) used() string {
	if s.state.Tokens == 0 {
		return ""
	}
	return tokenCount(s.state.Tokens) + " tokens"
}

// elapsed formats a duration for people.
func elapsed(d time.Duration) string {
	d = d.Truncate(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%ds", int(d.Seconds()))
	}
	return fmt.Sprintf("%dm %02ds", int(d.Minutes()), int(d.Seconds())%60)
}
