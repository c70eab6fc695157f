// This file masks secrets in messages.

package chat

import "github.com/agentscripts/agent/engine/redact"

// Masked returns msg with secrets masked, to be sent to a model or stored: msg itself if it has
// none. See redact.Mask for where it must not be called.
func (msg *Message) Masked(k *redact.Mask) *Message {
	m := k.Look()
	if m == nil || msg == nil {
		return msg
	}
	return msg.maskedBy(m)
}

// MaskBlocks returns content with secrets masked: content itself if it has none.
func MaskBlocks(k *redact.Mask, content []Block) []Block {
	m := k.Look()
	if m == nil {
		return content
	}
	return BlocksMaskedBy(m, content)
}

// MaskedBy implements redact.Maskable.
func (msg *Message) MaskedBy(m *redact.Look) (any, bool) {
	c := msg.maskedBy(m)
	return c, c != msg
}

func (msg *Message) maskedBy(m *redact.Look) *Message {
	c := *msg
	changed := false
	if blocks := BlocksMaskedBy(m, msg.Content); len(blocks) > 0 && &blocks[0] != &msg.Content[0] {
		c.Content, changed = blocks, true
	}
	if c.Reasoning = m.Text(msg.Reasoning); c.Reasoning != msg.Reasoning {
		c.Own, changed = nil, true // the provider's copy holds the secret
	}
	for i, u := range msg.ToolCalls {
		args, other := m.Masked(u.Args, nil)
		if !other {
			continue
		}
		if &c.ToolCalls[0] == &msg.ToolCalls[0] {
			c.ToolCalls = append([]ToolUse(nil), msg.ToolCalls...)
		}
		c.ToolCalls[i].Args, _ = args.(map[string]any)
		changed = true
	}
	if !changed {
		return msg
	}
	return &c
}

// BlocksMaskedBy is MaskBlocks with a given Look.
func BlocksMaskedBy(m *redact.Look, content []Block) []Block {
	out := content
	for i, b := range content {
		s := m.Text(b.Text)
		if s == b.Text {
			continue
		}
		if &out[0] == &content[0] {
			out = append([]Block(nil), content...)
		}
		out[i].Text = s
	}
	return out
}
