package tool

import (
	"context"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/subject"
)

// Agent returns the tool that starts a sub-agent by calling run. The call itself counts as
// read-only, so that several of one message run concurrently; the sub-agent's calls are decided one
// by one.
func Agent(run func(context.Context, *engine.Use) (*engine.Result, error)) *engine.Tool {
	return &engine.Tool{Name: "agent", Kind: "agent", ReadOnly: true, Source: "builtin",
		Description: "Give a task to a sub-agent, which works on it alone and returns its last " +
			"message. It knows nothing of this conversation: " +
			"say everything that it needs, and what it should answer. Several calls in one " +
			"message work at the same time.",
		Schema: object(map[string]any{
			"task":  property("string", "what to do, and what to report"),
			"agent": property("string", "the kind of agent"),
			"model": property("string", "provider/id; usually left out"),
			"tools": map[string]any{"type": "array", "items": map[string]any{"type": "string"},
				"description": "names of the only tools it may call; usually left out"},
		}, "task"),
		Subject: &subject.Subject{Verb: "Ask an agent:", Title: []subject.Phrase{{Arg: "task"}}},
		Aliases: &engine.Aliases{Names: map[string]string{"prompt": "task",
			"subagent_type": "agent", "agent_type": "agent", "type": "agent"},
			Idle: []string{"description"}},
		Run: run}
}
