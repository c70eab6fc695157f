// This file masks the stream: what a user, a log or another program sees of events. Patterns are looked for in place;
// functions of scripts need the turn of a VM, which who tells of an event may hold, and so they are asked on a
// goroutine of their own, one event after the other, in order.

package engine

import (
	"context"
	"time"
)

const (
	// streamBacklog and streamBytes are how many events, and how much text in them, wait for a redactor's function. Past
	// either the text of events is withheld: it must neither be seen nor fill the memory.
	streamBacklog = 10_000
	streamBytes   = 32 << 20
	// streamMost is how many events wait at all; more are lost, and that is said.
	streamMost = 100_000
	// streamWait is how long a tool's end, and the end of the program, wait for what was said before.
	streamWait = 2 * time.Second
)

// routing are the payload fields that are not masked: they name things (calls, tools, models, scripts, files of
// scripts) or choose among a few values, and who reads the stream goes by them. Every other string is text that
// somebody wrote, a field that is new here too. The envelope routes as a whole.
var routing = []string{"call_id", "message_id", "entry_id", "subagent_id", "parent_session_id", "source_id", "keep_from", "args_hash",
	"tool", "tool_names", "tool_choice", "kind", "cause", "level", "decision", "source", "status", "state", "stage", "purpose", "outcome", "finish_reason",
	"by", "name", "from", "to", "model", "new", "previous", "script", "path", "file", "handler", "hook", "answered_by"}

// routes are the keys that do the same below a payload field; a bare string in such a list is a name.
var routes = map[string][]string{
	"content":     {"type", "mime_type", "data"},
	"images":      {"type", "mime_type", "data"},
	"display":     {"kind", "lang"},
	"tools":       {"name", "kind", "source"},
	"tool_calls":  {"id", "tool"},
	"asks":        {"who"},
	"from_models": {"provider", "model", "unload_api"},
	"data":        {"call_id", "tool", "kind"}, // of subagent_event
}

// inPieces are the events that tell a text piece by piece: which field it is in, and what tells two texts apart.
var inPieces = map[string]struct{ text, id, sort string }{
	"message_delta":    {"delta", "message_id", "kind"},
	"tool_input_delta": {"delta", "call_id", ""},
	"tool_output":      {"chunk", "call_id", "stderr"},
}

// endsPieces are the events after which no piece comes: of the text with the same id, or of all of the same agent.
var endsPieces = map[string]string{"message_end": "message_id", "tool_input_end": "call_id", "turn_end": "", "agent_end": "", "session_end": ""}

// item is something that passes through the stream.
type item struct {
	ev   *Event
	both bool   // observers hear what the stream does: what a tool said
	ends string // no event: the output of this call has ended
	text string // no event: text for then
	then func(masked string)
	done chan struct{} // no event: closed when all before has passed

	red  *redaction // when it was told
	size int
}

// outbox is what waits for redactors. Its fields are guarded by Engine.emitMu, but for pieces: they belong to who
// passes items on, the goroutine of drain while running is set.
type outbox struct {
	items   []item
	running bool
	size    int
	lost    int
	pieces  []*pieces
}

// stream hands an event to the one ordered stream.
func (e *Engine) stream(ev *Event) {
	if e.heard() {
		e.send(item{ev: ev})
	}
}

// send passes an item on, now or after those that wait. It does not wait for scripts. Observers may have to hear of it: then
// under e.order.
func (e *Engine) send(it item) {
	e.emitMu.Lock()
	it.red = e.current.Load().redaction
	if e.out.running || it.red != nil && it.red.finds {
		e.push(it)
		e.emitMu.Unlock()
		return
	}
	if it.red == nil && len(e.out.pieces) == 0 && it.ev != nil { // the usual way: nothing is masked
		e.tellStream(it.ev)
		e.emitMu.Unlock()
		if it.both {
			e.tellObservers(it.ev)
		}
		return
	}
	events := e.mask(&it)
	e.pass(events)
	e.emitMu.Unlock()
	e.finish(&it, events)
}

// passed is an event as it is passed on.
type passed struct {
	shown *Event
	heard *Event // what observers hear of it now; nil: they have heard it
}

// pass hands events to the stream. Under e.emitMu.
func (e *Engine) pass(events []passed) {
	for _, p := range events {
		e.tellStream(p.shown)
	}
}

// finish tells the observers of what the stream was told. Under e.order.
func (e *Engine) finish(it *item, events []passed) {
	for _, p := range events {
		if p.heard != nil {
			e.tellObservers(p.heard)
		}
	}
	if it.done != nil {
		close(it.done)
	}
}

// push lets an item wait. Under e.emitMu.
func (e *Engine) push(it item) {
	o := &e.out
	switch full := len(o.items) >= streamBacklog || o.size > streamBytes; {
	case it.done != nil || it.ends != "":
	case len(o.items) >= streamMost:
		o.lost++
		return
	case full && it.red != nil && it.ev != nil:
		m := &masking{e: e, red: it.red, find: true, failed: it.red.slow()}
		it.ev = m.event(it.ev)
		it.ev.bare = true
	case full && it.red != nil:
		it.text, it.red = it.red.slow().withheld(), nil
	case it.ev != nil:
		for _, v := range it.ev.fields {
			it.size += sizeOf(v)
		}
	default:
		it.size = len(it.text)
	}
	o.size += it.size
	o.items = append(o.items, it)
	if !o.running {
		o.running = true
		go e.drainStream()
	}
}

// slow is the redactor that what waits for too long is blamed on.
func (r *redaction) slow() *Redactor {
	for _, x := range r.list {
		if x.Find != nil {
			return x
		}
	}
	return r.list[0]
}

// sizeOf is about how many bytes of text v holds, as far as that is known without computing it.
func sizeOf(v any) (n int) {
	switch v := v.(type) {
	case string:
		return len(v)
	case map[string]any:
		for _, e := range v {
			n += sizeOf(e)
		}
	case []any:
		for _, e := range v {
			n += sizeOf(e)
		}
	}
	return n
}

// drainStream passes on what waits, until nothing does.
func (e *Engine) drainStream() {
	o := &e.out
	for {
		e.emitMu.Lock()
		if len(o.items) == 0 {
			lost := o.lost
			o.items, o.running, o.size, o.lost = nil, false, 0, 0
			e.emitMu.Unlock()
			if lost > 0 {
				e.Notify(nil, "agent", Notice{"redactors are too slow: events were not shown", "warn"})
			}
			return
		}
		it := o.items[0]
		o.items[0] = item{} // what has passed can be freed
		o.items = o.items[1:]
		o.size -= it.size
		e.emitMu.Unlock()
		if it.then != nil {
			it.then(e.maskItem(&it))
		}
		events := e.mask(&it)
		e.order.Lock()
		e.emitMu.Lock()
		e.pass(events)
		e.emitMu.Unlock()
		e.finish(&it, events)
		e.order.Unlock()
	}
}

func (e *Engine) maskItem(it *item) string {
	if it.red == nil {
		return it.text
	}
	return (&masking{e: e, red: it.red, find: it.red.finds}).text(it.text)
}

// mask returns the events that an item is passed on as.
func (e *Engine) mask(it *item) []passed {
	if it.ev == nil {
		if it.ends == "" {
			return nil
		}
		return e.endPieces(it.red, func(p *pieces) bool { return p.event == "tool_output" && p.id == it.ends })
	}
	var m *masking
	if it.red != nil {
		m = &masking{e: e, red: it.red, find: it.red.finds && !it.ev.bare}
	}
	if at, ok := inPieces[it.ev.row.Name]; ok {
		return e.piece(m, it, at.text, it.ev.Text(at.id), sortOf(it.ev, at.sort))
	}
	var out []passed
	if key, ok := endsPieces[it.ev.row.Name]; ok && len(e.out.pieces) > 0 {
		id, agent := it.ev.Text(key), it.ev.env.AgentID
		out = e.endPieces(it.red, func(p *pieces) bool {
			return key == "" && p.last.env.AgentID == agent || key != "" && p.id == id
		})
	}
	return append(out, passed{shown: m.event(it.ev)})
}

func sortOf(ev *Event, field string) any {
	if field == "" {
		return nil
	}
	return ev.Field(field)
}

// piece adds a piece to its text, and returns the event that shows what can be shown of it, if anything can.
func (e *Engine) piece(m *masking, it *item, field, id string, sort any) []passed {
	ev := it.ev
	var p *pieces
	for _, x := range e.out.pieces {
		if x.event == ev.row.Name && x.id == id && x.sort == sort {
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
		p = &pieces{event: ev.row.Name, field: field, id: id, sort: sort, both: it.both}
		e.out.pieces = append(e.out.pieces, p)
	}
	p.last = ev
	return p.show(m, p.add(m, ev.Text(field)))
}

// endPieces returns the events that show what was held back of texts that have ended.
func (e *Engine) endPieces(red *redaction, ended func(*pieces) bool) (out []passed) {
	var m *masking
	if red != nil {
		m = &masking{e: e, red: red, find: red.finds}
	}
	kept := e.out.pieces[:0]
	for _, p := range e.out.pieces {
		if ended(p) {
			out = append(out, p.show(m, p.end(m))...)
		} else {
			kept = append(kept, p)
		}
	}
	clear(e.out.pieces[len(kept):])
	e.out.pieces = kept
	return out
}

// event returns ev with the text of its payload masked: when it is read, or now if scripts have to be asked. m
// is nil if nothing is masked.
func (m *masking) event(ev *Event) *Event {
	if m == nil {
		return ev
	}
	return m.eventExcept(ev, nil)
}

// eventExcept is event, but the payload fields in except stay as they are.
func (m *masking) eventExcept(ev *Event, except []string) *Event {
	c := *ev
	c.fields = append([]any(nil), ev.fields...)
	for i, f := range ev.row.Payload {
		v := ev.fields[i]
		switch v.(type) {
		case nil, bool, float64, int:
			continue
		}
		if contains(routing, f.Name) || contains(except, f.Name) {
			continue
		}
		if m.find {
			c.fields[i], _ = m.masked(v, 0, routes[f.Name])
			continue
		}
		keys := routes[f.Name]
		c.fields[i] = NewLazy(func() any { x, _ := m.masked(v, 0, keys); return x })
	}
	return &c
}

// tellOutput tells of what a tool said: masked for everybody.
func (e *Engine) tellOutput(ev *Event) { e.sendBoth(item{ev: ev, both: true}) }

// sendBoth is send for what observers hear as the stream does.
func (e *Engine) sendBoth(it item) {
	e.order.Lock()
	defer e.order.Unlock()
	e.send(it)
}

// endOutput tells what was held back of a tool's output, and waits for it if functions of scripts look through it.
func (e *Engine) endOutput(callID string) {
	if !e.Masks() {
		return
	}
	e.sendBoth(item{ends: callID})
	ctx, cancel := context.WithTimeout(context.Background(), streamWait)
	defer cancel()
	e.flush(ctx)
}

// Flush waits until the stream has had everything that was told so far, or ctx ends. Do not call it on a goroutine that holds the
// turn of a VM.
func (e *Engine) Flush(ctx context.Context) { e.flush(ctx) }

// flush waits until what was told so far has passed, or ctx ends.
func (e *Engine) flush(ctx context.Context) {
	e.emitMu.Lock()
	if !e.out.running {
		e.emitMu.Unlock()
		return
	}
	done := make(chan struct{})
	e.push(item{done: done})
	e.emitMu.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// MaskThen gives use text as it may be seen: at once, or later on another goroutine if functions of scripts have to look
// through it. It may be called on a goroutine that holds the turn of a VM.
func (e *Engine) MaskThen(text string, use func(masked string)) {
	red := e.current.Load().redaction
	e.emitMu.Lock()
	if e.out.running || red != nil && red.finds {
		e.push(item{text: text, then: use, red: red})
		e.emitMu.Unlock()
		return
	}
	e.emitMu.Unlock()
	use(e.MaskPatterns(text))
}
