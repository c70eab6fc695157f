// This file reads the session for scripts.

package agent

import (
	"maps"
	"slices"
	"sync"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/value"
)

// messages returns the conversation as the model would get it now.
func (j *journal) messages() []*chat.Message {
	env := j.report.Envelope()
	return j.session().Messages(env.PromptID, env.Turn)
}

// entries returns the entries of the session's branch, as scripts read them.
func (j *journal) entries() []any {
	entries := j.session().Entries()
	out := make([]any, len(entries))
	for i, e := range entries {
		out[i] = &entryView{value: sync.OnceValue(e.Value)}
	}
	return out
}

// entryView is an entry that is converted to plain data when it is read, so that a script that
// reads the last of 10,000 entries pays for one.
type entryView struct{ value func() map[string]any }

// Get implements value.Object.
func (v *entryView) Get(key string) (any, bool) {
	x, ok := v.value()[key]
	return x, ok
}

// Keys implements value.Object.
func (v *entryView) Keys() []string { return slices.Sorted(maps.Keys(v.value())) }

// treeText bounds the text of an entry in a tree: it only has to identify the entry.
const treeText = 200

// tree returns all entries of all branches: {id, parent, type, role, text, label, leaf}; leaf marks
// the entry after which the conversation continues.
func (j *journal) tree() []any {
	s := j.session()
	all, leaf := s.All(), s.Leaf()
	out := make([]any, len(all))
	for i, e := range all {
		m := map[string]any{"id": e.ID, "type": e.Type(), "text": clip(e.Text(), treeText)}
		if e.Parent != "" {
			m["parent"] = e.Parent
		}
		if e.Message != nil {
			m["role"] = e.Message.Role
		}
		if label := s.Label(e.ID); label != "" {
			m["label"] = label
		}
		if e.ID == leaf {
			m["leaf"] = true
		}
		out[i] = m
	}
	return out
}

// clip returns the first line of text, cut to at most n bytes at the end of a character.
func clip(text string, n int) string {
	return plain.Clip(plain.FirstLine(text), n)
}

// appendCustom adds an entry of a script's own kind.
func (j *journal) appendCustom(kind string, data any) (string, error) {
	if kind == "" {
		return "", &fault.WorldError{Code: "invalid", Message: "append: got no kind"}
	}
	plain, err := value.Plain(data)
	if err != nil {
		return "", err
	}
	e, err := j.session().Append(session.Entry{Custom: &session.Custom{Kind: kind, Data: plain}})
	if err == nil && j.main == nil {
		j.report.Engine().Screen.ShowEntry(e.ID, kind, plain)
	}
	return e.ID, err
}

// name names the session, unless name is "", and returns its name.
func (j *journal) name(name string) (string, error) {
	s := j.session()
	if name = plain.OneLine(name); name != "" {
		if err := s.SetName(j.report.Engine().Mask.Patterns(name)); err != nil {
			return s.Name(), err
		}
	}
	return s.Name(), nil
}

// label labels an entry; "" removes the label.
func (j *journal) label(id, text string) error {
	return found(j.session().SetLabel(id, j.report.Engine().Mask.Patterns(plain.OneLine(text))))
}

// found converts a session's error to one that scripts can distinguish.
func found(err error) error {
	if e, ok := err.(*session.NoEntryError); ok {
		return &fault.WorldError{Code: "not_found", Message: e.Error()}
	}
	return err
}

// usage returns {usage, cost, turns, tool_calls} of the session's branch or, if branch is false, of
// the whole session with sub-agents and abandoned branches. cost is absent if no price is known.
func (j *journal) usage(branch bool) map[string]any {
	t := j.session().Used(branch)
	m := map[string]any{"usage": t.Tokens.Value(), "turns": t.Turns, "tool_calls": t.ToolCalls}
	if t.Requests > t.Unpriced {
		m["cost"] = t.Cost
	}
	return m
}

// state returns the durable state of scripts: it follows the branch of the session, through fork
// and resume. Sub-agents share the main agent's. Its functions may be called from any goroutine.
func (j *journal) state() service.State {
	if j.main != nil {
		return j.main.state()
	}
	return service.State{
		Get:  func(script, key string) (any, bool) { return j.session().State(script, key) },
		Keys: func(script string) []string { return j.session().StateKeys(script) },
		Set: func(script, key string, val any) error {
			plain, err := value.Plain(val)
			if err != nil {
				return err
			}
			return j.session().SetState(script, key, plain)
		},
	}
}
