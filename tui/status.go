// This file draws the status line: what is wrong, what runs, what waits, and in which mode.
package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine"
)

// status is the last line of the screen.
type status struct {
	model      string
	offline    bool
	permission engine.Permission
	broken     []string        // guards
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

func (s *status) start(now time.Time) tea.Cmd {
	if !s.working {
		s.working, s.since = true, now
	}
	if s.ticking {
		return nil
	}
	s.ticking = true
	return nextTick()
}

func (s *status) stop() { s.working = false }

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

// know takes the model and the mode from what events say.
func (s *status) know(env *engine.Envelope) {
	if env.Model != "" {
		s.model = clean(env.Model)
	}
	if env.Permission != "" {
		s.permission = env.Permission
	}
}

// cycle goes to the next permission mode.
func (s *status) cycle() engine.Permission {
	modes := engine.Permissions()
	next := 0
	for i, p := range modes {
		if p == s.permission {
			next = (i + 1) % len(modes)
		}
	}
	s.permission = modes[next]
	return s.permission
}

// line draws the status. What is wrong comes first: the end is cut when the screen is narrow.
func (s *status) line(th *theme, width int, now time.Time, queued, below int) string {
	var parts []string
	if len(s.broken) > 0 {
		parts = append(parts, th.alarm.Render(" BROKEN "+clean(strings.Join(s.broken, ", "))+" "))
	}
	if len(s.errors) > 0 {
		parts = append(parts, th.err.Render("✗ "+strings.Join(sortedKeys(s.errors), ", ")))
	}
	if s.working {
		turn := []rune(spinner)[s.turns%len([]rune(spinner))]
		parts = append(parts, th.accent.Render(fmt.Sprintf("%c working %s", turn, elapsed(now.Sub(s.since)))))
	}
	if queued > 0 {
		parts = append(parts, th.warn.Render(fmt.Sprintf("%d queued", queued)))
	}
	if s.working {
		parts = append(parts, th.dim.Render("esc interrupts"))
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
	parts = append(parts, th.dim.Render(model))
	return ansi.Truncate(strings.Join(parts, th.dim.Render(" · ")), width, "…")
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
