// This file passes questions to the client's user.

package rpc

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// desk holds the open dialogs.
type desk struct {
	s *server

	mu     sync.Mutex
	open   map[string]*dialog
	number int
	closed bool
}

// dialog is an unanswered question.
type dialog struct {
	question *remote.Question
	answer   chan *remote.Answer // capacity 1; nil: the user does not want to answer
}

// errGone means that the user cannot answer.
var errGone = errors.New("the client is gone")

func newDesk(s *server) *desk { return &desk{s: s, open: map[string]*dialog{}} }

// Ask shows a question and waits for its answer, for the end of ctx, or for the end of the client.
func (d *desk) Ask(ctx context.Context, q *remote.Question) (remote.Answer, error) {
	x := &dialog{question: q, answer: make(chan *remote.Answer, 1)}
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return remote.Answer{}, errGone
	}
	d.number++
	id := "ui" + strconv.Itoa(d.number)
	d.open[id] = x
	d.mu.Unlock()
	fields := questionFields(q)
	fields["id"] = id
	d.s.conn.Notify("ui.request", fields)
	select {
	case v, ok := <-x.answer:
		return given(v, ok)
	case <-ctx.Done():
	}
	if d.takeDialog(id) == nil { // it was answered at the same moment
		v, ok := <-x.answer
		return given(v, ok)
	}
	reason := "cancelled"
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		reason = "timeout"
	}
	d.s.conn.Notify("ui.cancel", map[string]any{"id": id, "reason": reason})
	return remote.Answer{}, ctx.Err()
}

func given(v *remote.Answer, ok bool) (remote.Answer, error) {
	switch {
	case !ok:
		return remote.Answer{}, errGone
	case v == nil:
		return remote.Answer{}, remote.ErrAway
	}
	return *v, nil
}

// takeDialog removes and returns a dialog; nil if it is not open.
func (d *desk) takeDialog(id string) *dialog {
	d.mu.Lock()
	defer d.mu.Unlock()
	x := d.open[id]
	delete(d.open, id)
	return x
}

// close ends all dialogs, including future ones, because no one can answer.
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

// respond handles the client's answer to a ui.request.
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
	if d.takeDialog(id) != x {
		return nil, failure("not_found",
			fmt.Sprintf("ui.respond: dialog %.40q is not open any more", id))
	}
	x.answer <- v
	return nil, nil
}

// answers maps the kinds of dialogs to the keys of their answers.
var answers = map[string][]string{
	"approve": {"decision", "args", "reason", "rule"}, "confirm": {"value"},
	"select": {"value"}, "input": {"value"}, "edit": {"value"}}

// understand parses an answer; nil means that there is none.
func (x *dialog) understand(p params) (*remote.Answer, error) {
	q := x.question
	keys := answers[q.Kind]
	for _, k := range value.SortedKeys(p) {
		switch {
		case k == "id" || k == "cancelled" || p[k] == nil:
		case !slices.Contains(keys, k):
			return nil, wrong("ui.respond", "%s: it does not belong to an answer of kind %s", k,
				q.Kind)
		case p.truth("cancelled"):
			return nil, wrong("ui.respond", "%s: there is no answer if it is cancelled", k)
		}
	}
	if p.truth("cancelled") {
		return nil, nil
	}
	answer, err := read(q, p)
	if err != nil {
		return nil, err
	}
	return &answer, nil
}

// read parses the answer to a question.
func read(q *remote.Question, p params) (remote.Answer, error) {
	switch q.Kind {
	case "approve":
		return readDecision(q.Approval, p)
	case "select":
		return readChoices(q, p["value"])
	case "confirm":
		yes, ok := p["value"].(bool)
		if !ok {
			return remote.Answer{}, wrong("ui.respond", "value: got %s, want true or false",
				quoted(p["value"]))
		}
		return remote.Answer{Yes: yes}, nil
	}
	text, ok := p["value"].(string)
	if !ok {
		return remote.Answer{}, wrong("ui.respond", "value: got %s, want text", quoted(p["value"]))
	}
	if err := value.CheckSize(text); err != nil {
		return remote.Answer{}, wrong("ui.respond", "value: %v", err)
	}
	return remote.Answer{Text: text}, nil
}

// questionFields returns the fields of a question.
func questionFields(q *remote.Question) map[string]any {
	if q.Kind == "approve" {
		return approveFields(q.Approval)
	}
	fields := map[string]any{"kind": q.Kind, "title": q.Title}
	for k, v := range map[string]string{"script": q.Script, "detail": q.Detail, "yes": q.Yes,
		"no": q.No, "text": q.Text} {
		if v != "" {
			fields[k] = v
		}
	}
	if q.Secret {
		fields["secret"] = true
	}
	switch q.Kind {
	case "confirm":
		fields["default"] = q.Default
	case "select":
		fields["choices"] = choiceFields(q)
		if q.Many {
			fields["multi"] = true
		}
		if q.Other {
			fields["other"] = true
		}
	}
	return fields
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
