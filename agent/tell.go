// This file tells of a model's message while it comes.

package agent

import (
	"context"

	"github.com/agentscripts/agent/engine"
)

// tell tells of one piece: to who asked, to scripts, and, as far as it may be seen, to the user. last says that the reply
// is over.
func (s *sink) tell(ctx context.Context, p piece, last bool) {
	text := string(p.text)
	switch p.kind {
	case "warning":
		s.a.tell("llm_warning", map[string]any{"warnings": []any{text}})
	case "source":
		s.a.tell("llm_source", sourceFields(p.from))
	case "text", "reasoning":
		if s.q.onDelta != nil {
			s.q.onDelta(p.kind, text)
		}
	}
	if !s.q.shown {
		return
	}
	switch p.kind {
	case "start":
		s.a.tell("message_start", map[string]any{"message_id": s.r.id})
	case "text", "reasoning":
		s.r.screen.add(ctx, p.kind, text, last)
	case "call":
		s.r.screen.pause(ctx) // what was said before the call is shown before it
		s.a.tell("tool_input_start", inputFields(p.call))
	case "args":
		fields := inputFields(p.call)
		fields["delta"] = text
		s.a.tell("tool_input_delta", fields)
	}
}

func inputFields(c *partCall) map[string]any {
	return map[string]any{"call_id": c.id, "tool": c.name, "kind": c.kind}
}

func sourceFields(from *engine.ModelSource) map[string]any {
	fields := map[string]any{"kind": valid(from.Kind)}
	for k, v := range map[string]string{"source_id": from.ID, "url": from.URL, "title": from.Title} {
		if v != "" {
			fields[k] = valid(v)
		}
	}
	return fields
}
