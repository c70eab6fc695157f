// This file replays the tool calls of a session with the current scripts.

package trial

import (
	"context"
	"reflect"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// Replayed is a tool call of a session, with the scripts' decision then and now.
type Replayed struct {
	CallID string
	Tool   string         // as called by the model
	Args   map[string]any // as given by the model
	Then   Effect
	Now    Effect
}

// Effect is the decision of the handlers of tool_call and the guards about a call.
type Effect struct {
	Outcome string // the strongest of block, abort, ask, respond and allow, or pass
	Script  string // the script of the handler; "" for pass
	Line    int    // where the handler was registered
	Reason  string
	Tool    string         // after rewrites
	Args    map[string]any // after rewrites
	edited  bool           // the user changed the arguments after the scripts
}

// Changed reports whether the decision about the call would differ now. The same decision of
// another script is no change.
func (r *Replayed) Changed() bool {
	if r.Then.Outcome != r.Now.Outcome {
		return true
	}
	switch r.Then.Outcome {
	case "block", "abort":
		return false
	}
	return !r.Then.edited && (r.Then.Tool != r.Now.Tool || !sameArgs(r.Then.Args, r.Now.Args))
}

func sameArgs(a, b map[string]any) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

// strength orders outcomes: the strongest of several decides.
var strength = map[string]int{"allow": 1, "respond": 2, "ask": 3, "abort": 4, "block": 5}

// effectOf reads a trail as far as the guards.
func effectOf(trail engine.Trail, tool string, args map[string]any) Effect {
	e := Effect{Outcome: "pass", Tool: tool, Args: args}
	for _, s := range trail {
		switch {
		case s.Script == "":
			e.edited = e.edited || len(s.Changed) > 0
		case s.Event != "tool_call" && s.Event != "guard":
		case strength[s.Outcome] > strength[e.Outcome]:
			e.Outcome, e.Script, e.Line, e.Reason = s.Outcome, s.Script, s.Line, s.Reason
		}
	}
	return e
}

// Replay dispatches the tool calls of all branches of a session, in order, through the handlers and
// guards of e. No tool runs and the user is not asked, but handlers have their usual effects. It
// skips calls without a decision, and does not include those of sub-agents, which the session does
// not contain.
func Replay(ctx context.Context, e *engine.Engine, env event.Envelope,
	s *session.Session) []*Replayed {
	env.CWD, env.SessionID, env.SessionPath = s.CWD(), s.ID(), s.Path()
	env.Origin = "model"
	var list []*Replayed
	open := map[string]*Replayed{}
	for _, entry := range s.All() {
		m := entry.Message
		switch {
		case m == nil:
		case m.Role == "assistant":
			for _, u := range m.ToolCalls {
				open[u.ID] = &Replayed{CallID: u.ID, Tool: u.Tool, Args: u.Args}
			}
		case m.Role == "tool" && entry.Tool != nil && open[m.CallID] != nil:
			r := open[m.CallID]
			delete(open, m.CallID)
			run := entry.Tool
			if run.Skipped == "unknown" || run.Skipped == "invalid" {
				continue
			}
			tool, args := r.Tool, r.Args
			if run.Tool != "" {
				tool = run.Tool
			}
			if run.Args != nil {
				args = run.Args
			}
			r.Then = effectOf(run.Trail, tool, args)
			list = append(list, r)
		}
	}
	for _, r := range list {
		if ctx.Err() != nil {
			break
		}
		got := e.Dispatch(ctx, &engine.Call{ID: r.CallID, Tool: r.Tool, Args: r.Args,
			Origin: "model", Env: &env, Preview: true})
		r.Now = effectOf(got.Trail, got.Tool, got.Args)
	}
	return list
}
