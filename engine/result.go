// This file parses the result of a tool, or a respond: text, or a tool result.

package engine

import (
	"fmt"
	"slices"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// resultFields are the keys of a tool result.
var resultFields = []value.Field{
	{Name: "content", Type: "string|list",
		Doc: `what the model gets: text, or blocks {type = "text", text} and {type = "image", ` +
			`mime_type, data} (base64)`},
	{Name: "details", Type: "table?",
		Doc: "plain data for scripts and the session; the model does not see it"},
	{Name: "is_error", Type: "boolean?", Doc: "true: it failed"},
	{Name: "for_user", Type: "string?", Doc: "shown to the user besides"},
	{Name: "silent", Type: "boolean?", Doc: "true: not shown"},
	{Name: "display", Type: "table?", Doc: "how it is drawn", Fields: ui.DisplayFields()},
}

// resultShape is the shape of results for handlers of tool_result and renderers.
var resultShape = value.TableShape("result", resultFields[:3]) // content, details, is_error

// ResultFields are the keys of a tool result.
func ResultFields() []value.Field { return slices.Clone(resultFields) }

// DecodeResult reads a script's tool result: nil is an empty text, a string, number or boolean is
// the text, a table has the keys of a tool result.
func DecodeResult(v any) (*Result, error) {
	switch v := v.(type) {
	case nil:
		return TextResult(""), nil
	case string:
		if err := value.CheckSize(v); err != nil {
			return nil, fmt.Errorf("tool result: %w", err)
		}
		return TextResult(v), nil
	case float64:
		return TextResult(value.NumberText(v)), nil
	case bool:
		return TextResult(fmt.Sprint(v)), nil
	}
	c, err := value.Check(value.Field{Type: "table", Fields: resultFields}, v)
	if err != nil {
		return nil, fmt.Errorf("tool result%w; return text, or a table such as {content = \"...\"}",
			err)
	}
	m := c.(map[string]any)
	if err := chat.CheckBlocks("content", m["content"]); err != nil {
		return nil, err
	}
	if err := value.CheckJSON(m["details"]); err != nil {
		return nil, fmt.Errorf("tool result.details%w", err)
	}
	if err := value.CheckSize(m); err != nil {
		return nil, fmt.Errorf("tool result: %w", err)
	}
	r := &Result{Content: chat.DecodeBlocks(m["content"]), ForUser: value.Text(m, "for_user")}
	r.Details, _ = m["details"].(map[string]any)
	r.IsError, _ = m["is_error"].(bool)
	r.Silent, _ = m["silent"].(bool)
	if d, ok := m["display"].(map[string]any); ok {
		r.Display = &ui.Display{Title: value.Text(d, "title"), Kind: value.Text(d, "kind"),
			Lang: value.Text(d, "lang"),
			Text: value.Text(d, "text")}
	}
	return r, nil
}
