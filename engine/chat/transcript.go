// This file formats messages as text.

package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
)

// transcriptResult is the maximal number of bytes of a tool's result, or of a call's arguments, in
// a transcript: the model's messages repeat the important parts.
const transcriptResult = 2000

// Transcript formats messages as text of about most bytes. It shortens results, and then leaves out
// messages in the middle.
func Transcript(messages []*Message, most int) string {
	parts, size := make([]string, len(messages)), 0
	for i, m := range messages {
		parts[i] = formatMessage(m)
		size += len(parts[i])
	}
	if size <= most {
		return strings.Join(parts, "")
	}
	// the beginning holds the task, and the end the current state of the work
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
		parts[tail] = clipMiddle(parts[tail], max(most, transcriptResult)) + "\n\n"
		cut = fmt.Sprintf("[%d messages are left out here]\n\n", tail-head)
	}
	return strings.Join(parts[:head], "") + cut + strings.Join(parts[tail:], "")
}

// formatMessage returns a message as text for a transcript.
func formatMessage(m *Message) string {
	text := PlainText(m.Content)
	if m.Role == "tool" {
		state := ""
		if m.IsError {
			state = ", failed"
		}
		return fmt.Sprintf("[result of %s%s]\n%s\n\n", m.Tool, state,
			clipMiddle(text, transcriptResult))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]\n", m.Role)
	if text != "" {
		b.WriteString(text + "\n")
	}
	for _, u := range m.ToolCalls {
		args, _ := json.Marshal(u.Args) // they came as JSON
		fmt.Fprintf(&b, "[calls %s] %s\n", u.Tool, clipMiddle(string(args), transcriptResult))
	}
	return b.String() + "\n"
}

// clipMiddle shortens a text to about most bytes: its beginning and its end.
func clipMiddle(text string, most int) string {
	if len(text) <= most {
		return text
	}
	half := most / 2
	return fmt.Sprintf("%s\n[... %d bytes left out ...]\n%s", plain.Head(text, half),
		len(text)-most, plain.Tail(text, half))
}
