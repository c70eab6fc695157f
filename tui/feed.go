// This file holds the queue through which events reach the screen.

package tui

import (
	"context"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
)

const (
	// frame is the least time between two deliveries of the feed: thirty a second look fluent, and
	// more would only cost time.
	frame = 33 * time.Millisecond
	// outputKept is how many bytes of a running tool's output wait or are kept: the screen shows
	// its last few lines, and the result carries the rest.
	outputKept = 64 << 10
	// pieceReach is how far back the feed looks for a piece that a new one replaces: a script that
	// updates pieces often has few of them.
	pieceReach = 100
)

// feed is the queue between the engine's goroutines and Update. It accepts items at any time and
// merges waiting pieces of the same text.
type feed struct {
	wake chan struct{} // capacity 1: signals waiting items

	mu     sync.Mutex
	items  []any
	closed bool
}

// delta holds pieces of one text: of a message of the model, of a tool's output, or of a call that
// the model is writing.
type delta struct {
	ev   *event.Event // the first piece's event
	text []byte
}

// batch is one delivery of the feed: events, deltas, dialogs and messages, in order.
type batch []any

func newFeed() *feed { return &feed{wake: make(chan struct{}, 1)} }

// pushItem appends an item. It does not block.
func (f *feed) pushItem(item any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.addItem(item)
}

func (f *feed) addItem(item any) {
	if f.closed {
		return
	}
	f.items = append(f.items, item)
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// piece appends a piece, or replaces an earlier version that is still waiting. It does not block.
func (f *feed) piece(p pieceMsg) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.items) - 1; i >= max(0, len(f.items)-pieceReach); i-- {
		if old, ok := f.items[i].(pieceMsg); ok && old.same(ui.Piece(p)) {
			f.items[i] = p
			return
		}
	}
	f.addItem(p)
}

// Shown selects the events that the screen shows: all but the most frequent one, which is made for
// each run of a handler.
func Shown() event.Interest { return event.Except("hook_finished") }

// emitEvent appends an event. It does not block.
func (f *feed) emitEvent(ev *event.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch ev.Name() {
	case "hook_finished": // not shown: see Shown
	case "message_delta":
		f.addDelta(ev, ev.Text("delta"))
	case "tool_output":
		f.addDelta(ev, ev.Text("chunk"))
	case "tool_input_delta":
		f.addDelta(ev, ev.Text("delta"))
	default:
		f.addItem(ev)
	}
}

func (f *feed) addDelta(ev *event.Event, text string) {
	if n := len(f.items); n > 0 {
		if d, ok := f.items[n-1].(*delta); ok && d.continues(ev) {
			if ev.Name() == "tool_output" {
				d.text = plain.AppendTail(d.text, text, outputKept)
			} else {
				d.text = append(d.text, text...)
			}
			return
		}
	}
	f.addItem(&delta{ev, []byte(text)})
}

func (d *delta) continues(ev *event.Event) bool {
	if d.ev.Name() != ev.Name() {
		return false
	}
	if ev.Name() != "message_delta" {
		return d.ev.Text("call_id") == ev.Text("call_id")
	}
	return d.ev.Text("message_id") == ev.Text("message_id") && d.ev.Text("kind") == ev.Text("kind")
}

// takeItems removes and returns the waiting items.
func (f *feed) takeItems() batch {
	f.mu.Lock()
	defer f.mu.Unlock()
	items := f.items
	f.items = nil
	return items
}

// close drops all waiting and future items.
func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed, f.items = true, nil
}

// pump passes waiting items to send until ctx ends: at once after a pause, and otherwise once per
// frame. It sleeps while there are none.
func (f *feed) pump(ctx context.Context, send func(batch)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		}
		if items := f.takeItems(); len(items) > 0 {
			send(items)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(frame):
		}
	}
}
