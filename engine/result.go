// This file reads what a tool, or a respond, returned: text, or a tool result.

package engine

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

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
	{Name: "display", Type: "table?", Doc: "how it is drawn", Fields: displayFields},
}

var displayFields = []value.Field{
	{Name: "title", Type: "string?"},
	{Name: "kind", Type: "string?", Values: []string{"text", "markdown", "diff", "code"},
		Verbatim: true},
	{Name: "lang", Type: "string?", Doc: "of code: go, js, ...", Verbatim: true},
	{Name: "text", Type: "string?", Doc: "what is drawn; absent: the content"},
}

// DisplayFields are the keys of display.
func DisplayFields() []value.Field { return slices.Clone(displayFields) }

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
	if err := checkBlocks("content", m["content"]); err != nil {
		return nil, err
	}
	if err := value.CheckJSON(m["details"]); err != nil {
		return nil, fmt.Errorf("tool result.details%w", err)
	}
	if err := value.CheckSize(m); err != nil {
		return nil, fmt.Errorf("tool result: %w", err)
	}
	r := &Result{Content: toBlocks(m["content"]), ForUser: value.Text(m, "for_user")}
	r.Details, _ = m["details"].(map[string]any)
	r.IsError, _ = m["is_error"].(bool)
	r.Silent, _ = m["silent"].(bool)
	if d, ok := m["display"].(map[string]any); ok {
		r.Display = &Display{Title: value.Text(d, "title"), Kind: value.Text(d, "kind"),
			Lang: value.Text(d, "lang"),
			Text: value.Text(d, "text")}
	}
	return r, nil
}

var blockFields = []value.Field{{Name: "type", Type: "string", Values: []string{"text", "image"},
	Verbatim: true}, {Name: "text", Type: "string?"},
	{Name: "mime_type", Type: "string?", Verbatim: true},
	{Name: "data", Type: "string?", Verbatim: true}}

// checkBlocks checks what is returned under key: content, or images.
func checkBlocks(key string, v any) error {
	l, ok := v.([]any)
	if !ok {
		return nil
	}
	like := `{type = "text", text = "..."}`
	if key == "images" {
		like = `{type = "image", mime_type = "image/png", data = "..."}`
	}
	for i, b := range l {
		if err := checkBlock(b, key == "images"); err != nil {
			return fmt.Errorf("%s[%d]%w; a block is %s", key, i+1, err, like)
		}
	}
	return nil
}

func checkBlock(b any, image bool) error {
	v, err := value.Check(value.Field{Type: "table", Fields: blockFields}, b)
	if err != nil {
		return err
	}
	m := v.(map[string]any)
	needs := []string{"mime_type", "data"}
	switch isText := m["type"] == "text"; {
	case isText && image:
		return errors.New(`.type: got "text", want "image"`)
	case isText:
		needs = []string{"text"}
	}
	for _, k := range needs {
		if m[k] == nil {
			return value.KeyError(k, errors.New(": got nil, want string"))
		}
	}
	if _, err := base64.StdEncoding.DecodeString(value.Text(m, "data")); err != nil &&
		m["type"] == "image" {
		return value.KeyError("data", errors.New(": got text that is not base64"))
	}
	return nil
}

// toBlocks turns a string or a checked list into blocks.
func toBlocks(v any) []Block {
	switch v := v.(type) {
	case string:
		return []Block{{Type: "text", Text: v}}
	case []any:
		blocks := make([]Block, 0, len(v))
		for _, b := range v {
			if m, ok := b.(map[string]any); ok {
				blocks = append(blocks, Block{value.Text(m, "type"), value.Text(m, "text"),
					value.Text(m, "mime_type"), value.Text(m, "data")})
			}
		}
		return blocks
	}
	return nil
}

// blocksOf makes content a list of blocks, which it always is when it is read.
func blocksOf(v any) any {
	if s, ok := v.(string); ok {
		return []any{map[string]any{"type": "text", "text": s}}
	}
	return v
}

// BlockValues returns blocks as scripts read them.
func BlockValues(blocks []Block) []any {
	l := make([]any, len(blocks))
	for i, b := range blocks {
		m := map[string]any{"type": b.Type}
		if b.Type == "text" {
			m["text"] = b.Text
		} else {
			m["mime_type"], m["data"] = b.MimeType, b.Data
		}
		l[i] = m
	}
	return l
}

// value returns d as scripts and front ends read it.
func (d *Display) value() map[string]any {
	m := map[string]any{}
	for k, v := range map[string]string{"title": d.Title, "kind": d.Kind, "lang": d.Lang,
		"text": d.Text} {
		if v != "" {
			m[k] = v
		}
	}
	return m
}
