package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/ui"
)

func TestFeedCoalescesPiecesOfOneText(t *testing.T) {
	s := newStage(t, Backend{}, 80, 20)
	f := newFeed()
	for i := range 10 {
		s.emit(f, "message_delta", fields{"message_id": "m", "kind": "text",
			"delta": fmt.Sprint(i)})
	}
	s.emit(f, "message_delta", fields{"message_id": "n", "kind": "text", "delta": "x"})
	s.emit(f, "hook_finished", nil)
	items := f.takeItems()
	if len(items) != 2 || string(items[0].(*delta).text) != "0123456789" {
		t.Errorf("got %d items, the first %q", len(items), items[0].(*delta).text)
	}
	for range 1000 {
		s.emit(f, "tool_output", fields{"call_id": "c", "chunk": strings.Repeat("x", 1000)})
	}
	if n := len(f.takeItems()[0].(*delta).text); n < outputKept || n > 2*outputKept {
		t.Errorf("%d bytes of output wait", n)
	}
}

func TestFeedIsPumpedInOrder(t *testing.T) {
	within(t, func(ctx context.Context) {
		f, got := newFeed(), make(chan any, 1000)
		ctx, cancel := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			f.pump(ctx, func(b batch) {
				for _, item := range b {
					got <- item
				}
			})
		}()
		for i := range 1000 {
			f.pushItem(i)
		}
		for i := range 1000 {
			if x := <-got; x != i {
				t.Fatalf("got %v, want %d", x, i)
			}
		}
		cancel()
		<-done
	})
}

func TestQuestionsEndWithTheirContextAndWithTheScreen(t *testing.T) {
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
