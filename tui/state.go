// This file asks the program for what the screen shows and no event tells.

package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// State is what the program knows at a moment.
type State struct {
	Session  string    // name of the session, "" = none
	Thinking string    // how much the model thinks, "" = its default
	Tokens   int       // that the session has used, in and out
	Unpriced bool      // some of them at a price that is not known
	Broken   []string  // guards that fail again and again
	Gone     []string  // scripts in force whose files are gone
	Waiting  []Waiting // input that waits, in the order in which it will take effect
}

// Waiting is input that waits for the agent.
type Waiting struct {
	Text   string
	Kind   string // steer or follow_up
	Script bool   // a script sent it
}

// stateMsg is the answer to the n-th question.
type stateMsg struct {
	n     int
	state State
}

// refresh asks for the state, if something has happened that may have changed it.
func (m *model) refresh() tea.Cmd {
	f := m.backend.State
	if !m.stale || f == nil {
		m.stale = false
		return nil
	}
	m.stale = false
	m.asked++
	n := m.asked
	return func() tea.Msg { return stateMsg{n, f()} }
}

// know takes an answer, unless a later question was answered before: whatever happened meanwhile, another
// question was asked.
func (m *model) know(msg stateMsg) {
	if msg.n < m.answered {
		return
	}
	m.answered = msg.n
	m.status.gone = msg.state.Gone
	m.status.broken, m.status.session, m.status.thinking = msg.state.Broken, msg.state.Session, clean(msg.state.Thinking)
	m.status.tokens, m.status.unpriced = msg.state.Tokens, msg.state.Unpriced
	m.waiting = msg.state.Waiting
}

// takesBack reports whether the user can take back something that waits.
func (m *model) takesBack() bool {
	return slices.ContainsFunc(m.waiting, func(w Waiting) bool { return !w.Script })
}

// waitingShown is how many texts that wait are shown above the editor.
const waitingShown = 4

// waitingLines draws what waits, each with its kind.
func (m *model) waitingLines() []string {
	if len(m.waiting) == 0 {
		return nil
	}
	var out []string
	for i, w := range m.waiting {
		if i == waitingShown {
			out = append(out, m.theme.dim.Render(fit("  "+plural(len(m.waiting)-i, "more waits", "more wait"), m.width)))
			break
		}
		kind := "follow-up"
		if w.Kind == kindSteer {
			kind = "steering"
		}
		if w.Script {
			kind += " of a script"
		}
		head := "⧗ " + kind + ": "
		out = append(out, m.theme.warn.Render(fit(head, m.width))+fit(oneLine(w.Text), m.width-cells(head)))
	}
	return append(out, m.theme.dim.Render(fit("  up takes the last one back, esc stops and takes all back", m.width)))
}
