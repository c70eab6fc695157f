// This file is the session as scripts see it.

package agent

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
)

// Session is the session of this moment. Call it from any goroutine.
func (a *Agent) Session() *session.Session { return a.current.Load() }

// Messages is the conversation as the model would be sent it now.
func (a *Agent) Messages() []*engine.Message {
	env := a.Envelope()
	return a.Session().Messages(env.PromptID, env.Turn)
}

// Entries is what the session holds along its branch, as scripts read it.
func (a *Agent) Entries() []any {
	entries := a.Session().Entries()
	out := make([]any, len(entries))
	for i, e := range entries {
		out[i] = &entryView{value: sync.OnceValue(e.Value)}
	}
	return out
}

// entryView is an entry that is made plain data when it is looked at: a script that wants the last
// one of 10,000 pays for one.
type entryView struct{ value func() map[string]any }

// Get implements engine.Object.
func (v *entryView) Get(key string) (any, bool) {
	x, ok := v.value()[key]
	return x, ok
}

// Keys implements engine.Object.
func (v *entryView) Keys() []string { return slices.Sorted(maps.Keys(v.value())) }

// treeText bounds the text of an entry in a tree: it is there to recognise the entry by.
const treeText = 200

// Tree is all entries of all branches: {id, parent, type, role, text, label, leaf}; leaf marks the
// entry that the conversation goes on behind.
func (a *Agent) Tree() []any {
	s := a.Session()
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

// clip is the first line of text, cut to n bytes at the end of a character.
func clip(text string, n int) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return plain.Clip(text, n)
}

// Append adds an entry of a script's own kind.
func (a *Agent) Append(kind string, data any) (string, error) {
	if kind == "" {
		return "", &engine.WorldError{Code: "invalid", Message: "append: got no kind"}
	}
	plain, err := engine.Plain(data)
	if err != nil {
		return "", err
	}
	e, err := a.Session().Append(session.Entry{Custom: &session.Custom{Kind: kind, Data: plain}})
	if err == nil && a.parent == nil {
		a.engine.ShowEntry(e.ID, kind, plain)
	}
	return e.ID, err
}

// oneLine is text on one line, as lists show it: a control character is a space.
func oneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
}

// Name names the session, if name is not "", and returns its name.
func (a *Agent) Name(name string) (string, error) {
	s := a.Session()
	if name = oneLine(name); name != "" {
		if err := s.SetName(a.engine.MaskPatterns(name)); err != nil {
			return s.Name(), err
		}
	}
	return s.Name(), nil
}

// Label labels an entry; "" takes the label away.
func (a *Agent) Label(id, text string) error {
	return found(a.Session().SetLabel(id, a.engine.MaskPatterns(oneLine(text))))
}

// found makes a session's error one that scripts can tell.
func found(err error) error {
	if e, ok := err.(*session.NoEntryError); ok {
		return &engine.WorldError{Code: "not_found", Message: e.Error()}
	}
	return err
}

// Usage is {usage, cost, turns, tool_calls} of the whole session, with sub-agents and the branches
// that were left, or of its branch. cost is absent if no price is known.
func (a *Agent) Usage(branch bool) map[string]any {
	t := a.Session().Used(branch)
	m := map[string]any{"usage": t.Tokens.Value(), "turns": t.Turns, "tool_calls": t.ToolCalls}
	if t.Requests > t.Unpriced {
		m["cost"] = t.Cost
	}
	return m
}

// spend notes what a request to a model used, whatever it was for: the main agent's session knows
// the whole cost. Call it from any goroutine.
func (a *Agent) spend(u session.Usage) {
	a.append(session.Entry{Usage: &u})
	if root := a.root(); root != a {
		below := u
		below.AgentID = a.Envelope().AgentID
		root.append(session.Entry{Usage: &below})
	}
}
