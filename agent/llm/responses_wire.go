// This file declares the fields of OpenAI's responses API that the program reads or writes. Source:
// OpenAI's API reference, "Responses".

package llm

import (
	"bytes"
	"encoding/json"
)

// responsesEvent is an event of a reply.
type responsesEvent struct {
	Type         json.RawMessage `json:"type"`
	Delta        wireText        `json:"delta"`
	OutputIndex  *wireNumber     `json:"output_index"`
	SummaryIndex wireNumber      `json:"summary_index"`
	ContentIndex wireNumber      `json:"content_index"`
	Text         wireText        `json:"text"`
	Refusal      wireText        `json:"refusal"`
	Item         responsesItem   `json:"item"`
	Response     responsesReply  `json:"response"`
}

// at returns the position in the output that the event is about; 0 if it has none.
func (e *responsesEvent) at() wireNumber {
	if e.OutputIndex == nil {
		return 0
	}
	return *e.OutputIndex
}

// responsesReply is the whole reply, as in the last event.
type responsesReply struct {
	Error      json.RawMessage         `json:"error"`
	Output     wireList[responsesItem] `json:"output"`
	Usage      *responsesUsage         `json:"usage"`
	Incomplete struct {
		Reason wireText `json:"reason"`
	} `json:"incomplete_details"`
}

type responsesUsage struct {
	Input   wireNumber `json:"input_tokens"`
	Output  wireNumber `json:"output_tokens"`
	Details struct {
		Cached  wireNumber `json:"cached_tokens"`
		Written wireNumber `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
}

// responsesItem is an item of the output: a message, a function call or reasoning.
type responsesItem struct {
	Type      wireText                    `json:"type"`
	ID        wireText                    `json:"id"`
	CallID    wireText                    `json:"call_id"`
	Name      wireText                    `json:"name"`
	Arguments json.RawMessage             `json:"arguments"`
	Encrypted wireText                    `json:"encrypted_content"`
	Content   wireList[responsesTextPart] `json:"content"`
	Summary   wireList[responsesTextPart] `json:"summary"`
}

// arguments returns the arguments of a call: a JSON text, or the text of a JSON value.
func (i *responsesItem) arguments() string {
	if bytes.HasPrefix(i.Arguments, []byte("{")) {
		return string(i.Arguments)
	}
	text, _ := quotedText(i.Arguments)
	return text
}

type responsesTextPart struct {
	Text    wireText `json:"text"`
	Refusal wireText `json:"refusal"`
}

// responsesRequest is a request without its input, which is a list of responsesMessage,
// responsesCall, responsesCallOutput and responsesThought, and its tools, a list of responsesTool.
// The options have the API's names.
type responsesRequest struct {
	Model        string `json:"model"`
	Instructions string `json:"instructions,omitempty"`
	// "none", "required" or a responsesChosenTool
	ToolChoice any                 `json:"tool_choice,omitempty"`
	Include    []string            `json:"include,omitempty"`
	Reasoning  *responsesReasoning `json:"reasoning,omitempty"`
	Store      bool                `json:"store"`
	Stream     bool                `json:"stream"`
}

type responsesTool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  map[string]any `json:"parameters"`
	Strict      bool           `json:"strict"`
}

type responsesChosenTool struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// responsesReasoning says how much the model reasons, and which part it returns.
type responsesReasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

type responsesMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // a string or a []responsesPart
}

// responsesPart is a text or an image.
type responsesPart struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
	Detail   string `json:"detail,omitempty"`
}

type responsesCall struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type responsesCallOutput struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output any    `json:"output"` // a string or a []responsesPart
}

// responsesThought is reasoning of an earlier turn.
type responsesThought struct {
	Type      string         `json:"type"`
	ID        string         `json:"id"`
	Summary   []responsesSay `json:"summary"` // never null
	Content   []responsesSay `json:"content,omitempty"`
	Encrypted string         `json:"encrypted_content,omitempty"`
}

type responsesSay struct {
	Type string `json:"type"`
	Text string `json:"text"`
}
