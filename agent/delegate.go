// This file implements the agent tool, by which the model gives a part of its work to a sub-agent.

package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// Tool returns the agent tool. It calls current at each call to get the main agent, which is
// created after the tool.
func Tool(current func() *Agent) *engine.Tool {
	return tool.Agent(func(ctx context.Context, use *engine.Use) (*engine.Result, error) {
		a := current()
		if a == nil {
			return nil, refusal("busy", "the program is starting")
		}
		return delegate(ctx, a.shared.subagents.at(a, use.Env), use)
	})
}

// delegate runs a sub-agent of a and returns its result as that of the call.
func delegate(ctx context.Context, a *Agent, use *engine.Use) (*engine.Result, error) {
	spec := &service.SpawnSpec{Prompt: value.Text(use.Args, "task"),
		Agent: value.Text(use.Args, "agent"), Model: value.Text(use.Args, "model"),
		CallID: use.CallID}
	if use.Args["tools"] != nil {
		names, err := textList(use.Args["tools"])
		if err != nil {
			return nil, fmt.Errorf("tools: %w", err)
		}
		spec.Tools = names
	}
	notes := a.tools.kinds.translate(spec)
	x, err := a.shared.subagents.spawn(ctx, a, use.Env, spec, true)
	if err != nil {
		return nil, err
	}
	if err := x.mayBegin(); err != nil {
		_, _ = x.await(context.WithoutCancel(ctx)) // so that nothing of it keeps running
		return nil, err
	}
	defer func() { tellSwitch(a.report, x.agent.Envelope(), a.Envelope(), "return") }()
	// It ends soon after ctx does. Wait for its end, so that nothing of it keeps running after the
	// result.
	end, err := x.await(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	text := resultText(end)
	if len(notes) > 0 {
		text += "\n[" + strings.Join(notes, "; ") + "]"
	}
	r := engine.TextResult(text)
	r.IsError = end.Status != string(Completed) && end.Status != string(Stopped) &&
		end.Status != string(Limit)
	r.Display = &ui.Display{Title: x.agent.Envelope().Agent, Kind: "markdown"}
	calls, skipped := x.agent.watch.counts()
	r.Details = map[string]any{"subagent_id": x.id, "status": end.Status, "calls": calls,
		"skipped": skipped, "usage": end.Usage.Value()}
	if end.Cost != nil {
		r.Details["cost"] = *end.Cost
	}
	return r, nil
}

// resultText describes a sub-agent's result: its response, and why the response is incomplete if it
// is.
func resultText(end service.SpawnEnd) string {
	why := ""
	switch Status(end.Status) {
	case Completed:
		if strings.TrimSpace(end.Response) == "" {
			return "(the sub-agent ended without a word)"
		}
		return end.Response
	case Cancelled:
		why = "the sub-agent was cancelled"
	case Blocked:
		why = "the sub-agent was not allowed to continue"
	case Stopped:
		why = "the sub-agent was stopped; this is what it had so far"
	case Limit:
		why = "the sub-agent reached a limit; this is what it had so far"
	default:
		why = "the sub-agent failed"
	}
	if end.Error != "" {
		why += ": " + end.Error
	}
	if strings.TrimSpace(end.Response) == "" {
		return why
	}
	return "[" + why + "]\n" + end.Response
}

// tellSwitch emits agent_switch: another agent is working.
func tellSwitch(r *report.Reporter, from, to *event.Envelope, kind string) {
	provider, model, _ := strings.Cut(from.Model, "/")
	r.Tell(event.AgentSwitch{From: from.Agent, To: to.Agent, Kind: kind, ToModel: to.Model,
		// providers do not report how to unload a model
		FromModels: []any{map[string]any{"provider": provider, "model": model,
			"base_url": r.BaseURL(provider), "unload_api": ""}}})
}
