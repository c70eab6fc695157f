// Package service defines what an agent does for scripts: ext.agent, ext.session, ext.state and
// ext.llm. The host functions call it, and the agent implements it.
package service

import (
	"context"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// Agent has the services of an agent for scripts. env is the envelope of the calling run: it
// identifies the agent and session. Any function may be called from any goroutine that is not the
// agent's own; those that take a context wait. An error of the world is a *fault.WorldError:
// "busy" where the agent must be idle first, "not_found", "cancelled", "refused" (a handler blocked
// it), "unsupported".
type Agent struct {
	// Send gives the agent input: when is steer (now, while it works), next (after the current
	// prompt) or idle (after all queued input). source is script:NAME.
	Send func(env *event.Envelope, text, when, source string, line int) error
	// Abort ends the current prompt of the agent in env.
	Abort func(env *event.Envelope)
	// Exit ends the program once the agent is idle.
	Exit func()
	// Idle reports whether the agent is idle and its queue empty.
	Idle func() bool
	// Compact summarises the conversation so far.
	Compact func(ctx context.Context, env *event.Envelope, instructions string) error
	// Set changes settings; empty ones stay. source is user or script.
	Set func(env *event.Envelope, s Settings, source string) error
	// Models lists the available models.
	Models func() []ModelInfo
	// Spawn starts a sub-agent, without waiting for it or for handlers: a script calls it in its
	// turn. Cancelling ctx kills it, so ctx must live as long as the Spawned is used. Besides
	// WorldErrors, "invalid" reports a mistake in the spec.
	Spawn func(ctx context.Context, env *event.Envelope, s *SpawnSpec) (*Spawned, error)
	// Complete asks a model once, outside of the conversation (purpose script).
	Complete func(ctx context.Context, env *event.Envelope, c *ModelCall) (*ModelAnswer, error)

	// Messages returns the conversation as the model would see it.
	Messages func(env *event.Envelope) []*chat.Message
	// Entries returns the entries of the session's current branch: {id, parent, time, type, ...}.
	Entries func(env *event.Envelope) []any
	// Tree returns all entries of all branches: {id, parent, type, text, label, leaf}.
	Tree func(env *event.Envelope) []any
	// Append adds an entry of a script's own kind to the session; it is not sent to the model.
	Append func(env *event.Envelope, kind string, data any) (id string, err error)
	// Name names the session; "" returns the name.
	Name func(env *event.Envelope, name string) (string, error)
	// Label labels an entry; "" removes the label.
	Label func(env *event.Envelope, id, text string) error
	// Usage returns {usage, cost, turns, tool_calls}, of the whole session with sub-agents and left
	// branches, or of the branch.
	Usage func(env *event.Envelope, branch bool) map[string]any
	// New ends the session and begins an empty one; prompt, if any, is its first.
	New func(ctx context.Context, env *event.Envelope, prompt string) error
	// Fork continues the conversation after an entry, or before it.
	Fork func(ctx context.Context, env *event.Envelope, id string, before bool) error

	// State is the durable state of a script in the session's branch; sub-agents share that of the
	// main agent.
	State State
}

// State holds values of scripts in the branch of the session: it follows fork and resume. Values
// are plain data.
type State struct {
	// Get returns nil, false if there is no value, and before there is a session.
	Get func(script, key string) (any, bool)
	// Set sets a value, or deletes it if the value is nil.
	Set func(script, key string, value any) error
	// Keys lists the keys in order.
	Keys func(script string) []string
}

// Settings are the settings that may change while the agent works; the empty ones stay as they are.
type Settings struct {
	Model      string // provider/id
	Thinking   string // one of ThinkingLevels
	Permission event.Permission
}

// ModelInfo is a model with the provider that has it.
type ModelInfo struct {
	Provider string
	chat.Model
}

// SpawnSpec describes the task of a sub-agent.
type SpawnSpec struct {
	Prompt string
	Agent  string   // the name of a kind of agent; "" = a general one
	Model  string   // "" = the parent's
	System string   // system prompt; "" = the kind's, or the default
	Tools  []string // names it may call; nil = all
	CallID string   // of the call of the agent tool that starts it; "" = no call does
	// OnEvent, if not nil, gets the sub-agent's events in the form of subagent_event, from one
	// goroutine at a time. The sub-agent waits for it.
	OnEvent func(kind string, data map[string]any)
}

// Spawned is a running sub-agent.
type Spawned struct {
	ID   string
	Wait func(ctx context.Context) (SpawnEnd, error) // the result; may be called again
	Kill func()
}

// SpawnEnd is the result of a sub-agent.
type SpawnEnd struct {
	Status   string // as agent_end's
	Response string
	Error    string
	Usage    chat.Usage
	Cost     *float64 // nil = unknown price
}

// ModelCall is one request of a script to a model.
type ModelCall struct {
	Model     string // provider/id; "" = the agent's
	System    string
	Messages  []*chat.Message
	MaxTokens int
	Schema    map[string]any    // the answer must be JSON that fits it; nil = text
	OnDelta   func(text string) // may be nil
}

// ModelAnswer is a model's answer to a script.
type ModelAnswer struct {
	Text   string
	Data   any // with a schema: the parsed answer
	Usage  chat.Usage
	Cost   *float64 // nil = unknown price
	Finish string
}
