// This file puts questions to the user of the client.

package rpc

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// desk holds the dialogs that are open. It is the agent's Approver and Dialogs.
type desk struct {
	s *server

	mu     sync.Mutex
	open   map[string]*dialog
	number int
	closed bool
}

// dialog is a question that waits for its answer.
type dialog struct {
	kind   string
	read   func(p params) (any, error) // what an answer means; the error is one of the client
	answer chan any                    // capacity 1; nil: the user does not want to answer
}

// The user does not answer, or cannot.
var (
	errAway = errors.New("the user does not want to answer")
	errGone = errors.New("the client is gone")
)

func newDesk(s *server) *desk { return &desk{s: s, open: map[string]*dialog{}} }

// ask shows a dialog and waits for its answer, for ctx to end, or for the client to go.
func (d *desk) ask(ctx context.Context, fields map[string]any,
	read func(p params) (any, error)) (any, error) {
	d.flush(ctx)
	x := &dialog{kind: value.Text(fields, "kind"), read: read, answer: make(chan any, 1)}
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil, errGone
	}
	d.number++
	id := "ui" + strconv.Itoa(d.number)
	d.open[id] = x
	d.mu.Unlock()
	fields["id"] = id
	d.s.conn.Notify("ui.request", fields)
	select {
	case v, ok := <-x.answer:
		return given(v, ok)
	case <-ctx.Done():
	}
	if d.take(id) == nil { // it was answered in the same moment
		v, ok := <-x.answer
		return given(v, ok)
	}
	reason := "cancelled"
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		reason = "timeout"
	}
	d.s.conn.Notify("ui.cancel", map[string]any{"id": id, "reason": reason})
	return nil, ctx.Err()
}

// flush lets the events that were told before a question reach the client before it: redactors may
// hold those up.
func (d *desk) flush(ctx context.Context) {
	p := d.s.opened.Load()
	if p == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, tellWait)
	defer cancel()
	p.Engine.Flush(ctx)
}

func given(v any, ok bool) (any, error) {
	switch {
	case !ok:
		return nil, errGone
	case v == nil:
		return nil, errAway
	}
	return v, nil
}

// take takes a dialog away; nil if it is not open.
func (d *desk) take(id string) *dialog {
	d.mu.Lock()
	defer d.mu.Unlock()
	x := d.open[id]
	delete(d.open, id)
	return x
}

// close ends all dialogs, those to come too: nobody answers any more.
func (d *desk) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for id, x := range d.open {
		delete(d.open, id)
		close(x.answer)
	}
}

func (d *desk) ids() []any {
	d.mu.Lock()
	defer d.mu.Unlock()
	ids := make([]any, 0, len(d.open))
	for _, id := range slices.Sorted(maps.Keys(d.open)) {
		ids = append(ids, id)
	}
	return ids
}

// respond is the client's answer to a ui.request.
func respond(s *server, _ context.Context, p params) (any, error) {
	d, id := s.desk, p.text("id")
	d.mu.Lock()
	x := d.open[id]
	d.mu.Unlock()
	if x == nil {
		return nil, failure("not_found",
			fmt.Sprintf("ui.respond: no dialog %.40q is open: it was answered, or needs no "+
				"answer any more", id))
	}
	v, err := x.understand(p)
	if err != nil {
		return nil, err
	}
	if d.take(id) != x {
		return nil, failure("not_found",
			fmt.Sprintf("ui.respond: dialog %.40q is not open any more", id))
	}
	x.answer <- v
	return nil, nil
}

// answers says which keys an answer has, by kind of the dialog.
var answers = map[string][]string{"approve": {"decision", "args", "reason"}, "confirm": {"value"},
	"select": {"value"}, "input": {"value"}, "edit": {"value"}}

// understand reads an answer; nil is that there is none.
func (x *dialog) understand(p params) (any, error) {
	keys := answers[x.kind]
	for _, k := range value.SortedKeys(p) {
		switch {
		case k == "id" || k == "cancelled" || p[k] == nil:
		case !slices.Contains(keys, k):
			return nil, wrong("ui.respond", "%s: it does not belong to an answer of kind %s", k,
				x.kind)
		case p.truth("cancelled"):
			return nil, wrong("ui.respond", "%s: there is no answer if it is cancelled", k)
		}
	}
	if p.truth("cancelled") {
		return nil, nil
	}
	return x.read(p)
}

// Confirm implements engine.Dialogs.
func (d *desk) Confirm(ctx context.Context, q *engine.Dialog) (bool, error) {
	fields := d.fields(q)
	fields["default"] = q.Default
	for k, v := range map[string]string{"yes": q.Yes, "no": q.No} {
		if v != "" {
			fields[k] = d.mask(v)
		}
	}
	v, err := d.ask(ctx, fields, func(p params) (any, error) {
		if yes, ok := p["value"].(bool); ok {
			return yes, nil
		}
		return nil, wrong("ui.respond", "value: got %s, want true or false", quoted(p["value"]))
	})
	yes, _ := v.(bool)
	return yes, err
}

// Input implements engine.Dialogs.
func (d *desk) Input(ctx context.Context, q *engine.Dialog) (string, bool, error) {
	return d.write(ctx, q)
}

// Edit implements engine.Dialogs.
func (d *desk) Edit(ctx context.Context, q *engine.Dialog) (string, bool, error) {
	return d.write(ctx, q)
}

// write asks for a text.
func (d *desk) write(ctx context.Context, q *engine.Dialog) (string, bool, error) {
	fields := d.fields(q)
	if q.Text != "" {
		fields["text"] = d.mask(q.Text)
	}
	v, err := d.ask(ctx, fields, func(p params) (any, error) {
		text, ok := p["value"].(string)
		if !ok {
			return nil, wrong("ui.respond", "value: got %s, want text", quoted(p["value"]))
		}
		if err := value.CheckSize(text); err != nil {
			return nil, wrong("ui.respond", "value: %v", err)
		}
		return text, nil
	})
	return picked(v, err, func(text string) string { return text })
}

// picked is an answer that is a text; that the user does not want to answer is no error.
func picked(v any, err error, of func(string) string) (string, bool, error) {
	if errors.Is(err, errAway) {
		return "", false, nil
	}
	text, ok := v.(string)
	if !ok {
		return "", false, err
	}
	return of(text), true, nil
}

// fields are those that all dialogs have that are not about a tool call.
func (d *desk) fields(q *engine.Dialog) map[string]any {
	fields := map[string]any{"kind": q.Kind, "title": d.mask(q.Title)}
	if q.Script != "" {
		fields["script"] = q.Script
	}
	if q.Detail != "" {
		fields["detail"] = d.mask(q.Detail)
	}
	return fields
}

// mask is a text as a user may see it. Who asks does not hold the turn of a VM.
func (d *desk) mask(text string) string {
	if p := d.s.opened.Load(); p != nil {
		return p.Engine.Mask.Text(text)
	}
	return text
}

func quoted(v any) string {
	if v == nil {
		return "nothing"
	}
	if text, ok := v.(string); ok {
		return strconv.Quote(plain.Line(text, 80))
	}
	return value.TypeName(v)
}
