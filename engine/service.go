// This file defines what the agent around the engine does for scripts: ext.agent, ext.session,
// ext.state, ext.llm.

package engine

import (
	"context"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// Services is what the agent around the engine does for scripts. env is that of the moment from
// which a script calls: it tells which agent and session are meant. Any function may be called from
// any goroutine that is not the agent's own; those that take a context wait. An error of the world
// is a *WorldError: "busy" where the agent must be idle first, "not_found", "cancelled", "refused"
// (a handler blocked it), "unsupported".
type Services struct {
	// Send gives the agent input: when is steer (now, in the middle of its work), next (behind the
	// prompt that is worked on) or idle (behind all that waits). source is script:NAME.
	Send func(env *event.Envelope, text, when, source string, line int) error
	// Abort ends the prompt that is worked on, of the agent that env tells of.
	Abort func(env *event.Envelope)
	// Exit ends the program once the agent is idle.
	Exit func()
	// Idle reports whether nothing is worked on and nothing waits.
	Idle func() bool
	// Compact summarises the conversation so far.
	Compact func(ctx context.Context, env *event.Envelope, instructions string) error
	// Set changes settings; empty ones stay. source is user or script.
	Set func(env *event.Envelope, s Settings, source string) error
	// Models lists what can be asked.
	Models func() []ModelInfo
	// Spawn starts a sub-agent, and does not wait for it, nor for handlers: a script calls it in
	// its turn. When ctx ends, it is killed: ctx lives as long as who holds the Spawned. Besides
	// WorldErrors, "invalid" says what is wrong with the spec.
	Spawn func(ctx context.Context, env *event.Envelope, s *SpawnSpec) (*Spawned, error)
	// Complete asks a model once, beside the conversation (purpose script).
	Complete func(ctx context.Context, env *event.Envelope, c *ModelCall) (*ModelAnswer, error)

	// Messages is the conversation as the model would see it.
	Messages func(env *event.Envelope) []*chat.Message
	// Entries is what the session holds along its branch: {id, parent, time, type, ...}.
	Entries func(env *event.Envelope) []any
	// Tree is all entries of all branches: {id, parent, type, text, label, leaf}.
	Tree func(env *event.Envelope) []any
	// Append adds an entry of a script's own kind to the session; it is not sent to the model.
	Append func(env *event.Envelope, kind string, data any) (id string, err error)
	// Name names the session; "" asks for the name.
	Name func(env *event.Envelope, name string) (string, error)
	// Label labels an entry; "" takes the label away.
	Label func(env *event.Envelope, id, text string) error
	// Usage is {usage, cost, turns, tool_calls}, of the whole session with sub-agents and left
	// branches, or of the branch.
	Usage func(env *event.Envelope, branch bool) map[string]any
	// New ends the session and begins an empty one; prompt, if any, is its first.
	New func(ctx context.Context, env *event.Envelope, prompt string) error
	// Fork lets the conversation go on behind an entry, or before it.
	Fork func(ctx context.Context, env *event.Envelope, id string, before bool) error

	// State is the durable state of a script in the session's branch; sub-agents share that of the
	// main agent.
	State State
}

// State is what scripts keep in the branch of the session: it follows fork and resume. Values are
// plain data.
type State struct {
	// Get returns nil, false if there is none, and before there is a session.
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

// SpawnSpec says what a sub-agent is to do.
type SpawnSpec struct {
	Prompt string
	Agent  string   // the name of a kind of agent; "" = a general one
	Model  string   // "" = the parent's
	System string   // system prompt; "" = the kind's, or the usual one
	Tools  []string // names it may call; nil = all
	// OnEvent, if not nil, is told what the sub-agent does, as subagent_event is: from one
	// goroutine at a time. The sub-agent waits for it.
	OnEvent func(kind string, data map[string]any)
}

// Spawned is a sub-agent under way.
type Spawned struct {
	ID   string
	Wait func(ctx context.Context) (SpawnEnd, error) // takes the result; several may wait
	Kill func()
}

// SpawnEnd is what came of a sub-agent.
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
	Schema    map[string]any    // the answer is JSON that fits it; nil = text
	OnDelta   func(text string) // nil = nobody listens
}

// ModelAnswer is a model's answer to a script.
type ModelAnswer struct {
	Text   string
	Data   any // with a schema: the answer, read
	Usage  chat.Usage
	Cost   *float64 // nil = unknown price
	Finish string
}
