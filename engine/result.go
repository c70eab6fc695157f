// This file defines the result of a tool call, and parses results of scripts and of events.

package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// resultFields are the keys of a tool result.
var resultFields = []value.Field{
	{Name: "content", Type: "string|list",
		Doc: `the result for the model: text, or blocks {type = "text", text} and {type = ` +
			`"image", mime_type, data} (base64)`},
	{Name: "details", Type: "table?",
		Doc: "plain data for scripts and the session; the model does not see it"},
	{Name: "is_error", Type: "boolean?", Doc: "true: it failed"},
	{Name: "for_user", Type: "string?", Doc: "also shown to the user"},
	{Name: "silent", Type: "boolean?", Doc: "true: not shown"},
	{Name: "display", Type: "table?", Doc: "how to draw it", Fields: ui.DisplayFields()},
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

// Result is the result of a tool call.
type Result struct {
	Content []chat.Block   // what the model sees
	Details map[string]any // for scripts and the session file
	Display *ui.Display    // how it is drawn; nil = plain text
	ForUser string         // also shown to the user
	Silent  bool           // not shown
	IsError bool

	// Set by Dispatch.
	Tool string         // final name
	Args map[string]any // final arguments
	// why it did not run: "denied", "aborted", "steered", "unknown", "invalid"; "" if it ran or was
	// answered
	Skipped    string
	Source     string    // what decided: "guard", "mode", "user_once", ...
	AnsweredBy string    // the script that answered instead of the tool
	Contexts   []Context // texts for the model, after the batch
	Stop       string    // reason to stop after the batch; "" = go on
	Stopped    bool
	Abort      string // "prompt" or "agent": end at once
	AbortBy    string
	Verdict    *Verdict // of the guards and handlers, for Preview
	Trail      Trail
	DurationMS float64
}

// Context is a text that a script adds for the model, wrapped with the script's name.
type Context struct {
	Script string
	Text   string
}

// Wrap returns a script's context as it is sent to the model: a text cannot end its own wrapping.
func (c Context) Wrap() string {
	name := strings.NewReplacer(`"`, "", "<", "", ">", "").Replace(c.Script)
	return "<context from=\"" + name + "\">\n" + strings.ReplaceAll(c.Text, "</context>",
		"&lt;/context&gt;") + "\n</context>"
}

// TextResult is a result of one text block.
func TextResult(text string) *Result {
	return &Result{Content: chat.Text(text)}
}

// ErrorResult is a failed result of one text block.
func ErrorResult(text string) *Result {
	r := TextResult(text)
	r.IsError = true
	return r
}

// annotate tells the model how its arguments were converted.
func (d *dispatch) annotate(r *Result) {
	if len(d.notes) == 0 {
		return
	}
	text := "[" + strings.Join(d.notes, "; ") + "]"
	r.Content = slices.Clone(r.Content)
	if n := len(r.Content); n > 0 && r.Content[n-1].Type == "text" {
		r.Content[n-1].Text = strings.TrimSuffix(r.Content[n-1].Text, "\n") + "\n" + text
		return
	}
	r.Content = append(r.Content, chat.Block{Type: "text", Text: text})
}
