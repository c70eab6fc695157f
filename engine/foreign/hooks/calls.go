// This file asks tools of MCP servers, and sub-agents.

package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// callTool calls a tool of an MCP server for a hook. Its text is what a command would write.
func (a *asked) callTool(h *hook, in message) output {
	if a.ev.Text("origin") == event.OfScript+a.x.api.Bind.Gen.Name {
		return output{} // the call of a hook
	}
	v, err := a.x.api.Invoke(a.run, "tools.call", h.command, filled(h.input, in))
	if err != nil {
		return output{err: err}
	}
	r, err := value.Plain(v)
	if err != nil {
		return output{err: err}
	}
	result, _ := r.(message)
	text := plainText(result["content"])
	if result["is_error"] == true {
		return output{err: errors.New(plain.Line(text, 500))}
	}
	return output{stdout: text}
}

// filled replaces ${tool_input.file_path} by what a hook reads there.
func filled(v any, in message) any {
	switch v := v.(type) {
	case string:
		text, rest, more := strings.Cut(v, "${")
		for more {
			var path string
			if path, rest, more = strings.Cut(rest, "}"); !more {
				return text + "${" + path
			}
			text += valueAt(in, "."+path, false, 0)
			var next string
			next, rest, more = strings.Cut(rest, "${")
			text += next
		}
		return text
	case message:
		m := message{}
		for name, inner := range v {
			m[name] = filled(inner, in)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = filled(v[i], in)
		}
		return list
	}
	return v
}

// agentLimit is how long a sub-agent may take for a hook.
const agentLimit = time.Minute

// verifies is what a sub-agent is told for a hook of the type agent.
const verifies = question + " Look at files as far as you need to. End with one JSON object: " +
	`{"ok": true} or {"ok": false, "reason": "why"}.`

// askAgent lets a sub-agent that can only look at files decide whether the agent may go on. The
// calls of such a sub-agent are not judged by another one.
func (a *asked) askAgent(h *hook, text []byte) *answer {
	x := a.x
	x.judging.Lock()
	if x.judges[a.ev.Env().AgentID] {
		x.judging.Unlock()
		return &answer{}
	}
	spec := object("prompt", h.asked(text), "system", verifies, "timeout", h.limit().Seconds(),
		"tools", []any{"read", "grep", "glob", "ls"})
	if strings.Contains(h.model, "/") {
		spec["model"] = h.model
	}
	v, err := x.api.Invoke(a.run, "agent.spawn", spec)
	spawned, _ := v.(message)
	id := value.Text(spawned, "id")
	if err == nil {
		x.judges[id] = true
	}
	x.judging.Unlock()
	if err != nil {
		return &answer{err: err}
	}
	call := func(name string) (message, error) {
		f, _ := spawned[name].(*engine.Builtin)
		v, err := x.api.Bind.Invoke(a.run, f, nil, x.api.Pos())
		m, _ := v.(message)
		return m, err
	}
	defer func() {
		_, _ = call("kill") // it may have ended
		x.judging.Lock()
		defer x.judging.Unlock()
		delete(x.judges, id)
	}()
	end, err := call("wait")
	switch {
	case err != nil:
		return &answer{err: err}
	case end["status"] != "completed":
		return &answer{err: fmt.Errorf("its agent ended as %v: %s", end["status"],
			value.Text(end, "error"))}
	}
	return verdict(value.Text(end, "response"))
}

// verdict reads the answer of a model: the last JSON object with ok.
func verdict(text string) *answer {
	for at := len(text); at > 0; {
		if at = strings.LastIndexByte(text[:at], '{'); at < 0 {
			break
		}
		var m message
		if json.NewDecoder(strings.NewReader(text[at:])).Decode(&m) != nil {
			continue
		}
		switch m["ok"] {
		case true:
			return &answer{}
		case false:
			return &answer{decision: "deny", reason: short(value.Text(m, "reason"))}
		}
	}
	return &answer{err: errors.New("the model has not answered with {ok, reason}")}
}
