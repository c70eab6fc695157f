package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

func TestTranscriptFits(t *testing.T) {
	t.Parallel()
	var ms []*chat.Message
	for i := range 100 {
		ms = append(ms, &chat.Message{Role: "user",
			Content: engine.TextResult(fmt.Sprint("number ", i,
				strings.Repeat(" ü", 500))).Content})
	}
	got := chat.Transcript(ms, 20_000)
	if len(got) > 21_000 || !strings.HasPrefix(got, "[user]\nnumber 0 ") ||
		!strings.Contains(got, "number 99 ") || !strings.Contains(got,
		"messages are left out here]") {
		t.Errorf("%d bytes: %.60s", len(got), got)
	}
	for _, most := range []int{0, 100, 3000} {
		if got := chat.Transcript(ms[:1], most); !strings.Contains(got, "number 0") ||
			len(got) > max(most, 2000)+300 {
			t.Errorf("one message in %d bytes: got %d", most, len(got))
		}
	}
	long := &chat.Message{Role: "tool", Tool: "bash",
		Content: engine.TextResult(strings.Repeat("x", 1<<20)).Content}
	if got := chat.Transcript([]*chat.Message{long}, 1<<30); len(got) > 2000+200 {
		t.Errorf("a result: %d bytes", len(got))
	}
}
