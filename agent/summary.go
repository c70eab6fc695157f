// This file has a model summarise a conversation.
package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
)

const (
	// resultBytes is how much of a tool's result, or of a call's arguments, is summarised: what mattered of it the
	// model has said.
	resultBytes = 2000
	// transcriptPercent is how much of the model's context the text to be summarised may fill.
	transcriptPercent = 60
	// transcriptUnknown is the same in bytes, for a model whose context is not known.
	transcriptUnknown = 400_000
)

const summarySystem = `You summarise the conversation between a user and a coding agent, so that the agent can go on with the work when it has forgotten the conversation. You do not go on with the conversation, and you do not answer questions in it. You write the summary and nothing else.`

const summaryTask = `Write a summary of the conversation above, with these headings; leave out a heading that has nothing below it:

## Goal
What the user wants, in the user's own words where they matter.
## Rules
What the user or the project demands of how it is done.
## Done
What was done and found out, with the exact paths, names, commands and error messages.
## Open
What is under way, what does not work yet, what was decided and why.
## Next
The next steps, in order.`

// summarise asks a model.
func (c *compaction) summarise(ctx context.Context, instructions string) (string, error) {
	limit := transcriptUnknown
	if c.model.Context > 0 {
		limit = c.model.Context * transcriptPercent / 100 * bytesPerToken
	}
	var b strings.Builder
	if c.previous != "" {
		fmt.Fprintf(&b, "<summary>\n%s\n</summary>\nThe conversation went on from there; the new summary takes over of this one what still matters.\n\n", c.previous)
	}
	b.WriteString("<conversation>\n" + transcript(c.dropped(), limit) + "</conversation>\n\n" + summaryTask)
	if instructions = strings.TrimSpace(instructions); instructions != "" {
		b.WriteString("\n\nIn particular: " + instructions)
	}
	r, err := c.a.request(ctx, &ask{purpose: "compact", system: summarySystem,
		messages: []*engine.Message{{Role: "user", Content: engine.TextResult(b.String()).Content}}})
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(r.said), nil
}

// transcript is messages as text of at most so many bytes: results are cut, then the middle is left out.
func transcript(messages []*engine.Message, most int) string {
	parts, size := make([]string, len(messages)), 0
	for i, m := range messages {
		parts[i] = said(m)
		size += len(parts[i])
	}
	if size <= most {
		return strings.Join(parts, "")
	}
	// The beginning says what it is about; the end is what the work goes on from.
	head, tail := 0, len(parts)
	for left := most / 4; head < tail && len(parts[head]) <= left; head++ {
		left -= len(parts[head])
		most -= len(parts[head])
	}
	for ; tail > head && len(parts[tail-1]) <= most; tail-- {
		most -= len(parts[tail-1])
	}
	cut := fmt.Sprintf("[%d messages are left out here]\n\n", tail-head)
	if tail == len(parts) && tail > head { // even the last one is too long
		tail--
		parts[tail] = clipMiddle(parts[tail], max(most, resultBytes)) + "\n\n"
		cut = fmt.Sprintf("[%d messages are left out here]\n\n", tail-head)
	}
	return strings.Join(parts[:head], "") + cut + strings.Join(parts[tail:], "")
}

// said is a message in a transcript.
func said(m *engine.Message) string {
	text := engine.PlainText(m.Content)
	if m.Role == "tool" {
		state := ""
		if m.IsError {
			state = ", failed"
		}
		return fmt.Sprintf("[result of %s%s]\n%s\n\n", m.Tool, state, clipMiddle(text, resultBytes))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]\n", m.Role)
	if text != "" {
		b.WriteString(text + "\n")
	}
	for _, u := range m.ToolCalls {
		args, _ := json.Marshal(u.Args) // they came as JSON
		fmt.Fprintf(&b, "[calls %s] %s\n", u.Tool, clipMiddle(string(args), resultBytes))
	}
	return b.String() + "\n"
}

// clipMiddle keeps the beginning and the end of a text.
func clipMiddle(text string, most int) string {
	if len(text) <= most {
		return text
	}
	half := most / 2
	return fmt.Sprintf("%s\n[... %d bytes left out ...]\n%s", strings.ToValidUTF8(text[:half], ""), len(text)-most, strings.ToValidUTF8(text[len(text)-half:], ""))
}
