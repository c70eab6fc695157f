// This file encodes a conversation for Anthropic's Messages API: user and assistant take turns, the
// user begins, and each tool call has its result in the next message.

package llm

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/chat"
)

// noResult replaces a missing result: the API refuses a conversation without one.
const noResult = "there is no result"

// conversation is a conversation under construction.
type conversation struct {
	s    server
	out  []messagesTurn
	open []string // calls of the last assistant message without a result yet
}

func messageParams(s server, messages []*chat.Message) []messagesTurn {
	if s.memo != nil {
		s.memo.beginRequest()
		defer s.memo.endRequest()
	}
	c := &conversation{s: s, out: make([]messagesTurn, 0, len(messages)+1)}
	for _, m := range messages {
		switch m.Role {
		case "assistant":
			c.assistant(m)
		case "tool":
			c.result(m)
		default:
			c.settleCalls()
			c.user(c.blocks(m, false,
				func() []*messagesBlock { return contentParams(m.Content) })...)
		}
	}
	c.settleCalls()
	return c.out
}

// blocks appends the blocks that write makes from a message; result means that it is the result of
// a call.
func (c *conversation) blocks(m *chat.Message, result bool,
	write func() []*messagesBlock) []*messagesBlock {
	blocks, _ := remember(c.s.memo, m, result, func() ([]*messagesBlock, error) {
		blocks := write()
		for _, b := range blocks {
			if json, err := encodeJSON(b); err == nil { // else the request reports it
				b.json = json
			}
		}
		return blocks, nil
	})
	return blocks
}

// user adds blocks to the user's turn.
func (c *conversation) user(blocks ...*messagesBlock) {
	c.addMessage("user", blocks)
}

func (c *conversation) addMessage(role string, blocks []*messagesBlock) {
	if len(blocks) == 0 {
		return
	}
	if n := len(c.out); n > 0 && c.out[n-1].Role == role {
		c.out[n-1].Content = append(c.out[n-1].Content, blocks...)
		return
	}
	if len(c.out) == 0 && role != "user" {
		c.user(textBlock("[the conversation begins here]"))
	}
	// Clip: the cached blocks must not be appended to
	c.out = append(c.out, messagesTurn{Role: role, Content: slices.Clip(blocks)})
}

// settleCalls gives every open call a result.
func (c *conversation) settleCalls() {
	for _, id := range c.open {
		c.user(&messagesBlock{Type: "tool_result", ToolUseID: id,
			Content: []*messagesBlock{textBlock(noResult)}, IsError: true})
	}
	c.open = c.open[:0]
}

func (c *conversation) assistant(m *chat.Message) {
	c.settleCalls()
	c.addMessage("assistant", c.blocks(m, false, func() []*messagesBlock { return c.said(m) }))
	for _, u := range m.ToolCalls {
		c.open = append(c.open, u.ID)
	}
}

// said returns the blocks of a message of the model.
func (c *conversation) said(m *chat.Message) (blocks []*messagesBlock) {
	own, ordered := ownOf(c.s, m)
	text, calls := chat.PlainText(m.Content), m.ToolCalls
	for _, b := range own {
		switch {
		case b.Type == "thinking" && b.Signature != "":
			blocks = append(blocks, &messagesBlock{Type: "thinking", Signature: b.Signature,
				Thinking: &b.Thinking})
		case b.Type == "redacted_thinking":
			blocks = append(blocks, &messagesBlock{Type: "redacted_thinking", Data: b.Data})
		case !ordered:
		case b.Type == "text":
			blocks = append(blocks, textParams(text[:b.Size])...)
			text = text[b.Size:]
		case b.Type == "tool_use":
			blocks, calls = append(blocks, callBlock(calls[0])), calls[1:]
		}
	}
	blocks = append(blocks, textParams(text)...)
	for _, u := range calls {
		blocks = append(blocks, callBlock(u))
	}
	return blocks
}

func callBlock(u chat.ToolUse) *messagesBlock {
	args := u.Args
	if args == nil {
		args = map[string]any{}
	}
	return &messagesBlock{Type: "tool_use", ID: u.ID, Name: u.Tool, Input: args}
}

// result adds the result of a call. A result without an open call becomes text, because the server
// would reject it.
func (c *conversation) result(m *chat.Message) {
	for i, id := range c.open {
		if id == m.CallID {
			c.open = slices.Delete(c.open, i, i+1)
			c.user(c.blocks(m, true, func() []*messagesBlock {
				return []*messagesBlock{{Type: "tool_result", ToolUseID: id,
					Content: contentParams(m.Content), IsError: m.IsError}}
			})...)
			return
		}
	}
	c.settleCalls()
	c.user(c.blocks(m, false, func() []*messagesBlock { return contentParams(m.Content) })...)
}

func textBlock(text string) *messagesBlock { return &messagesBlock{Type: "text", Text: text} }

// textParams returns a text block; none if there is no visible character, which the API refuses.
func textParams(text string) []*messagesBlock {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []*messagesBlock{textBlock(strings.ToValidUTF8(text, "\uFFFD"))}
}

func contentParams(content []chat.Block) (out []*messagesBlock) {
	for _, b := range content {
		if b.Type == "image" {
			out = append(out, &messagesBlock{Type: "image",
				Source: &imageSource{Type: "base64", MediaType: b.MimeType, Data: b.Data}})
			continue
		}
		out = append(out, textParams(b.Text)...)
	}
	return out
}
