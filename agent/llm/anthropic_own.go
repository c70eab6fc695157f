// This file keeps data that only Anthropic's servers understand: signed thinking, and the order of
// a message's blocks.

package llm

import (
	"encoding/json"
	"strings"

	"github.com/agentscripts/agent/engine/chat"
)

// ownBlock is a content block of a reply. It holds thinking verbatim, because it must be sent back
// verbatim; of text it holds the length and of tool calls the position, because the message has
// them.
type ownBlock struct {
	Type      string `json:"type"`
	Size      int    `json:"size,omitempty"` // bytes of text
	Thinking  string `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"`
	Data      string `json:"data,omitempty"`

	index               wireNumber
	thinking, signature strings.Builder // the pieces so far; encodeBlocks joins them
}

type ownBlocks []*ownBlock

// addBlock begins a block.
func (o *ownBlocks) addBlock(index wireNumber, kind wireText) *ownBlock {
	b := &ownBlock{Type: string(kind), index: index}
	*o = append(*o, b)
	return b
}

// at returns the block with the index, usually the last one. An unknown block is not kept.
func (o ownBlocks) at(index wireNumber) *ownBlock {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].index == index {
			return o[i]
		}
	}
	return &ownBlock{}
}

// encodeBlocks returns the data that the session keeps: nil if there is no thinking to send back.
func (o ownBlocks) encodeBlocks() []byte {
	matters := false
	for _, b := range o {
		b.Thinking, b.Signature = b.thinking.String(), b.signature.String()
		matters = matters || b.Type == "thinking" && b.Signature != "" ||
			b.Type == "redacted_thinking"
	}
	if !matters {
		return nil
	}
	j, _ := json.Marshal(o) // strings and numbers: it cannot fail
	return j
}

// ownOf returns the blocks of a message that s has sent, if they still match it. Content that
// scripts or masks have changed must not be sent as signed: then there are no blocks. If only the
// text has changed, the thinking is still valid and precedes the rest; ordered is false.
func ownOf(s server, m *chat.Message) (blocks ownBlocks, ordered bool) {
	if m.Own == nil || m.Own.Provider != s.name || json.Unmarshal(m.Own.Data, &blocks) != nil {
		return nil, false
	}
	thought, size, calls := "", 0, 0
	for _, b := range blocks {
		if b == nil {
			return nil, false
		}
		thought, size = thought+b.Thinking, size+max(b.Size, 0)
		if b.Type == "tool_use" {
			calls++
		}
	}
	if thought != m.Reasoning {
		return nil, false
	}
	return blocks, size == len(chat.PlainText(m.Content)) && calls == len(m.ToolCalls)
}
