// This file asks the client's user about tool calls.

package rpc

import (
	"slices"

	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/engine/ui"
)

// approveFields returns the fields of a question about a tool call.
func approveFields(a *remote.Approval) map[string]any {
	asks := make([]any, len(a.Asks))
	for i := range a.Asks {
		asks[i] = askFields(&a.Asks[i])
	}
	fields := map[string]any{"kind": "approve", "call_id": a.CallID, "tool": a.Tool,
		"tool_kind": a.Kind, "args": a.Args, "asks": asks, "options": a.Options}
	if a.Rewritten != nil {
		fields["rewritten"] = a.Rewritten.Value()
	}
	if preview := previewFields(a.Preview); preview != nil {
		fields["preview"] = preview
	}
	if len(a.Risks) > 0 {
		fields["risks"] = a.Risks
	}
	if slices.Contains(a.Options, remote.Always) {
		fields["always"] = a.Always
	}
	if env := a.Env; env != nil {
		fields["agent"], fields["depth"] = env.Agent, env.Depth
	}
	return fields
}

// previewFields returns the fields of a preview, nil if there is none.
func previewFields(p *ui.Preview) map[string]any {
	if p == nil {
		return nil
	}
	fields := map[string]any{}
	for k, v := range map[string]string{"note": p.Note, "fails": p.Fails, "title": p.Display.Title,
		"kind": p.Display.Kind, "lang": p.Display.Lang, "text": p.Display.Text} {
		if v != "" {
			fields[k] = v
		}
	}
	if p.File != nil {
		fields["path"], fields["exists"] = p.File.Path, p.File.Before != nil
	}
	return fields
}

func askFields(a *remote.Asked) map[string]any {
	fields := map[string]any{"text": a.Text}
	for k, v := range map[string]string{"script": a.Script, "rule": a.Rule, "reason": a.Reason,
		"failure": a.Failure} {
		if v != "" {
			fields[k] = v
		}
	}
	if a.Line > 0 {
		fields["line"] = a.Line
	}
	if len(a.Detail) > 0 {
		fields["detail"] = a.Detail
	}
	return fields
}

// readDecision parses an answer to such a question.
func readDecision(a *remote.Approval, p params) (remote.Answer, error) {
	edited, _ := p["args"].(map[string]any)
	answer, err := a.Decide(remote.Decision{Option: p.text("decision"),
		Reason: p.text("reason"), Rule: p.text("rule"), Args: edited})
	if err != nil {
		return answer, wrong("ui.respond", "%v", err)
	}
	return answer, nil
}
