// This file draws the status line: errors, activity, waiting input and the permission mode.

package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
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
	// says in which mode of Vim the editor is; "" for the one in which keys are text
	vimMode  func() string
	takers   func() string // who gets the editor's keys first, "" = nobody
	escEdits func() bool   // reports whether esc is for the editor
	asks     func() bool   // reports whether a question waits for the user

	model      string
	window     float64 // percent of the model's window in use, 0 = unknown
	estimated  bool    // window is an estimate
	cost       float64 // US dollars, as far as prices are known
	permission event.Permission
	branch     string // of git

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

// branchMsg is the branch of git, which may have changed with each turn.
type branchMsg string

func newStatus(b *shared, state *programState, board *board, c *conversation) *status {
	s := &status{shared: b, state: state, board: board, conversation: c,
		stashed:    func() bool { return false },
		vimMode:    func() string { return "" },
		takers:     func() string { return "" },
		escEdits:   func() bool { return false },
		asks:       func() bool { return false },
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
	case branchMsg:
		s.branch = cells.Fit(plain.OneLine(string(msg)), branchCells)
	case *event.Event:
		return s.event(msg)
	}
	return nil
}

// event updates the status line from an event.
func (s *status) event(ev *event.Event) tea.Cmd {
	if ev.Env().Depth > 0 { // of a sub-agent
		return nil
	}
	switch ev.Name() {
	case "agent_start", "turn_end", "agent_end", "session_start", "session_compact":
		s.know(ev.Env())
		if branch := ev.Env().Branch; branch != nil { // it is read from a file
			return func() tea.Msg { return branchMsg(branch()) }
		}
	case "model_change":
		s.model = cells.Clean(ev.Text("new"))
	case "thinking_change":
		s.state.Thinking = ev.Text("new")
	case "permission_change":
		s.permission = event.Permission(cells.Clean(ev.Text("new")))
	}
	return nil
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
	if s.working = busy; s.ticking || !s.spins() {
		return nil
	}
	s.ticking = true
	return nextTick()
}

// spins reports whether the spinner turns.
func (s *status) spins() bool { return s.working && !s.asks() }

func (s *status) tick() tea.Cmd {
	if s.ticking = s.spins(); !s.ticking {
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

// rank is when a part of the status line gives way on a narrow screen. Those of a lower rank first
// become shorter, then go; those from rankWorking on stay, in their shortest form.
type rank int

// The ranks, in the order in which the parts give way.
const (
	rankSession rank = iota
	rankTokens
	rankPrice
	rankBranch
	rankScripts // what scripts show on the left
	rankWindow
	rankModel
	rankBelow
	rankAgents
	rankStashed
	rankMode
	rankQueued
	rankSandbox
	rankReview
	rankFailed
	rankEditing
	rankWorking
	rankInterrupts
	rankDisabled
	rankGone
	rankBroken
)

// statusPart is a part of the status line.
type statusPart struct {
	rank  rank
	style lipgloss.Style
	forms []string // the longest first
}

// line draws the status in at most width cells.
func (s *status) line(width int) string {
	parts := append(s.alarms(), s.progress(width)...)
	return fitParts(append(parts, s.facts()...), s.theme.dim.Render(" · "), width)
}

// fitParts joins parts in at most width cells. What does not fit gives way by rank.
func fitParts(parts []statusPart, sep string, width int) string {
	room := width + cells.Width(sep)
	for _, p := range parts {
		room -= cells.Width(p.forms[0]) + cells.Width(sep)
	}
	for r := rankSession; r <= rankBroken && room < 0; r++ {
		for i := len(parts) - 1; i >= 0 && room < 0; i-- {
			p := &parts[i]
			for p.rank == r && room < 0 && len(p.forms) > 1 {
				room += cells.Width(p.forms[0]) - cells.Width(p.forms[1])
				p.forms = p.forms[1:]
			}
			if p.rank == r && room < 0 && r < rankWorking {
				room += cells.Width(p.forms[0]) + cells.Width(sep)
				parts = slices.Delete(parts, i, i+1)
			}
		}
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.style.Render(p.forms[0])
	}
	return ansi.Truncate(strings.Join(texts, sep), width, "…")
}

// alarms returns what is wrong with the scripts.
func (s *status) alarms() (parts []statusPart) {
	th := s.theme
	add := func(r rank, style lipgloss.Style, before string, names []string, after string) {
		if len(names) == 0 {
			return
		}
		p := statusPart{rank: r, style: style}
		for _, text := range []string{plain.OneLine(strings.Join(names, ", ")),
			plain.Count(len(names), "script"), fmt.Sprint(len(names))} {
			p.forms = append(p.forms, before+text+after)
		}
		parts = append(parts, p)
	}
	add(rankBroken, th.alarm, " BROKEN ", s.state.Broken, " ")
	add(rankGone, th.err, "✗ gone: ", s.state.Gone, "")
	add(rankDisabled, th.err, "✗ NOT GUARDED, disabled: ", s.state.Disabled, "")
	if n := s.state.Review; n > 0 {
		waits := plain.Count(n, "script waits", "scripts wait")
		parts = append(parts, statusPart{rankReview, th.warn, []string{waits + ": /trust"}})
	}
	failed := slices.DeleteFunc(slices.Clone(s.state.Failed),
		func(name string) bool { return slices.Contains(s.state.Broken, name) })
	add(rankFailed, th.err, "✗ ", failed, "")
	add(rankReview, th.warn, "… waits: ", s.state.Held, "")
	return parts
}

// progress returns what goes on.
func (s *status) progress(width int) (parts []statusPart) {
	th := s.theme
	add := func(r rank, style lipgloss.Style, forms ...string) {
		parts = append(parts, statusPart{r, style, forms})
	}
	switch {
	case s.working && !s.spins():
		add(rankWorking, th.warn, "? waits for your answer", "? waits")
	case s.working:
		turn := []rune(spinner)[s.turns%len([]rune(spinner))]
		took := elapsed(s.now().Sub(s.since))
		add(rankWorking, th.accent, fmt.Sprintf("%c %s %s", turn, s.board.working(), took),
			fmt.Sprintf("%c %s", turn, took))
		esc := "esc"
		if s.escEdits() {
			esc = "esc esc"
		}
		add(rankInterrupts, th.dim, esc+" interrupts", esc+" stops")
	}
	if mode := s.vimMode(); mode != "" {
		add(rankEditing, th.accent, mode)
	}
	if agents := s.conversation.agentsLine(); agents != "" {
		count, _, _ := strings.Cut(agents, ":")
		add(rankAgents, th.accent, cells.Fit(agents, width/3), count)
	}
	if queued := len(s.state.Waiting); queued > 0 {
		add(rankQueued, th.warn, fmt.Sprintf("%d queued", queued))
	}
	if s.stashed() {
		add(rankStashed, th.accent, "draft stashed")
	}
	if below := s.conversation.transcript.below(); below > 0 {
		add(rankBelow, th.dim, "↓ "+plain.Count(below, "line"), fmt.Sprintf("↓ %d", below))
	}
	return parts
}

// facts returns the settings and figures of the session, and what scripts show.
func (s *status) facts() (parts []statusPart) {
	th := s.theme
	if s.state.Unfenced {
		parts = append(parts, statusPart{rankSandbox, th.warn, []string{"no sandbox"}})
	}
	mode := statusPart{rankMode, th.dim, []string{string(s.permission)}}
	if s.permission == event.PermissionYolo {
		mode.rank, mode.style = rankSandbox, th.warn
	}
	parts = append(parts, mode)
	if line := s.board.statusLine(); line != "" {
		forms := []string{line, cells.Fit(line, statusCells), cells.Fit(line, statusCells/2)}
		parts = append(parts, statusPart{rankModel, lipgloss.NewStyle(), forms})
	} else {
		parts = append(parts, s.ownFacts()...)
	}
	if takers := s.takers(); takers != "" {
		parts = append(parts, statusPart{rankStashed, th.dim, []string{takers,
			cells.Fit(takers, statusCells/2)}})
	}
	for _, text := range s.board.statuses("left") {
		parts = append(parts, statusPart{rankScripts, lipgloss.NewStyle(), []string{text}})
	}
	return slices.DeleteFunc(parts, func(p statusPart) bool { return p.forms[0] == "" })
}

// ownFacts returns what a script can replace with a line of its own: the model, how full its window
// is, and what the session has used.
func (s *status) ownFacts() (parts []statusPart) {
	th := s.theme
	models := []string{s.model}
	if s.info.Offline && !strings.Contains(s.model, "offline") {
		models[0] += " (offline)"
	}
	if thinking := cells.Clean(s.state.Thinking); thinking != "" {
		models = []string{models[0] + " thinks " + thinking, models[0]}
	}
	// a name without that of its provider
	if _, short, ok := strings.Cut(s.model, "/"); ok {
		models = append(models, short)
	}
	parts = append(parts, statusPart{rankModel, th.dim, models})
	for i, text := range []string{s.full(), s.used(), s.price(), s.branch,
		cells.Fit(plain.OneLine(s.state.Session), sessionCells)} {
		r := []rank{rankWindow, rankTokens, rankPrice, rankBranch, rankSession}[i]
		parts = append(parts, statusPart{r, th.dim, []string{text}})
	}
	return parts
}

// branchCells is the greatest width of a branch's name in the status line.
const branchCells = 24

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
