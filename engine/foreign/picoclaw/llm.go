// This file asks a process about requests to a model, and about its answers.

package picoclaw

import (
	"fmt"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
)

// beforeLLM asks about a request, which the process may change or end. A summary is not asked for
// tool calls: tools of other requests than those of agents stay.
func (h *hook) beforeLLM(run *engine.Run, args []any) (any, error) {
	ev := args[0].(*event.Event)
	sent, _ := fields("model=model options=options").of(ev) // plain
	messages, err := sendMessages(ev.Field("messages"))
	if err != nil {
		return nil, err
	}
	tools, err := sendTools(ev.Field("tools"))
	if err != nil {
		return nil, err
	}
	a, err := h.consult(run, ev, "before_llm", "model=model options=options "+
		"graceful_terminal=last_turn", map[string]any{"messages": messages.theirs,
		"tools": tools.theirs})
	if a == nil || a.aborts() != "" {
		return h.aborted(a), err
	}
	out := map[string]any{}
	changed(out, sent, a.Request, "model=model options=options")
	if options := table(out["options"]); options != nil {
		out["options"] = extapi.Replaced(sent["options"], options)
	}
	if err = messages.changed(out, "messages", a.Request); err == nil {
		if p := ev.Text("purpose"); p == "agent" || p == "subagent" {
			err = tools.changed(out, "tools", a.Request)
		}
	}
	if err != nil {
		return nil, h.wrong("before_llm: request", err)
	}
	return outcome(out)
}

// afterLLM asks about a model's answer, which the process may change.
func (h *hook) afterLLM(run *engine.Run, args []any) (any, error) {
	ev := args[0].(*event.Event)
	sent, _ := fields("role='assistant content=text reasoning_content=reasoning " +
		"finish_reason=finish_reason").of(ev) // texts
	uses, err := chat.DecodeToolUses(chat.Plain(ev.Field("tool_calls")))
	if err != nil {
		return nil, fmt.Errorf("tool_calls%w", err)
	}
	if sent["tool_calls"], err = sendCalls(uses); err != nil {
		return nil, err
	}
	a, err := h.consult(run, ev, "after_llm", "model=model", map[string]any{"response": sent})
	if a == nil || a.aborts() != "" {
		return h.aborted(a), err
	}
	out, back := map[string]any{}, inside(a.Response, "response")
	changed(out, sent, back, "content=text reasoning_content=reasoning tool_calls=tool_calls")
	if calls := out["tool_calls"]; calls != nil {
		if out["tool_calls"], err = receiveCalls(calls); err != nil {
			return nil, h.wrong("after_llm: response.tool_calls", err)
		}
	}
	return outcome(out)
}
