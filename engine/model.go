// This file defines what is said between the agent and a model provider.
package engine

import "context"

// Message is one message of a conversation.
type Message struct {
	ID        string
	Role      string // user, assistant, tool, system
	Content   []Block
	Reasoning string
	ToolCalls []ToolUse // of an assistant message
	CallID    string    // of a tool message
	Tool      string
	IsError   bool
}

// ToolUse is a tool call as the model asked for it.
type ToolUse struct {
	ID   string
	Tool string
	Args map[string]any
}

// Usage counts tokens.
type Usage struct{ Input, Output, CacheRead, CacheWrite int }

// Add returns the sum.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite}
}

// ToolSpec describes a tool to a model.
type ToolSpec struct {
	Name        string
	Description string
	Schema      map[string]any
	Kind        string
	ReadOnly    bool
	Source      string
}

// ModelRequest is one request to a model.
type ModelRequest struct {
	Model      string // without the provider
	System     string
	Messages   []*Message // nobody changes them
	Tools      []ToolSpec
	ToolChoice string         // "" = auto; none, required, or the name of a tool
	Options    map[string]any // temperature, max_tokens, ...
	Thinking   string         // one of ThinkingLevels; "" = the provider's default
	Purpose    string         // one of Purposes
	Env        *Envelope
}

// Purposes says what a model is asked for: every request has one.
func Purposes() []string { return []string{"agent", "subagent", "compact", "script"} }

// ThinkingLevels are how much a model may think before it answers.
func ThinkingLevels() []string { return []string{"off", "low", "medium", "high"} }

// Chunk is a piece of a streamed reply; exactly one field is set.
type Chunk struct {
	Text      string
	Reasoning string
	ToolCall  *ToolCallDelta
	Usage     *Usage
	Warning   string
	Source    *ModelSource
}

// ModelSource is something that a model's answer rests on.
type ModelSource struct{ Kind, ID, URL, Title string }

// ToolCallDelta is a piece of a tool call: Index tells which call of the reply; ID and Name come
// with its first piece, ArgsDelta is a piece of the JSON text of its arguments.
type ToolCallDelta struct {
	Index     int
	ID        string
	Name      string
	ArgsDelta string
}

// Finish is how a reply ended.
type Finish struct {
	Reason string // stop, tool_calls, length, ...
	Usage  *Usage
}

// Model describes a model of a provider.
type Model struct {
	ID        string
	Context   int // tokens, 0 = unknown
	MaxOutput int
	Images    bool
	Thinking  bool
	Price     *Price // nil = unknown
}

// Price is in US dollars per million tokens.
type Price struct{ Input, Output, CacheRead, CacheWrite float64 }

// Provider is a model provider: built in, or a script's.
type Provider struct {
	Name   string
	Models []Model
	Source string      // "builtin" or "script:NAME"
	Gen    *Generation // of a script
	Line   int
	// Stream asks the model; emit is called for every piece, from one goroutine at a time. A failure
	// that the caller can act on is a *FailError.
	Stream func(ctx context.Context, req *ModelRequest, emit func(Chunk)) (Finish, error)
}

// Value returns the usage as scripts read it.
func (u Usage) Value() map[string]any {
	return map[string]any{"input": u.Input, "output": u.Output, "cache_read": u.CacheRead, "cache_write": u.CacheWrite}
}

// Value returns the tool's description as scripts read it.
func (t ToolSpec) Value() map[string]any {
	return map[string]any{"name": t.Name, "description": t.Description, "schema": t.Schema, "kind": t.Kind, "read_only": t.ReadOnly, "source": t.Source}
}
