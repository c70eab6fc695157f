// This file defines requests to models, and the pieces of replies.

package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// Usage counts tokens.
type Usage struct{ Input, Output, CacheRead, CacheWrite int }

// Add returns the sum.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.CacheRead + v.CacheRead,
		u.CacheWrite + v.CacheWrite}
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

// Request is one request to a model.
type Request struct {
	Model      string // without the provider
	System     string
	Messages   []*Message // immutable
	Tools      []ToolSpec
	ToolChoice string         // "" = auto; none, required, or the name of a tool
	Options    map[string]any // temperature, max_tokens, ...
	Thinking   string         // one of ThinkingLevels; "" = the provider's default
	Purpose    string         // one of Purposes
	Env        *event.Envelope
}

// Purposes are the purposes of requests; every request has one.
func Purposes() []string { return []string{"agent", "subagent", "compact", "script"} }

// ThinkingLevels are the amounts of thinking before a reply that a request can ask for.
func ThinkingLevels() []string { return []string{"off", "low", "medium", "high"} }

// Chunk is a piece of a streamed reply; exactly one field is set.
type Chunk struct {
	Text      string
	Reasoning string
	ToolCall  *ToolCallDelta
	Usage     *Usage
	Warning   string
	Source    *Source
	Own       []byte // JSON: ProviderData of the whole message; the last one applies
}

// Source is a source that a model's reply cites.
type Source struct{ Kind, ID, URL, Title string }

// ToolCallDelta is a piece of a tool call. Index is the index of the call in the reply. Only the
// first piece has ID and Name. ArgsDelta is a piece of the JSON text of the arguments.
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

// Server is a model server with an API that the program implements. A script registers it instead
// of a provider of its own.
type Server struct {
	Name    string  // of the provider
	Like    string  // its API, one of APIs
	BaseURL string  // "http://127.0.0.1:1234/v1"
	Key     string  // "" = none
	Models  []Model // the models that the script lists; none = the server is asked
	// List is Provider.List of the script; nil = the server is asked.
	List func(ctx context.Context) ([]Model, error)
}

// APIs are the APIs that a Server may speak.
func APIs() []string { return []string{"openai", "anthropic"} }

var usageFields = []value.Field{{Name: "input", Type: "integer"}, {Name: "output", Type: "integer"},
	{Name: "cache_read", Type: "integer"}, {Name: "cache_write", Type: "integer"}}

// UsageFields are the keys of usage: tokens.
func UsageFields() []value.Field { return slices.Clone(usageFields) }

// Value returns the usage as scripts read it.
func (u Usage) Value() map[string]any {
	return map[string]any{"input": u.Input, "output": u.Output, "cache_read": u.CacheRead,
		"cache_write": u.CacheWrite}
}

// Value returns the tool's description as scripts read it.
func (t ToolSpec) Value() map[string]any {
	return map[string]any{"name": t.Name, "description": t.Description, "schema": t.Schema,
		"kind": t.Kind, "read_only": t.ReadOnly, "source": t.Source}
}

// Price is in US dollars per million tokens.
type Price struct{ Input, Output, CacheRead, CacheWrite float64 }

// mostPrice is more than any model costs, and keeps sums finite.
const mostPrice = 1e9

// DecodePrice reads a price as users and scripts write it: {input, output, cache_read,
// cache_write}, numbers of at least 0. input and output are required. The default of cache_read and
// cache_write is input.
func DecodePrice(m map[string]any) (*Price, error) {
	var p Price
	for _, f := range []struct {
		key string
		at  *float64
		or  *float64 // the default; nil = required
	}{{"input", &p.Input, nil}, {"output", &p.Output, nil}, {"cache_read", &p.CacheRead, &p.Input},
		{"cache_write", &p.CacheWrite, &p.Input}} {
		n, ok := value.Number(m[f.key])
		switch {
		case !ok && f.or == nil:
			return nil, errors.New(f.key + " is missing")
		case !ok:
			n = *f.or
		case !(n >= 0 && n <= mostPrice): // NaN, too
			return nil, fmt.Errorf("%s: got %v, want 0 or more US dollars per million tokens",
				f.key, n)
		}
		*f.at = n
	}
	return &p, nil
}
