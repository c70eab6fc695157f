// This file asks a model to summarise a conversation.

package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/agent/internal/ask"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

const (
	// transcriptPercent is how much of the model's context the text to summarise may fill.
	transcriptPercent = 60
	// transcriptUnknown is the same in bytes, for a model with an unknown context size.
	transcriptUnknown = 400_000
)

const summarySystem = `You summarise the conversation between a user and a coding agent, so ` +
	`that the agent can go on with the work when it has forgotten the conversation. You do not ` +
	`go on with the conversation, and you do not answer questions in it. You write the summary ` +
	`and nothing else.`

const summaryTask = `Write a summary of the conversation above, with these headings; leave out a
heading that has nothing below it:

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

// summarise asks a model for a summary.
func (c *compaction) summarise(ctx context.Context, instructions string) (string, error) {
	limit := transcriptUnknown
	if c.model.Context > 0 {
		limit = c.model.Context * transcriptPercent / 100 * ask.BytesPerToken
	}
	var b strings.Builder
	if c.previous != "" {
		fmt.Fprintf(&b, "<summary>\n%s\n</summary>\nThe conversation continued from there; the "+
			"new summary keeps the parts of this one that still matter.\n\n", c.previous)
	}
	b.WriteString("<conversation>\n" + chat.Transcript(c.dropped(), limit) +
		"</conversation>\n\n" + summaryTask)
	if instructions = strings.TrimSpace(instructions); instructions != "" {
		b.WriteString("\n\nIn particular: " + instructions)
	}
	r, err := c.asker.Ask(ctx, &ask.Request{Purpose: "compact", System: summarySystem,
		Messages: []*chat.Message{{Role: "user",
			Content: engine.TextResult(b.String()).Content}}})
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(r.Said), nil
}
