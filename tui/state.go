// This file asks the program for what the screen shows and no event carries.

package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/chip"
)

// State is the state of the program at one moment.
type State struct {
	Session  string    // name of the session, "" = none
	Thinking string    // how much the model thinks, "" = its default
	Tokens   int       // used by the session, input and output
	Unpriced bool      // the price of some of them is unknown
	Broken   []string  // guards that fail repeatedly
	Gone     []string  // scripts in force whose files are missing
	Disabled []string  // guards that the user has disabled
	Failed   []string  // scripts whose files do not load
	Held     []string  // scripts of which a new version waits for the user
	Unfenced bool      // programs run without a sandbox
	Review   int       // scripts of the project that wait for a review
	Waiting  []Waiting // waiting input, in the order in which it will take effect
}

// Waiting is input that waits for the agent.
type Waiting struct {
	Text   string
	Kind   string // steer or follow_up
	Script bool   // a script sent it
}

// stateMsg is the answer to the n-th request.
type stateMsg struct {
	n     int
	state State
}

// programState is the program's last known State. It requests a new one when it may have changed.
type programState struct {
	keyless
	unseen
	*shared
	State

	stale    bool // a request is due
	asked    int  // the number of requests
	answered int  // the latest request that was answered
}

// handleMsg implements component: it stores answers and notes messages that may change the state.
func (s *programState) handleMsg(msg tea.Msg) tea.Cmd {
	if answer, ok := msg.(stateMsg); ok {
		s.takeAnswer(answer)
	}
	s.stale = s.stale || changesState(msg)
	return nil
}

// changesState reports whether the program's state may have changed with msg.
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

// refresh requests the state if it may have changed.
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

// takeAnswer stores an answer, unless a later request has been answered already.
func (s *programState) takeAnswer(msg stateMsg) {
	if msg.n < s.answered {
		return
	}
	s.answered, s.State = msg.n, msg.state
}

// Prompt is a text that was sent. Pasted are its parts that were long pasted texts, as offsets in
// bytes, in order.
type Prompt struct {
	Text   string
	Pasted [][2]int
}

// Prompts were sent before, the oldest first.
type Prompts struct{ Own, Others []Prompt }

// promptsMsg holds the prompts of earlier starts, each in its parts: see chip.Split.
type promptsMsg struct {
	own, others [][]string
	err         error
}

// rememberedMsg is the result of keeping a prompt for later starts.
type rememberedMsg struct{ err error }

// askPrompts requests the prompts of earlier starts.
func askPrompts(b Backend) tea.Cmd {
	f := b.Prompts
	if f == nil {
		return nil
	}
	return func() tea.Msg {
		p, err := f()
		return promptsMsg{promptParts(p.Own), promptParts(p.Others), err}
	}
}

// promptParts returns the parts of prompts, without control characters.
func promptParts(list []Prompt) (out [][]string) {
	for _, p := range list {
		parts := chip.Split(p.Text, p.Pasted)
		for i, part := range parts {
			if i%2 == 0 {
				parts[i] = chip.Clean(cells.Clean(part))
			} else {
				parts[i] = plain.Text(part)
			}
		}
		out = append(out, parts)
	}
	return out
}
