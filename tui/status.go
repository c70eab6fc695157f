// This file draws the status line: what is wrong, what runs, what waits, and in which mode.

package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine"
)

// status is the last line of the screen.
type status struct {
	model      string
	thinking   string
	session    string  // its name, "" = none
	window     float64 // percent of the model's window that is full, 0 = not known
	estimated  bool    // nobody counted that
	cost       float64 // US dollars, as far as prices are known
	unpriced   bool    // there is more to it
	tokens     int     // that the session has used
	offline    bool
	permission engine.Permission
	broken     []string        // guards
	gone       []string        // scripts whose files are gone
	errors     map[string]bool // scripts whose newest version did not load

	working bool
	since   time.Time
	ticking bool // a tick is on its way
	turns   int  // of the spinner
}

// spinnerStep is how often the spinner turns: fluent enough, and cheap. Nothing ticks while the agent rests.
const spinnerStep = 125 * time.Millisecond

const spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

// tickMsg turns the spinner.
type tickMsg struct{}

// follow takes over whether something is worked on.
func (s *status) follow(busy bool, now time.Time) tea.Cmd {
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

// know takes over what events say of the moment.
func (s *status) know(env *engine.Envelope) {
	s.window, s.estimated, s.cost = 0, false, 0
	if env.Window != nil {
		window := env.Window()
		s.window, _ = engine.Number(window["percent"])
		s.estimated = window["estimated"] == true
	}
	if env.Cost != nil {
		s.cost = env.Cost()
	}
	if env.Model != "" {
		s.model = clean(env.Model)
	}
	if env.Permission != "" {
		s.permission = env.Permission
	}
}

// cycle goes to the next permission mode. It leaves out yolo, where nothing is asked: whoever presses the
// key once too often must not be there for a moment. /permission yolo says what it does.
func (s *status) cycle() engine.Permission {
	modes := slices.DeleteFunc(engine.Permissions(), func(p engine.Permission) bool { return p == engine.PermissionYolo })
	at := slices.Index(modes, s.permission)
	if at < 0 { // yolo: back to where questions are asked
		at = slices.Index(modes, engine.PermissionDefault) - 1
	}
	s.permission = modes[(at+1)%len(modes)]
	return s.permission
}

// line draws the status. What is wrong comes first: the end is cut when the screen is narrow.
func (s *status) line(th *theme, width int, now time.Time, agents string, queued, below int, scripts []string) string {
	var parts []string
	if len(s.broken) > 0 {
		parts = append(parts, th.alarm.Render(" BROKEN "+clean(strings.Join(s.broken, ", "))+" "))
	}
	if len(s.gone) > 0 {
		parts = append(parts, th.err.Render("✗ gone: "+clean(strings.Join(s.gone, ", "))))
	}
	if len(s.errors) > 0 {
		parts = append(parts, th.err.Render("✗ "+strings.Join(sortedKeys(s.errors), ", ")))
	}
	if s.working {
		turn := []rune(spinner)[s.turns%len([]rune(spinner))]
		parts = append(parts, th.accent.Render(fmt.Sprintf("%c working %s", turn, elapsed(now.Sub(s.since)))))
	}
	if agents != "" {
		parts = append(parts, th.accent.Render(fit(agents, width/2)))
	}
	if queued > 0 {
		parts = append(parts, th.warn.Render(fmt.Sprintf("%d queued", queued)))
	}
	if below > 0 {
		parts = append(parts, th.dim.Render(fmt.Sprintf("↓ %d lines", below)))
	}
	mode := th.dim.Render(string(s.permission))
	if s.permission == engine.PermissionYolo {
		mode = th.warn.Render("yolo")
	}
	parts = append(parts, mode)
	model := s.model
	if s.offline && !strings.Contains(model, "offline") {
		model += " (offline)"
	}
	if s.thinking != "" {
		model += " thinks " + s.thinking
	}
	for _, part := range []string{model, s.full(), s.used(), s.price(), fit(oneLine(s.session), sessionCells)} {
		if part != "" {
			parts = append(parts, th.dim.Render(part))
		}
	}
	parts = append(parts, scripts...)
	if s.working {
		parts = append(parts, th.dim.Render("esc interrupts"))
	}
	return ansi.Truncate(strings.Join(parts, th.dim.Render(" · ")), width, "…")
}

// sessionCells is how wide the name of a session is in the status line.
const sessionCells = 30

// full is how full the model's window is.
func (s *status) full() string {
	if s.window <= 0 {
		return ""
	}
	if s.estimated {
		return fmt.Sprintf("window ~%.0f%%", s.window)
	}
	return fmt.Sprintf("window %.0f%%", s.window)
}

// price is what the session has cost. What is not known is never shown as nothing.
func (s *status) price() string { return dollars(s.cost, s.unpriced) }

// dollars is a cost for a person, "" if there is none; unknown says that it is not all.
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

// tokenCount is a number of tokens for a person.
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
	if s.tokens == 0 {
		return ""
	}
	return tokenCount(s.tokens) + " tokens"
}

// elapsed is a time as a person says it.
func elapsed(d time.Duration) string {
	d = d.Truncate(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%ds", int(d.Seconds()))
	}
	return fmt.Sprintf("%dm %02ds", int(d.Minutes()), int(d.Seconds())%60)
}

func sortedKeys(set map[string]bool) []string {
	m := make(map[string]any, len(set))
	for k := range set {
		m[k] = nil
	}
	return engine.SortedKeys(m)
}
