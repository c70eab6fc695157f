// Package chat holds the data that an agent and a model exchange: messages made of blocks, tool
// calls, requests and the pieces of a reply.
//
//	m := &chat.Message{Role: "user", Content: chat.Text("hello")}
//	list, err := chat.DecodeMessages(v) // what a script returned
//	text := chat.Transcript(list, 10_000)
//
// Messages are immutable. Scripts read them without a copy (value.Object), and messages that
// scripts return are checked. Matches of redactors are masked in a copy.
package chat

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

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
	Own       *ProviderData // of an assistant message; nil = its provider added nothing
}

// ProviderData is opaque data that a provider adds to a message and needs back unchanged: signed or
// encrypted reasoning. It is stored in the session file.
type ProviderData struct {
	Provider string // the name of the provider: no other one gets the data
	Data     []byte // JSON
}

// ToolUse is a tool call that a model asks for.
type ToolUse struct {
	ID   string
	Tool string
	Args map[string]any
}

// Kept is an Object or List that is not copied when a script returns it: a script that changes one
// of 10,000 messages copies one.
type Kept interface{ kept() }

// MessageList is a conversation as scripts read it: each message is converted at its first use.
type MessageList []*Message

func (l MessageList) kept() {}

// Len implements List.
func (l MessageList) Len() int { return len(l) }

// At implements List.
func (l MessageList) At(i int) any { return l[i] }

func (m *Message) kept() {}

// Get implements Object.
func (m *Message) Get(key string) (any, bool) {
	switch key {
	case "id":
		return m.ID, m.ID != ""
	case "role":
		return m.Role, true
	case "content":
		return BlockValues(m.Content), true
	case "reasoning":
		return m.Reasoning, m.Reasoning != ""
	case "tool_calls":
		return ToolUseValues(m.ToolCalls), len(m.ToolCalls) > 0
	case "call_id":
		return m.CallID, m.CallID != ""
	case "tool":
		return m.Tool, m.Tool != ""
	case "is_error":
		return m.IsError, m.IsError
	}
	return nil, false
}

var messageKeys = []string{"id", "role", "content", "reasoning", "tool_calls", "call_id", "tool",
	"is_error"}

// Keys implements Object.
func (m *Message) Keys() []string {
	keys := make([]string, 0, len(messageKeys))
	for _, k := range messageKeys {
		if has, _ := m.has(k); has {
			keys = append(keys, k)
		}
	}
	return keys
}

// has reports whether the message has key, without converting content and tool calls.
func (m *Message) has(key string) (has, known bool) {
	switch key {
	case "content":
		return true, true
	case "tool_calls":
		return len(m.ToolCalls) > 0, true
	}
	_, has = m.Get(key)
	return has, true
}

// ToolUseValues returns tool calls as scripts read them.
func ToolUseValues(uses []ToolUse) []any {
	calls := make([]any, len(uses))
	for i, c := range uses {
		calls[i] = map[string]any{"id": c.ID, "tool": c.Tool, "args": c.Args}
	}
	return calls
}

var toolUseField = value.Field{Type: "table", Fields: []value.Field{
	{Name: "id", Type: "string?", Verbatim: true}, {Name: "tool", Type: "string", Verbatim: true},
	{Name: "args", Type: "table?"}}}

// DecodeToolUses reads tool calls that a script returned. Ids may be missing. The error begins with
// ": " or "[i]".
func DecodeToolUses(v any) ([]ToolUse, error) {
	l, err := value.CheckType("list", v)
	if err != nil {
		return nil, fmt.Errorf(": %w", err)
	}
	uses := make([]ToolUse, len(l.([]any)))
	for i, x := range l.([]any) {
		c, err := value.Check(toolUseField, x)
		if err != nil {
			return nil, fmt.Errorf(
				"[%d]%w; a tool call is {id = \"...\", tool = \"...\", args = {...}}", i+1, err)
		}
		m := c.(map[string]any)
		if value.Text(m, "tool") == "" {
			return nil, fmt.Errorf("[%d].tool: got \"\", want the name of a tool", i+1)
		}
		uses[i] = ToolUse{ID: value.Text(m, "id"), Tool: value.Text(m, "tool"),
			Args: map[string]any{}}
		if args, ok := m["args"].(map[string]any); ok {
			uses[i].Args = args
		}
	}
	return uses, nil
}

var messageField = value.Field{Type: "table", Fields: []value.Field{{Name: "id", Type: "string?"},
	{Name: "role", Type: "string", Values: []string{"user", "assistant", "tool", "system"}},
	{Name: "content", Type: "string|list?", Fields: blockFields},
	{Name: "reasoning", Type: "string?"}, {Name: "tool_calls", Type: "list?",
		Fields: toolUseField.Fields}, {Name: "call_id", Type: "string?"},
	{Name: "tool", Type: "string?"},
	{Name: "is_error", Type: "boolean?"}}}

// DecodeMessages reads a list of messages that a script returned. Messages that the script did not
// change are not copied. The error begins with ": " or "[i]".
func DecodeMessages(v any) ([]*Message, error) {
	switch l := v.(type) {
	case MessageList:
		return l, nil
	case []any:
		out := make([]*Message, len(l))
		for i, x := range l {
			m, err := decodeMessage(x)
			if err != nil {
				return nil, fmt.Errorf("[%d]%w", i+1, err)
			}
			out[i] = m
		}
		return out, nil
	case map[string]any:
		if len(l) == 0 {
			return nil, nil
		}
	}
	return nil, fmt.Errorf(": got %s, want a list of messages", value.TypeName(v))
}

func decodeMessage(v any) (*Message, error) {
	if m, ok := v.(*Message); ok {
		return m, nil
	}
	c, err := value.Check(messageField, Plain(v))
	if err != nil {
		return nil, fmt.Errorf("%w; a message is {role = \"user\", content = \"...\"}", err)
	}
	t := c.(map[string]any)
	if err := CheckBlocks("content", t["content"]); err != nil {
		return nil, fmt.Errorf(".%w", err)
	}
	if err := value.CheckJSON(t); err != nil {
		return nil, err
	}
	m := &Message{ID: value.Text(t, "id"), Role: value.Text(t, "role"),
		Content:   DecodeBlocks(t["content"]),
		Reasoning: value.Text(t, "reasoning"),
		CallID:    value.Text(t, "call_id"), Tool: value.Text(t, "tool")}
	m.IsError, _ = t["is_error"].(bool)
	if t["tool_calls"] != nil {
		if m.ToolCalls, err = DecodeToolUses(t["tool_calls"]); err != nil {
			return nil, fmt.Errorf(".tool_calls%w", err)
		}
	}
	if m.Role == "tool" && m.CallID == "" {
		return nil, errors.New(
			".call_id: got nil, want the id of the call with this result")
	}
	if len(m.ToolCalls) > 0 && m.Role != "assistant" {
		return nil, fmt.Errorf(
			".tool_calls: only an assistant message has them, this one is role = %q", m.Role)
	}
	return m, nil
}

// Plain returns v with all Kept values in it converted to plain data.
func Plain(v any) any {
	if !holdsKept(v) {
		return v
	}
	p, err := value.Plain(v)
	if err != nil { // too deep: it was checked when it crossed
		return nil
	}
	return p
}

func holdsKept(v any) bool {
	switch v := v.(type) {
	case Kept:
		return true
	case []any:
		for _, e := range v {
			if holdsKept(e) {
				return true
			}
		}
	case map[string]any:
		for _, e := range v {
			if holdsKept(e) {
				return true
			}
		}
	}
	return false
}

// Reply is a script's reply in place of a model's.
type Reply struct {
	Text, Reasoning string
	ToolCalls       []ToolUse
}

var replyField = value.Field{Type: "table", Fields: []value.Field{{Name: "text", Type: "string?"},
	{Name: "reasoning", Type: "string?"}, {Name: "tool_calls", Type: "list?"}}}

// DecodeReply reads the response of a handler of llm_request: text, or {text, reasoning,
// tool_calls}.
func DecodeReply(v any) (*Reply, error) {
	if s, ok := v.(string); ok {
		return &Reply{Text: s}, nil
	}
	const like = `return text, or {text = "...", tool_calls = {{tool = "...", args = {...}}}}`
	c, err := value.Check(replyField, v)
	if err != nil {
		return nil, fmt.Errorf("a model's reply%w; %s", err, like)
	}
	m := c.(map[string]any)
	r := &Reply{Text: value.Text(m, "text"), Reasoning: value.Text(m, "reasoning")}
	if m["tool_calls"] != nil {
		if r.ToolCalls, err = DecodeToolUses(m["tool_calls"]); err != nil {
			return nil, fmt.Errorf("a model's reply.tool_calls%w", err)
		}
	}
	if m["text"] == nil && len(r.ToolCalls) == 0 {
		return nil, fmt.Errorf("a model's reply has neither text nor tool_calls; %s", like)
	}
	return r, nil
}

var toolSpecField = value.Field{Type: "table", Fields: []value.Field{
	{Name: "name", Type: "string", Verbatim: true}, {Name: "description", Type: "string?"},
	{Name: "schema", Type: "table?"},
	{Name: "kind", Type: "string?", Verbatim: true}, {Name: "read_only", Type: "boolean?"},
	{Name: "source", Type: "string?", Verbatim: true}}}

// DecodeToolSpecs reads the tools that a handler of llm_request offers to the model: names of tools
// of base, or descriptions. With base nil, names are not checked, and left out. The error begins
// with ": " or "[i]".
func DecodeToolSpecs(v any, base []ToolSpec) ([]ToolSpec, error) {
	l, err := value.CheckType("list", v)
	if err != nil {
		return nil, fmt.Errorf(": %w", err)
	}
	var names []string
	for _, t := range base {
		names = append(names, t.Name)
	}
	specs := make([]ToolSpec, 0, len(l.([]any)))
	for i, x := range l.([]any) {
		if name, ok := x.(string); ok {
			at := indexOf(names, name)
			switch {
			case at >= 0:
				specs = append(specs, base[at])
			case base != nil:
				return nil, fmt.Errorf("[%d]: unknown tool %q%s", i+1, name,
					suggest.DidYouMean(name, names))
			}
			continue
		}
		c, err := value.Check(toolSpecField, x)
		if err != nil {
			return nil, fmt.Errorf("[%d]%w; want a tool's name, or {name, description, schema}",
				i+1, err)
		}
		m := c.(map[string]any)
		t := ToolSpec{Name: value.Text(m, "name"), Description: value.Text(m, "description"),
			Kind: value.Text(m, "kind"), Source: value.Text(m, "source")}
		t.ReadOnly, _ = m["read_only"].(bool)
		if t.Schema, _ = m["schema"].(map[string]any); t.Schema == nil {
			t.Schema = map[string]any{"type": "object", "properties": map[string]any{}}
		}
		specs = append(specs, t)
	}
	return specs, nil
}

func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}

// SmallModel is the name of the cheap model of the configuration, allowed in place of a model's
// name.
const SmallModel = "small"

// CheckModelName checks that v is "provider/id" or SmallModel. The error begins with ": ".
func CheckModelName(v any) error {
	s, _ := v.(string)
	if s == SmallModel {
		return nil
	}
	if provider, _, ok := strings.Cut(s, "/"); !ok || provider == "" {
		return fmt.Errorf(": got %q, want \"provider/id\"", s)
	}
	return nil
}

// MessageFields are the keys of a message of a conversation.
func MessageFields() []value.Field { return slices.Clone(messageField.Fields) }

// BlockFields are the keys of a block of content.
func BlockFields() []value.Field { return slices.Clone(blockFields) }

// ToolUseFields are the keys of a tool call in a message.
func ToolUseFields() []value.Field { return slices.Clone(toolUseField.Fields) }

// ToolSpecFields are the keys of a tool's description for a model.
func ToolSpecFields() []value.Field { return slices.Clone(toolSpecField.Fields) }

var messageShape = value.TableShape("message", messageField.Fields)

// Shape implements Shaped.
func (m *Message) Shape() *value.Shape { return messageShape }

// MainText is the text that the filter match searches.
func (m *Message) MainText() string { return PlainText(m.Content) }
