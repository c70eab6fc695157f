// This file defines the frames of the protocol: one JSON object per line.

package zot

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"github.com/agentscripts/agent/engine/value"
)

// frame is what a program sends: the fields of all kinds of frames.
type frame struct {
	Type string `json:"type"`
	ID   string `json:"id"`

	// cause is the context of a call_tool: see peer.Questions.Cause. circle is set if it is one.
	cause  context.Context
	circle error

	wrong error // why it is not understood; the fields that are have been set

	// hello, register_command, register_tool
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Exposure    string          `json:"exposure"`
	Deferred    bool            `json:"deferred"`
	Interactive bool            `json:"interactive"`

	// subscribe
	Events    []string `json:"events"`
	Intercept []string `json:"intercept"`

	// event_intercept_response
	Block        bool            `json:"block"`
	Reason       string          `json:"reason"`
	ModifiedArgs json.RawMessage `json:"modified_args"`
	ReplaceText  string          `json:"replace_text"`
	SystemPrompt *string         `json:"system_prompt"` // nil = as it is

	// tool_result
	Content    []block         `json:"content"`
	IsError    bool            `json:"is_error"`
	Activate   []string        `json:"activate_tools"` // names of deferred tools
	Structured json.RawMessage `json:"structured_content"`

	// command_response
	Action    string     `json:"action"`
	Prompt    string     `json:"prompt"`
	Insert    string     `json:"insert"`
	Display   string     `json:"display"`
	OpenPanel *panelSpec `json:"open_panel"`
	Error     string     `json:"error"`

	// call_tool
	Args     json.RawMessage `json:"args"`
	ParentID string          `json:"parent_id"` // of the call by the agent that it serves

	Panel *panelSpec `json:"panel"` // open_panel

	// panel_render, panel_close
	PanelID string   `json:"panel_id"`
	Title   string   `json:"title"`
	Lines   []string `json:"lines"`
	Footer  string   `json:"footer"`

	// notify, submit
	Level   string `json:"level"`
	Message string `json:"message"`
	Text    string `json:"text"`
}

type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	MimeType string `json:"mime_type"`
	Data     string `json:"data"`
}

type panelSpec struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Lines  []string `json:"lines"`
	Footer string   `json:"footer"`
}

// message is a frame for the program.
type message map[string]any

// encode returns the line of a frame.
func (m message) encode() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	next := "{"
	for key, v := range m {
		plain, err := value.Plain(v)
		if err != nil {
			return nil, err
		}
		out.WriteString(next + strconv.Quote(key) + ":")
		if err := enc.Encode(plain); err != nil {
			return nil, err
		}
		out.Truncate(out.Len() - len("\n"))
		next = ","
	}
	out.WriteString("}\n")
	return out.Bytes(), nil
}

// table decodes a JSON object; nil if it is none.
func table(raw json.RawMessage) map[string]any {
	var m map[string]any
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// result returns a tool's result as a script returns it.
func (f *frame) result() map[string]any {
	blocks := make([]any, 0, len(f.Content))
	for _, b := range f.Content {
		switch b.Type {
		case "image":
			blocks = append(blocks, map[string]any{"type": "image", "mime_type": b.MimeType,
				"data": b.Data})
		case "text":
			blocks = append(blocks, map[string]any{"type": "text", "text": b.Text})
		default:
			blocks = append(blocks, map[string]any{"type": "text",
				"text": "(the extension returned a block of the unknown type " + b.Type + ")"})
		}
	}
	if len(blocks) == 0 {
		blocks = append(blocks, map[string]any{"type": "text",
			"text": "(the extension returned no content)"})
	}
	r := map[string]any{"content": blocks, "is_error": f.IsError}
	var structured any
	if json.Unmarshal(f.Structured, &structured) == nil && structured != nil {
		r["details"] = map[string]any{"structured_content": structured}
	}
	return r
}
