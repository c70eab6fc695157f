package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/tui/internal/feed"
)

// longSession returns a session of 10,000 items of the usual kinds.
func longSession() []Item {
	items := make([]Item, 10_000)
	for i := range items {
		switch i % 3 {
		case 0:
			items[i] = Item{Kind: ItemUser, Text: fmt.Sprintf("prompt %d", i)}
		case 1:
			items[i] = Item{Kind: ItemAssistant,
				Text:      fmt.Sprintf("## Answer %d\n\nThere are **two** things.\n", i),
				Reasoning: "I think."}
		case 2:
			items[i] = Item{Kind: ItemTool, Tool: "bash", Args: fields{"command": "go test"},
				Content: []chat.Block{{Type: "text", Text: strings.Repeat("ok\n", 200)}}}
		}
	}
	return items
}

// BenchmarkLoad10k loads a session of 10,000 items, up to the first frame.
func BenchmarkLoad10k(b *testing.B) {
	s := newStage(b, Backend{}, 120, 40)
	items := longSession()
	for b.Loop() {
		s.Update(feed.Batch{loadMsg(items)})
		_ = s.View()
	}
}

// A long session is shown from its end, and is complete.
func TestLongSessionIsComplete(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 120, 40)
	s.Update(feed.Batch{loadMsg(longSession())})
	s.has("› prompt 9999")
	s.press("ctrl+home")
	s.has("/help shows keys", "› prompt 0", "Answer 1")
}
