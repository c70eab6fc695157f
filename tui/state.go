// This file asks the program for what the screen shows and no event tells.

package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/event"
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

// programState is the last State that the program has told, and asks for a new one when it may have
// changed.
type programState struct {
	keyless
	unseen
	*shared
	State

	stale    bool // the program is to be asked
	asked    int  // how often it was
	answered int  // the latest of these questions that was answered
}

// handleMsg implements component: it takes answers, and notes what may have changed the state.
func (s *programState) handleMsg(msg tea.Msg) tea.Cmd {
	if answer, ok := msg.(stateMsg); ok {
		s.takeAnswer(answer)
	}
	s.stale = s.stale || changesState(msg)
	return nil
}

// changesState reports whether the program's state may be another one after msg.
func changesState(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case sentMsg, droppedMsg, endMsg:
		return true
	case *event.Event:
		switch msg.Name() {
		case "script_load", "script_unload", "script_error", "input_queued":
			return true
		case "notification": // of a script whose file is gone, for example
			return msg.Text("level") == "warn"
		case "input", "steering_injected", "interrupt", "busy_change", "wait_input", "agent_start",
			"turn_end", "agent_end",
			"session_start", "session_compact", "tool_skipped", "tool_end":
			return msg.Env().Depth == 0
		}
	}
	return false
}

// refresh asks for the state, if something has happened that may have changed it.
func (s *programState) refresh() tea.Cmd {
	f := s.backend.State
	if !s.stale || f == nil {
		s.stale = false
		return nil
	}
	s.stale = false
	s.asked++
	n := s.asked
	return func() tea.Msg { return stateMsg{n, f()} }
}

// takeAnswer takes an answer, unless a later question was answered before: whatever happened
// meanwhile, another question was asked.
func (s *programState) takeAnswer(msg stateMsg) {
	if msg.n < s.answered {
		return
	}
	s.answered, s.State = msg.n, msg.state
}
