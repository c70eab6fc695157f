// This file reads what a tool, or a respond, returned: text, or a tool result.
package engine

import "fmt"

// resultFields are the keys of a tool result. Source: EVENTS, "Types".
var resultFields = []Field{
	{Name: "content", Type: "string|list"},
	{Name: "details", Type: "table?"},
	{Name: "is_error", Type: "boolean?"},
	{Name: "for_user", Type: "string?"},
	{Name: "silent", Type: "boolean?"},
	{Name: "display", Type: "table?", Fields: []Field{
		{Name: "title", Type: "string?"},
		{Name: "kind", Type: "string?", Values: []string{"text", "markdown", "diff", "code"}},
		{Name: "lang", Type: "string?"},
		{Name: "text", Type: "string?"},
	}},
}

// DecodeResult reads a script's tool result: nil is an empty text, a string or number is the text, a table
// has the keys of a tool result.
func DecodeResult(v any) (*Result, error) {
	switch v := v.(type) {
	case nil:
		return TextResult(""), nil
	case string:
		return TextResult(v), nil
	case float64, bool:
		return TextResult(fmt.Sprint(v)), nil
	}
	c, err := checkValue(Field{Type: "table", Fields: resultFields}, v)
	if err != nil {
		return nil, fmt.Errorf("tool result%w; return text, or a table such as {content = \"...\"}", err)
	}
	m := c.(map[string]any)
	if err := checkBlocks(m["content"]); err != nil {
		return nil, err
	}
	r := &Result{Content: toBlocks(m["content"]), ForUser: Text(m, "for_user")}
	r.Details, _ = m["details"].(map[string]any)
	r.IsError, _ = m["is_error"].(bool)
	r.Silent, _ = m["silent"].(bool)
	if d, ok := m["display"].(map[string]any); ok {
		r.Display = &Display{Title: Text(d, "title"), Kind: Text(d, "kind"), Lang: Text(d, "lang"), Text: Text(d, "text")}
	}
	return r, nil
}

var blockFields = []Field{{Name: "type", Type: "string", Values: []string{"text", "image"}}, {Name: "text", Type: "string?"},
	{Name: "mime_type", Type: "string?"}, {Name: "data", Type: "string?"}}

func checkBlocks(v any) error {
	l, ok := v.([]any)
	if !ok {
		return nil
	}
	for i, b := range l {
		if _, err := checkValue(Field{Type: "table", Fields: blockFields}, b); err != nil {
			return fmt.Errorf("content[%d]%w; a block is {type = \"text\", text = \"...\"}", i+1, err)
		}
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
				blocks = append(blocks, Block{Text(m, "type"), Text(m, "text"), Text(m, "mime_type"), Text(m, "data")})
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
	for k, v := range map[string]string{"title": d.Title, "kind": d.Kind, "lang": d.Lang, "text": d.Text} {
		if v != "" {
			m[k] = v
		}
	}
	return m
}
