// This file masks the stream: the events that a user, a log or another program sees. Patterns are
// matched in place. Functions of scripts need the turn of a VM, which the emitter of an event may
// hold, so they are called on a goroutine of their own, one event after the other, in order.

package stream

import (
	"context"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/redact"
)

const (
	// streamBacklog and streamBytes limit how many events, and how much text in them, wait for a
	// redactor's function. Beyond either, the text of events is withheld: it must neither be seen
	// nor fill the memory.
	streamBacklog = 10_000
	streamBytes   = 32 << 20
	// streamMost is how many events may wait at all; more are lost, and a notice says so.
	streamMost = 100_000
	// streamWait is how long a tool's end, and the end of the program, wait for earlier output.
	streamWait = 2 * time.Second
)

// item is an entry of the stream.
type item struct {
	ev   *event.Event
	both bool   // observers get the masked version: output of tools
	ends string // not an event: the output of this call has ended
	text string // not an event: text for then
	then func(masked string)
	done chan struct{} // not an event: closed when all earlier items have been delivered

	red  *redact.Set // when it was sent
	size int
}

// outbox holds the items that wait for redactors. Its fields are guarded by Stream.mu, except
// pieces, which belong to the goroutine that delivers items: that of drain while running is set.
type outbox struct {
	items   []item
	running bool
	size    int
	lost    int
	pieces  []*pieces
}

// send delivers an item, now or after those that wait. It does not wait for scripts. If observers
// may get it, order must be held.
func (st *Stream) send(it item) {
	st.mu.Lock()
	it.red = st.opts.Mask.Set()
	if st.out.running || it.red != nil && it.red.Finds() {
		st.push(it)
		st.mu.Unlock()
		return
	}
	if it.red == nil && len(st.out.pieces) == 0 &&
		it.ev != nil { // the usual case: nothing is masked
		st.tellStream(it.ev)
		st.mu.Unlock()
		if it.both {
			st.opts.Observe(it.ev)
		}
		return
	}
	events := st.masked(&it)
	st.pass(events)
	st.mu.Unlock()
	st.finish(&it, events)
}

// passed is an event to deliver.
type passed struct {
	shown *event.Event
	heard *event.Event // the event for observers; nil: they have received it
}

// pass delivers events to the stream. Under mu.
func (st *Stream) pass(events []passed) {
	for _, p := range events {
		st.tellStream(p.shown)
	}
}

// finish delivers to observers the events that the stream got. Under order.
func (st *Stream) finish(it *item, events []passed) {
	for _, p := range events {
		if p.heard != nil {
			st.opts.Observe(p.heard)
		}
	}
	if it.done != nil {
		close(it.done)
	}
}

// push queues an item. Under mu.
func (st *Stream) push(it item) {
	o := &st.out
	switch full := len(o.items) >= streamBacklog || o.size > streamBytes; {
	case it.done != nil || it.ends != "":
	case len(o.items) >= streamMost:
		o.lost++
		return
	case full && it.red != nil && it.ev != nil:
		it.ev = it.ev.Masked(it.red.Withholding()).Bare()
	case full && it.red != nil:
		it.text, it.red = it.red.Withheld(), nil
	case it.ev != nil:
		it.size = it.ev.Size()
	default:
		it.size = len(it.text)
	}
	o.size += it.size
	o.items = append(o.items, it)
	if !o.running {
		o.running = true
		go st.drainStream()
	}
}

// drainStream delivers the queued items, until there are none.
func (st *Stream) drainStream() {
	o := &st.out
	for {
		st.mu.Lock()
		if len(o.items) == 0 {
			lost := o.lost
			o.items, o.running, o.size, o.lost = nil, false, 0, 0
			st.mu.Unlock()
			if lost > 0 {
				st.opts.Lost()
			}
			return
		}
		it := o.items[0]
		o.items[0] = item{} // so that it can be freed
		o.items = o.items[1:]
		o.size -= it.size
		st.mu.Unlock()
		if it.then != nil {
			it.then(st.maskItem(&it))
		}
		events := st.masked(&it)
		st.order.Lock()
		st.mu.Lock()
		st.pass(events)
		st.mu.Unlock()
		st.finish(&it, events)
		st.order.Unlock()
	}
}

func (st *Stream) maskItem(it *item) string {
	if it.red == nil {
		return it.text
	}
	return it.red.Look(true).Text(it.text)
}

// masked returns the masked events for an item.
func (st *Stream) masked(it *item) []passed {
	if it.ev == nil {
		if it.ends == "" {
			return nil
		}
		return st.endPieces(it.red, func(p *pieces) bool {
			return p.last.Name() == "tool_output" && p.of.Of == it.ends
		})
	}
	m := it.ev.Look(it.red)
	if piece, ok := it.ev.Piece(); ok {
		return st.piece(m, it, piece)
	}
	var out []passed
	id, ends := it.ev.EndsText()
	if all := it.ev.Row().EndsPieces; (ends || all) && len(st.out.pieces) > 0 {
		out = st.endPieces(it.red, func(p *pieces) bool {
			return ends && p.of.Of == id || all && p.last.Env().AgentID == it.ev.Env().AgentID
		})
	}
	return append(out, passed{shown: it.ev.Masked(m)})
}

// pieces is a text that arrives in pieces, in events.
type pieces struct {
	redact.Pieces
	of   event.Piece // the id and kind of the text
	both bool        // observers get the masked text
	last *event.Event
}

// show makes the event with the masked text, if there is any.
func (p *pieces) show(m *redact.Look, text string) []passed {
	if text == "" {
		return nil
	}
	out := passed{shown: p.last.Masked(m).WithPiece(text)}
	if p.both {
		out.heard = p.last.WithPiece(text)
	}
	return []passed{out}
}

// piece adds a piece to its text, and returns the event with the text that can now be shown, if
// any.
func (st *Stream) piece(m *redact.Look, it *item, piece event.Piece) []passed {
	ev := it.ev
	text := piece.Text
	piece.Text = ""
	var p *pieces
	for _, x := range st.out.pieces {
		if x.last.Name() == ev.Name() && x.of == piece {
			p = x
			break
		}
	}
	if p == nil {
		if m == nil {
			if it.both {
				return []passed{{ev, ev}}
			}
			return []passed{{shown: ev}}
		}
		p = &pieces{of: piece, both: it.both}
		st.out.pieces = append(st.out.pieces, p)
	}
	p.last = ev
	return p.show(m, p.Add(m, text))
}

// endPieces returns the events with the rest of texts that have ended.
func (st *Stream) endPieces(red *redact.Set, ended func(*pieces) bool) (out []passed) {
	m := red.Look(true)
	kept := st.out.pieces[:0]
	for _, p := range st.out.pieces {
		if ended(p) {
			out = append(out, p.show(m, p.End(m))...)
		} else {
			kept = append(kept, p)
		}
	}
	clear(st.out.pieces[len(kept):])
	st.out.pieces = kept
	return out
}

// TellOutput sends an event with output of a tool: it is masked for everyone, and Options.Observe
// gets the masked event.
func (st *Stream) TellOutput(ev *event.Event) { st.sendBoth(item{ev: ev, both: true}) }

// sendBoth is like send, for events that observers get masked.
func (st *Stream) sendBoth(it item) {
	st.order.Lock()
	defer st.order.Unlock()
	st.send(it)
}

// EndOutput sends the rest of a tool's output, and waits for it if functions of scripts examine it.
func (st *Stream) EndOutput(callID string) {
	if !st.opts.Mask.On() {
		return
	}
	st.sendBoth(item{ends: callID})
	ctx, cancel := context.WithTimeout(context.Background(), streamWait)
	defer cancel()
	st.Flush(ctx)
}

// Flush waits until the stream has delivered everything sent so far, or ctx ends. It must not be
// called on a goroutine that holds the turn of a VM.
func (st *Stream) Flush(ctx context.Context) {
	st.mu.Lock()
	if !st.out.running {
		st.mu.Unlock()
		return
	}
	done := make(chan struct{})
	st.push(item{done: done})
	st.mu.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// MaskThen calls use with the masked text: at once, or later on another goroutine if functions of
// scripts have to examine it. It may be called on a goroutine that holds the turn of a VM.
func (st *Stream) MaskThen(text string, use func(masked string)) {
	red := st.opts.Mask.Set()
	st.mu.Lock()
	if st.out.running || red != nil && red.Finds() {
		st.push(item{text: text, then: use, red: red})
		st.mu.Unlock()
		return
	}
	st.mu.Unlock()
	use(st.opts.Mask.Patterns(text))
}
