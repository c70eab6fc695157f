package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
)

func TestFeedCoalescesPiecesOfOneText(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	f := feed.New()
	for i := range 10 {
		s.emit(f, "message_delta", fields{"message_id": "m", "kind": "text",
			"delta": fmt.Sprint(i)})
	}
	s.emit(f, "message_delta", fields{"message_id": "n", "kind": "text", "delta": "x"})
	s.emit(f, "hook_finished", nil)
	items := f.Take()
	if len(items) != 2 || string(items[0].(*feed.Delta).Text) != "0123456789" {
		t.Errorf("got %d items, the first %q", len(items), items[0].(*feed.Delta).Text)
	}
	for range 1000 {
		s.emit(f, "tool_output", fields{"call_id": "c", "chunk": strings.Repeat("x", 1000)})
	}
	if n := len(f.Take()[0].(*feed.Delta).Text); n < feed.OutputKept || n > 2*feed.OutputKept {
		t.Errorf("%d bytes of output wait", n)
	}
}

func TestQuestionsEndWithTheirContextAndWithTheScreen(t *testing.T) {
	t.Parallel()
	within(t, func(ctx context.Context) {
		u := New(Backend{}, Info{})
		short, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := u.Approve(short, aQuestion()); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		close(u.done)
		if _, err := u.Confirm(ctx, &ui.Dialog{}); !errors.Is(err, ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
}
