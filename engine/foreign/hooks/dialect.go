// This file has what differs between the programs whose hooks run here.

package hooks

import "github.com/agentscripts/agent/engine/event"

// dialect is the hooks of a program: their events and tools, how its files are read, and what its
// hooks read and answer.
type dialect struct {
	rows  []row
	tools *toolset
	read  func(d *dialect, file string, src []byte) (settings, error)
	// common returns what hooks read of each event.
	common func(env *event.Envelope) message
	// strict: JSON is an answer only with exit code 0, and malformed JSON a failure at each event,
	// like every other exit code; continue = false refuses; new arguments are added to the others
	strict bool
}

var claude = dialect{rows: claudeRows, tools: &claudeTools,
	read: readSettings, common: func(env *event.Envelope) message {
		in := object("session_id", env.SessionID, "transcript_path", env.SessionPath, "cwd",
			env.CWD, "permission_mode", modeOf(env.Permission))
		if env.PromptID != "" {
			in["prompt_id"] = env.PromptID
		}
		if env.Depth > 0 {
			in["agent_id"], in["agent_type"] = env.AgentID, env.Agent
		}
		return in
	}}

// row returns the event with a name; nil if there is none.
func (d *dialect) row(name string) *row {
	for i := range d.rows {
		if d.rows[i].name == name {
			return &d.rows[i]
		}
	}
	return nil
}

func (d *dialect) eventNames() (names []string) {
	for i := range d.rows {
		names = append(names, d.rows[i].name)
	}
	return names
}

// ofCall is the event here at which hooks decide about a tool call.
const ofCall = "tool_call"
