// This file makes a text of messages.

package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
)

// transcriptResult is how many bytes of a tool's result, or of a call's arguments, a transcript
// has: what mattered of it the model has said.
const transcriptResult = 2000

// Transcript is messages as text of at most so many bytes: results are cut, then the middle is left
// out.
func Transcript(messages []*Message, most int) string {
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
		parts[tail] = clipMiddle(parts[tail], max(most, transcriptResult)) + "\n\n"
		cut = fmt.Sprintf("[%d messages are left out here]\n\n", tail-head)
	}
	return strings.Join(parts[:head], "") + cut + strings.Join(parts[tail:], "")
}

// said is a message in a transcript.
func said(m *Message) string {
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

// clipMiddle keeps the beginning and the end of a text.
func clipMiddle(text string, most int) string {
	if len(text) <= most {
		return text
	}
	half := most / 2
	return fmt.Sprintf("%s\n[... %d bytes left out ...]\n%s", plain.Head(text, half),
		len(text)-most, plain.Tail(text, half))
}
