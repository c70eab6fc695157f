// This file keeps what only Anthropic's servers understand: signed thinking, and how the blocks of
// a message follow each other.

package llm

import (
	"encoding/json"
	"strings"

	"github.com/agentscripts/agent/engine/chat"
)

// ownBlock is a content block of a reply. Thinking is here word for word, as it must come back; of
// text there is the length, of tool calls the place: the message has them.
type ownBlock struct {
	Type      string `json:"type"`
	Size      int    `json:"size,omitempty"` // bytes of text
	Thinking  string `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"`
	Data      string `json:"data,omitempty"`

	index               wireNumber
	thinking, signature strings.Builder // as they come; encode takes them over
}

type ownBlocks []*ownBlock

// addBlock begins a block.
func (o *ownBlocks) addBlock(index wireNumber, kind wireText) *ownBlock {
	b := &ownBlock{Type: string(kind), index: index}
	*o = append(*o, b)
	return b
}

// at is the block with the index: the last one, mostly. One that never began is not kept.
func (o ownBlocks) at(index wireNumber) *ownBlock {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].index == index {
			return o[i]
		}
	}
	return &ownBlock{}
}

// encodeBlocks is what the session keeps: nil if there is no thinking that must come back.
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

// ownOf returns the blocks of a message that s has said, if they still fit it. What scripts or
// masks have changed must not be sent as signed: fits is then false, and nothing of it is left. If
// only the text is another, the thinking still holds, and stands first.
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
