// This file asks scripts about what came of a request (llm_response).

package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/report"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// afterResponse lets scripts change what the model said.
func (a *Agent) afterResponse(ctx context.Context, q *ask, r *reply) error {
	r.cost = r.price()
	response := event.LLMResponse{Purpose: q.purpose, Model: r.name, Usage: r.usage.Value(),
		Cost: r.cost, FinishReason: r.finish,
		DurationMS: float64(r.took.Microseconds()) / 1e3}
	seen := a.engine.New(a.Envelope(), response) // what it says is shown by message_end
	uses, messages := r.uses, q.messages
	response.Text, response.Reasoning = r.said, r.thought
	response.ToolCalls = value.NewLazy(func() any { return useValues(uses) })
	response.LastUserMessage = value.NewLazy(func() any { return lastUserText(messages) })
	ev, v := a.engine.InterceptUnseen(ctx, a.engine.New(a.Envelope(), response))
	a.engine.EmitShown(nil, seen)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if v.Blocked {
		r.said, r.thought, r.own, r.uses = v.WithheldText("the answer"), "", nil, nil
		return nil
	}
	if err := a.takeResponse(q, r, ev, v); err != nil {
		return err
	}
	switch {
	case v.Abort != "":
		return aborted(v)
	case v.Stop:
		r.stopped = report.Reason("stopped", v)
	}
	return nil
}

func (a *Agent) takeResponse(q *ask, r *reply, ev *engine.Event, v *engine.Verdict) error {
	r.by = report.Merge(r.by, v.Trail.Authors("llm_response"))
	for _, key := range v.Changed {
		switch key {
		case "text":
			r.said = valid(ev.Text(key))
		case "reasoning":
			r.thought, r.own = valid(ev.Text(key)), nil // what is signed are other words
		case "tool_calls":
			calls, err := engine.DecodeToolUses(ev.Field(key))
			if err != nil { // it was checked when it was returned
				return fmt.Errorf("%s: tool_calls%w", report.Rewriters(v), err)
			}
			r.uses = rewritten(r.uses, calls, a.callIDs(q))
		}
	}
	return nil
}

// callIDs are the ids that the calls of a reply must differ from: those of the conversation, if it
// is part of that.
func (a *Agent) callIDs(q *ask) callIDs {
	if q.shown {
		return callIDs{a.calls, a.Session().NewID}
	}
	return callIDs{map[string]bool{}, a.Session().NewID}
}

func useValues(uses []toolUse) []any {
	calls := make([]engine.ToolUse, len(uses))
	for i, u := range uses {
		calls[i] = u.ToolUse
	}
	return engine.ToolUseValues(calls)
}

// lastUserText is what the user said last: texts of scripts do not count.
func lastUserText(messages []*engine.Message) string {
	for _, m := range slices.Backward(messages) {
		if text := engine.PlainText(m.Content); m.Role == "user" &&
			!strings.HasPrefix(text, "<context from=") {
			return text
		}
	}
	return ""
}

// price is what a request has cost, in US dollars; nil = unknown: the price is, or nobody counted
// what was used.
func (r *reply) price() *float64 {
	const million = 1e6
	p, u, cost := r.model.Price, r.usage, 0.0
	switch {
	case u == (engine.Usage{}) && !r.begun: // the model said nothing
	case p == nil, u == (engine.Usage{}) && *p != (engine.Price{}):
		return nil
	default:
		cost = (float64(u.Input)*p.Input + float64(u.Output)*p.Output +
			float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite) / million
	}
	return &cost
}
