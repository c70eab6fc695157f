// Package feed is the queue through which events reach the screen.
//
//	f := feed.New()
//	f.Emit(ev)             // from any goroutine
//	f.Pump(ctx, send)      // once per frame
//
// It promises that no call but Pump blocks, and that items arrive in their order: pieces of one
// text are merged while they wait, and a piece of a script replaces its earlier version.
package feed

import (
	"context"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
)

const (
	// Frame is the least time between two deliveries of the feed: thirty a second look fluent, and
	// more would only cost time.
	Frame = 33 * time.Millisecond
	// OutputKept is how many bytes of a running tool's output wait or are kept: the screen shows
	// its last few lines, and the result carries the rest.
	OutputKept = 64 << 10
	// pieceReach is how far back the feed looks for a piece that a new one replaces: a script that
	// updates pieces often has few of them.
	pieceReach = 100
)

// Feed is the queue between the engine's goroutines and Update. It accepts items at any time and
// merges waiting pieces of the same text.
type Feed struct {
	Wake chan struct{} // capacity 1: signals waiting items

	mu     sync.Mutex
	items  []any
	closed bool
}

// Delta holds pieces of one text: of a message of the model, of a tool's output, or of a call that
// the model is writing.
type Delta struct {
	Event *event.Event // the first piece's event
	Text  []byte
}

// Batch is one delivery of the feed: events, deltas, dialogs and messages, in order.
type Batch []any

// Piece shows or removes a piece of a script.
type Piece ui.Piece

// Same reports whether o is another version of the piece.
func (p Piece) Same(o ui.Piece) bool {
	return p.Script == o.Script && p.Kind == o.Kind && p.Key == o.Key
}

// New returns an empty feed.
func New() *Feed { return &Feed{Wake: make(chan struct{}, 1)} }

// Push appends an item. It does not block.
func (f *Feed) Push(item any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.addItem(item)
}

func (f *Feed) addItem(item any) {
	if f.closed {
		return
	}
	f.items = append(f.items, item)
	select {
	case f.Wake <- struct{}{}:
	default:
	}
}

// PushPiece appends a piece, or replaces an earlier version that is still waiting. It does not
// block.
func (f *Feed) PushPiece(p Piece) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.items) - 1; i >= max(0, len(f.items)-pieceReach); i-- {
		if old, ok := f.items[i].(Piece); ok && old.Same(ui.Piece(p)) {
			f.items[i] = p
			return
		}
	}
	f.addItem(p)
}

// Shown selects the events that the screen shows: all but the most frequent one, which is made for
// each run of a handler.
func Shown() event.Interest { return event.Except("hook_finished") }

// Emit appends an event. It does not block.
func (f *Feed) Emit(ev *event.Event) {
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

func (f *Feed) addDelta(ev *event.Event, text string) {
	if n := len(f.items); n > 0 {
		if d, ok := f.items[n-1].(*Delta); ok && d.continues(ev) {
			if ev.Name() == "tool_output" {
				d.Text = plain.AppendTail(d.Text, text, OutputKept)
			} else {
				d.Text = append(d.Text, text...)
			}
			return
		}
	}
	f.addItem(&Delta{ev, []byte(text)})
}

func (d *Delta) continues(ev *event.Event) bool {
	if d.Event.Name() != ev.Name() {
		return false
	}
	if ev.Name() != "message_delta" {
		return d.Event.Text("call_id") == ev.Text("call_id")
	}
	return d.Event.Text("message_id") == ev.Text("message_id") &&
		d.Event.Text("kind") == ev.Text("kind")
}

// Take removes and returns the waiting items.
func (f *Feed) Take() Batch {
	f.mu.Lock()
	defer f.mu.Unlock()
	items := f.items
	f.items = nil
	return items
}

// Close drops all waiting and future items.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed, f.items = true, nil
}

// Pump passes waiting items to send until ctx ends: at once after a pause, and otherwise once per
// frame. It sleeps while there are none.
func (f *Feed) Pump(ctx context.Context, send func(Batch)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.Wake:
		}
		if items := f.Take(); len(items) > 0 {
			send(items)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(Frame):
		}
	}
}
