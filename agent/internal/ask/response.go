// This file lets scripts handle the reply to a request (llm_response).

package ask

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// afterResponse lets scripts change the model's reply.
func (a *Asker) afterResponse(ctx context.Context, q *Request, r *Reply) error {
	r.Cost = r.Price()
	response := event.LLMResponse{Purpose: q.Purpose, Model: r.Name, Usage: r.Usage.Value(),
		Cost: r.Cost, FinishReason: r.Finish,
		DurationMS: float64(r.Took.Microseconds()) / 1e3}
	seen := a.engine.Events.New(a.report.Envelope(),
		response) // message_end shows its content
	uses, messages := r.Uses, q.Messages
	response.Text, response.Reasoning = r.Said, r.Thought
	response.ToolCalls = value.NewLazy(func() any { return useValues(uses) })
	response.LastUserMessage = value.NewLazy(func() any { return lastUserText(messages) })
	ev, v := a.engine.InterceptUnseen(ctx, a.engine.Events.New(a.report.Envelope(), response))
	a.engine.Emitter.EmitShown(nil, seen)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if v.Blocked {
		r.Said, r.Thought, r.Own, r.Uses = v.WithheldText("the answer"), "", nil, nil
		return nil
	}
	if err := a.takeResponse(q, r, ev, v); err != nil {
		return err
	}
	switch {
	case v.Abort != "":
		return aborted(v)
	case v.Stop:
		r.Stopped = report.Reason("stopped", v)
	}
	return nil
}

func (a *Asker) takeResponse(q *Request, r *Reply, ev *event.Event, v *engine.Verdict) error {
	r.By = report.Merge(r.By, v.Trail.Authors("llm_response"))
	for _, key := range v.Changed {
		switch key {
		case "text":
			r.Said = validUTF8(ev.Text(key))
		case "reasoning":
			// the signature does not match the new text
			r.Thought, r.Own = validUTF8(ev.Text(key)), nil
		case "tool_calls":
			calls, err := chat.DecodeToolUses(ev.Field(key))
			if err != nil { // it was validated when it was returned
				return fmt.Errorf("%s: tool_calls%w", report.Rewriters(v), err)
			}
			r.Uses = rewritten(r.Uses, calls, a.callIDs(q))
		}
	}
	return nil
}

// callIDs returns the ids that a reply's calls must differ from: those of the conversation, if the
// reply is part of it.
func (a *Asker) callIDs(q *Request) callIDs {
	if q.Shown {
		return callIDs{a.taken, a.o.NewID}
	}
	return callIDs{map[string]bool{}, a.o.NewID}
}

func useValues(uses []ToolUse) []any {
	calls := make([]chat.ToolUse, len(uses))
	for i, u := range uses {
		calls[i] = u.ToolUse
	}
	return chat.ToolUseValues(calls)
}

// lastUserText returns the user's last text; texts of scripts do not count.
func lastUserText(messages []*chat.Message) string {
	for _, m := range slices.Backward(messages) {
		if text := chat.PlainText(m.Content); m.Role == "user" &&
			!strings.HasPrefix(text, "<context from=") {
			return text
		}
	}
	return ""
}

// Price returns the cost of a request, in US dollars; nil = unknown, because the price or the usage
// is.
func (r *Reply) Price() *float64 {
	const million = 1e6
	p, u, cost := r.Model.Price, r.Usage, 0.0
	switch {
	case u == (chat.Usage{}) && !r.begun: // no reply arrived
	case p == nil, u == (chat.Usage{}) && *p != (chat.Price{}):
		return nil
	default:
		cost = (float64(u.Input)*p.Input + float64(u.Output)*p.Output +
			float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite) / million
	}
	return &cost
}
