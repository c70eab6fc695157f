package feed

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/agentscripts/agent/engine/ui"
)

func TestFeedIsPumpedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, got := New(), make(chan any, 1000)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			f.Pump(ctx, func(b Batch) {
				for _, item := range b {
					got <- item
				}
			})
		}()
		for i := range 1000 {
			f.Push(i)
		}
		for i := range 1000 {
			if x := <-got; x != i {
				t.Fatalf("got %v, want %d", x, i)
			}
		}
		cancel()
		<-done
		if f.Close(); len(f.Take()) > 0 {
			t.Error("items wait in a closed feed")
		}
		if f.Push(1); len(f.Take()) > 0 {
			t.Error("a closed feed takes items")
		}
	})
}

// TestWaitingPiecesAreReplaced checks that a script that updates its pieces continuously does not
// fill the feed.
func TestWaitingPiecesAreReplaced(t *testing.T) {
	f := New()
	for i := range 1000 {
		f.PushPiece(Piece{Script: "a", Kind: ui.PieceStatus, Key: "k",
			Lines: []ui.Line{{{Text: fmt.Sprint(i)}}}})
		f.PushPiece(Piece{Script: "a", Kind: ui.PieceStatus, Key: "l"})
	}
	got := f.Take()
	if len(got) != 2 || got[0].(Piece).Lines[0].Text() != "999" {
		t.Errorf("%d wait: %v", len(got), got)
	}
}
