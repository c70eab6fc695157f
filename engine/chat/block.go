// This file defines blocks of content: as scripts read them, and the checks of blocks that scripts
// return.

package chat

import (
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine/value"
)

// Block is a piece of content: text, or an image.
type Block struct {
	Type     string // "text" or "image"
	Text     string
	MimeType string
	Data     string // base64
}

// Text returns content of one block of text.
func Text(text string) []Block { return []Block{{Type: "text", Text: text}} }

// PlainText joins the text blocks of content.
func PlainText(content []Block) string {
	if len(content) == 1 && content[0].Type == "text" {
		return content[0].Text
	}
	var s string
	for _, b := range content {
		if b.Type == "text" {
			s += b.Text
		} else {
			s += "[" + b.Type + "]"
		}
	}
	return s
}

var blockFields = []value.Field{{Name: "type", Type: "string", Values: []string{"text", "image"},
	Verbatim: true}, {Name: "text", Type: "string?"},
	{Name: "mime_type", Type: "string?", Verbatim: true},
	{Name: "data", Type: "string?", Verbatim: true}}

// CheckBlocks checks the value that a script returned under key: "content" or "images". The error
// begins with key[i].
func CheckBlocks(key string, v any) error {
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

// DecodeBlocks turns a string or a checked list into blocks.
func DecodeBlocks(v any) []Block {
	switch v := v.(type) {
	case string:
		return Text(v)
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

// AsBlocks converts content that may be a string to a list of blocks.
func AsBlocks(v any) any {
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
