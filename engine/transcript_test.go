package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
)

func TestATranscriptFits(t *testing.T) {
	t.Parallel()
	var ms []*engine.Message
	for i := range 100 {
		ms = append(ms, &engine.Message{Role: "user",
			Content: engine.TextResult(fmt.Sprint("number ", i,
				strings.Repeat(" ü", 500))).Content})
	}
	got := engine.Transcript(ms, 20_000)
	if len(got) > 21_000 || !strings.HasPrefix(got, "[user]\nnumber 0 ") ||
		!strings.Contains(got, "number 99 ") || !strings.Contains(got,
		"messages are left out here]") {
		t.Errorf("%d bytes: %.60s", len(got), got)
	}
	for _, most := range []int{0, 100, 3000} {
		if got := engine.Transcript(ms[:1], most); !strings.Contains(got, "number 0") ||
			len(got) > max(most, 2000)+300 {
			t.Errorf("one message in %d bytes: got %d", most, len(got))
		}
	}
	long := &engine.Message{Role: "tool", Tool: "bash",
		Content: engine.TextResult(strings.Repeat("x", 1<<20)).Content}
	if got := engine.Transcript([]*engine.Message{long}, 1<<30); len(got) > 2000+200 {
		t.Errorf("a result: %d bytes", len(got))
	}
}
