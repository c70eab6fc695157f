// This file masks the events of the stream. Patterns are matched by the sender. Redactors that are
// functions of scripts need the turn of a VM, which the sender may hold, so they are called on a
// goroutine of their own, one event after the other, in order.

package stream

import (
	"context"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/redact"
)

const (
	// streamBacklog and streamBytes limit the number of events, and of bytes of text in them, that
	// wait for a redactor's function. Beyond either limit, the text of events is withheld.
	streamBacklog = 10_000
	streamBytes   = 32 << 20
	// streamMost is the maximal number of waiting events; more are lost, and a notice says so.
	streamMost = 100_000
	// streamWait is how long the end of a tool, or of the program, waits for earlier output.
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

	red  *redact.Set // the redactors when it was sent
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

// send delivers an item, at once or after those that wait. It does not wait for scripts. If
// observers may get the item, order must be held.
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
	st.deliverToListeners(events)
	st.mu.Unlock()
	st.deliverToObservers(&it, events)
}

// delivery is an event to deliver.
type delivery struct {
	shown *event.Event
	heard *event.Event // the event for observers; nil: they have received it
}

// deliverToListeners delivers events to the stream. Under mu.
func (st *Stream) deliverToListeners(events []delivery) {
	for _, p := range events {
		st.tellStream(p.shown)
	}
}

// deliverToObservers delivers to observers the events that the stream got. Under order.
func (st *Stream) deliverToObservers(it *item, events []delivery) {
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

// drainStream delivers the queued items until the queue is empty.
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
		o.items[0] = item{} // release the memory
		o.items = o.items[1:]
		o.size -= it.size
		st.mu.Unlock()
		if it.then != nil {
			it.then(st.maskItem(&it))
		}
		events := st.masked(&it)
		st.order.Lock()
		st.mu.Lock()
		st.deliverToListeners(events)
		st.mu.Unlock()
		st.deliverToObservers(&it, events)
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
func (st *Stream) masked(it *item) []delivery {
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
	var out []delivery
	id, ends := it.ev.EndsText()
	if all := it.ev.Row().EndsPieces; (ends || all) && len(st.out.pieces) > 0 {
		out = st.endPieces(it.red, func(p *pieces) bool {
			return ends && p.of.Of == id || all && p.last.Env().AgentID == it.ev.Env().AgentID
		})
	}
	return append(out, delivery{shown: it.ev.Masked(m)})
}

// endsPieces reports whether an event ends texts that arrive in pieces: what is held back of them
// must then be delivered, even if no listener wants the event itself.
func endsPieces(ev *event.Event) bool {
	_, ends := ev.EndsText()
	return ends || ev.Row().EndsPieces
}

// pieces is a text that arrives in pieces, in events.
type pieces struct {
	redact.Pieces
	of   event.Piece // the id and kind of the text
	both bool        // observers get the masked text
	last *event.Event
}

// show returns the event with the masked text; nil if text is "".
func (p *pieces) show(m *redact.Look, text string) []delivery {
	if text == "" {
		return nil
	}
	out := delivery{shown: p.last.Masked(m).WithPiece(text)}
	if p.both {
		out.heard = p.last.WithPiece(text)
	}
	return []delivery{out}
}

// piece adds a piece to its text. It returns the event with the text that can be shown now; nil if
// there is none.
func (st *Stream) piece(m *redact.Look, it *item, piece event.Piece) []delivery {
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
				return []delivery{{ev, ev}}
			}
			return []delivery{{shown: ev}}
		}
		p = &pieces{of: piece, both: it.both}
		st.out.pieces = append(st.out.pieces, p)
	}
	p.last = ev
	return p.show(m, p.Add(m, text))
}

// endPieces returns the events with the rest of texts that have ended.
func (st *Stream) endPieces(red *redact.Set, ended func(*pieces) bool) (out []delivery) {
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
