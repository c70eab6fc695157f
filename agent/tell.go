// This file tells of a model's message while it comes.

package agent

import (
	"context"

	"github.com/agentscripts/agent/engine/event"
)

// tell tells of one piece: to who asked, to scripts, and, as far as it may be seen, to the user.
// last says that the reply is over.
func (s *sink) tell(ctx context.Context, p piece, last bool) {
	text := string(p.text)
	switch p.kind {
	case "warning":
		s.a.report.Tell(event.LLMWarning{Warnings: []any{text}})
	case "source":
		s.a.report.Tell(event.LLMSource{Kind: valid(p.from.Kind), SourceID: valid(p.from.ID),
			URL: valid(p.from.URL), Title: valid(p.from.Title)})
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
		s.a.report.Tell(event.MessageStart{MessageID: s.r.id})
	case "text", "reasoning":
		s.r.screen.add(ctx, p.kind, text, last)
	case "call":
		s.r.screen.pause(ctx) // what was said before the call is shown before it
		s.a.report.Tell(event.ToolInputStart{CallID: p.call.id, Tool: p.call.name,
			Kind: p.call.kind})
	case "args":
		s.a.report.Tell(event.ToolInputDelta{CallID: p.call.id, Tool: p.call.name,
			Kind:  p.call.kind,
			Delta: text})
	}
}
