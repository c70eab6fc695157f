// This file declares the fields of Anthropic's Messages API that the program reads or writes.
// Source: Anthropic's API reference, "Messages", "Streaming Messages" and "List Models".

package llm

import (
	"encoding/json"

	"github.com/agentscripts/agent/engine/chat"
)

// anthropicVersion is the version of the API that every request names.
const anthropicVersion = "2023-06-01"

// messagesEvent is an event of a reply.
type messagesEvent struct {
	Type    wireText      `json:"type"`
	Index   wireNumber    `json:"index"`
	Delta   messagesDelta `json:"delta"`
	Block   messagesBegun `json:"content_block"`
	Usage   messagesUsage `json:"usage"`
	Message struct {
		Usage messagesUsage `json:"usage"`
	} `json:"message"`
}

// messagesDelta is a piece of a block, or the data at the end of a message.
type messagesDelta struct {
	Type        wireText `json:"type"`
	Text        wireText `json:"text"`
	Thinking    wireText `json:"thinking"`
	Signature   wireText `json:"signature"`
	PartialJSON wireText `json:"partial_json"`
	StopReason  wireText `json:"stop_reason"`
}

// messagesBegun is the beginning of a block.
type messagesBegun struct {
	Type      wireText        `json:"type"`
	Text      wireText        `json:"text"`
	Thinking  wireText        `json:"thinking"`
	Signature wireText        `json:"signature"`
	Data      wireText        `json:"data"`
	ID        wireText        `json:"id"`
	Name      wireText        `json:"name"`
	Input     json.RawMessage `json:"input"`
}

type messagesUsage struct {
	Input      wireNumber `json:"input_tokens"`
	Output     wireNumber `json:"output_tokens"`
	CacheRead  wireNumber `json:"cache_read_input_tokens"`
	CacheWrite wireNumber `json:"cache_creation_input_tokens"`
}

// modelsPage is the list of models.
type modelsPage struct {
	Data wireList[struct {
		ID        wireText   `json:"id"`
		MaxInput  wireNumber `json:"max_input_tokens"`
		MaxOutput wireNumber `json:"max_tokens"`
		Can       struct {
			Thinking modelCan `json:"thinking"`
			Images   modelCan `json:"image_input"`
		} `json:"capabilities"`
	}] `json:"data"`
}

type modelCan struct {
	Supported bool `json:"supported"`
}

// messagesRequest is a request.
type messagesRequest struct {
	Model        string            `json:"model"`
	MaxTokens    int64             `json:"max_tokens"`
	System       []*messagesBlock  `json:"system,omitempty"`
	Messages     []messagesTurn    `json:"-"` // written by encodeRequest
	Tools        []chat.ToolSpec   `json:"-"` // the same
	ToolsMark    *cacheControl     `json:"-"` // of the last tool
	ToolChoice   *messagesChoice   `json:"tool_choice,omitempty"`
	Thinking     *messagesThinking `json:"thinking,omitempty"`
	OutputConfig *messagesOutput   `json:"output_config,omitempty"`
	Temperature  *float64          `json:"temperature,omitempty"`
	TopP         *float64          `json:"top_p,omitempty"`
	TopK         *int64            `json:"top_k,omitempty"`
	Stop         []string          `json:"stop_sequences,omitempty"`
	ServiceTier  string            `json:"service_tier,omitempty"`
	Stream       bool              `json:"stream"`

	memo *memo // of what was encoded before; nil = none
}

// piecesOfTurn is how many pieces of JSON a message usually has: a comma, its beginning and end,
// two blocks and the comma between them.
const piecesOfTurn = 6

// encodeRequest encodes p as JSON.
func (p *messagesRequest) encodeRequest() ([]byte, error) {
	pieces := make([][]byte, 0, piecesOfTurn*len(p.Messages))
	for i := range p.Messages {
		if i > 0 {
			pieces = append(pieces, jsonComma)
		}
		var err error
		if pieces, err = p.Messages[i].appendTurn(pieces); err != nil {
			return nil, err
		}
	}
	tools, err := p.encodeTools()
	if err != nil {
		return nil, err
	}
	object, err := encodeJSON(p)
	return withPieces(withList(object, "tools", tools), "messages", pieces), err
}

// encodeTools encodes the tools of p, a list of messagesTool.
func (p *messagesRequest) encodeTools() ([][]byte, error) {
	tools, err := p.memo.encodeTools(p.Tools,
		func(t chat.ToolSpec) any { return toolParam(t) })
	if err != nil || len(tools) == 0 || p.ToolsMark == nil {
		return tools, err
	}
	last := len(tools) - 1
	tools[last], err = encodeWith(json.RawMessage(tools[last]),
		map[string]any{"cache_control": p.ToolsMark})
	return tools, err
}

// messagesTurn is a message.
type messagesTurn struct {
	Role    string
	Content []*messagesBlock
}

// The pieces of a message besides its blocks.
var (
	jsonComma = []byte(",")
	userTurn  = []byte(`{"role":"user","content":[`)
	modelTurn = []byte(`{"role":"assistant","content":[`)
	turnEnd   = []byte("]}")
)

// appendTurn appends the pieces of the message's JSON.
func (t *messagesTurn) appendTurn(pieces [][]byte) ([][]byte, error) {
	begin := userTurn
	if t.Role == "assistant" {
		begin = modelTurn
	}
	pieces = append(pieces, begin)
	for i, b := range t.Content {
		if i > 0 {
			pieces = append(pieces, jsonComma)
		}
		json := b.json
		if json == nil || b.CacheControl != nil {
			var err error
			if json, err = encodeJSON(b); err != nil {
				return nil, err
			}
		}
		pieces = append(pieces, json)
	}
	return append(pieces, turnEnd), nil
}

// messagesBlock is a text, an image, a tool call, a call's result, or thinking.
type messagesBlock struct {
	CacheControl *cacheControl    `json:"cache_control,omitempty"`
	Content      []*messagesBlock `json:"content,omitempty"` // of a result
	Data         string           `json:"data,omitempty"`    // of redacted thinking
	ID           string           `json:"id,omitempty"`      // of a call
	// of a call: an object, possibly empty
	Input     any          `json:"input,omitempty"`
	IsError   bool         `json:"is_error,omitempty"`
	Name      string       `json:"name,omitempty"`
	Signature string       `json:"signature,omitempty"`
	Source    *imageSource `json:"source,omitempty"`
	Text      string       `json:"text,omitempty"`
	Thinking  *string      `json:"thinking,omitempty"`    // possibly empty
	ToolUseID string       `json:"tool_use_id,omitempty"` // of a result
	Type      string       `json:"type"`

	json []byte // the cached encoding of the block without its mark
}

type cacheControl struct {
	Type string `json:"type"`
}

type imageSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

type messagesTool struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	InputSchema map[string]any `json:"input_schema"`
}

type messagesChoice struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

type messagesThinking struct {
	Type    string `json:"type"`
	Budget  int64  `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

type messagesOutput struct {
	Effort string `json:"effort"`
}
