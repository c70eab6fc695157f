// This file asks with forms, where the client can show them: the protocol's elicitation.

package acp

import (
	"context"
	"encoding/json"
	"fmt"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// form is a request for elicitation/create in the mode "form". The SDK's own type has no session
// id.
type form struct {
	SessionID protocol.SessionId                 `json:"sessionId"`
	Mode      string                             `json:"mode"`
	Message   string                             `json:"message"`
	Schema    protocol.UnstableElicitationSchema `json:"requestedSchema"`
}

// The fields of a form.
const (
	fieldAnswer = "answer"
	fieldOther  = "other"
)

// forms reports whether the client shows forms.
func (s *server) forms() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client.Elicitation != nil && s.client.Elicitation.Form != nil
}

// fill lets the user fill in a form; ok is false if the user does not want to.
func (t *thread) fill(ctx context.Context, d *engine.Dialog, fields map[string]any,
	required ...string) (content map[string]any, ok bool, err error) {
	if !t.s.forms() {
		return nil, false, engine.ErrHeadless
	}
	message := plain.Text(t.mask(d.Title))
	if d.Script != "" {
		message = "[" + plain.Text(d.Script) + "] " + message
	}
	if d.Detail != "" {
		message += "\n\n" + plain.Text(t.mask(d.Detail))
	}
	text, err := t.request(ctx, protocol.ClientMethodElicitationCreate,
		form{SessionID: t.id, Mode: "form", Message: message,
			Schema: protocol.UnstableElicitationSchema{Type: protocol.UnstableElicitationSchemaTypeObject, Properties: fields, Required: required}})
	if err != nil {
		return nil, false, err
	}
	var r struct {
		Action  string         `json:"action"`
		Content map[string]any `json:"content"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, false, fmt.Errorf("the client's answer is not understood: %w", plain.Wrap(err))
	}
	switch r.Action {
	case "accept":
		return r.Content, true, nil
	case "decline", "cancel":
		return nil, false, nil
	}
	return nil, false, fmt.Errorf("the client's answer %.80q is none of accept, decline and cancel",
		r.Action)
}

// Input implements engine.Dialogs.
func (t *thread) Input(ctx context.Context, d *engine.Dialog) (string, bool, error) {
	field := map[string]any{"type": "string", "title": "Answer"}
	if d.Text != "" {
		field["default"] = t.mask(d.Text)
	}
	content, ok, err := t.fill(ctx, d, map[string]any{fieldAnswer: field}, fieldAnswer)
	return value.Text(content, fieldAnswer), ok, err
}

// titled are the choices of a dialog as a schema has them: ids, and what the user reads.
func (t *thread) titled(d *engine.Dialog) []any {
	list := make([]any, len(d.Choices))
	for i := range d.Choices {
		list[i] = map[string]any{"const": choiceID(i), "title": t.label(&d.Choices[i])}
	}
	return list
}

// picked are the ids of the choices that are picked at first.
func picked(d *engine.Dialog) []any {
	var list []any
	for i := range d.Choices {
		for _, value := range d.Picked {
			if d.Choices[i].Value == value {
				list = append(list, choiceID(i))
			}
		}
	}
	return list
}

// selectForm lets the user pick one of the choices or, with Other, write something else.
func (t *thread) selectForm(ctx context.Context, d *engine.Dialog) (string, bool, error) {
	field := map[string]any{"type": "string", "title": "Choice", "oneOf": t.titled(d)}
	if first := picked(d); len(first) > 0 {
		field["default"] = first[0]
	}
	fields, required := map[string]any{fieldAnswer: field}, []string{fieldAnswer}
	if d.Other {
		fields[fieldOther], required = map[string]any{"type": "string", "title": "Something else"},
			nil
	}
	content, ok, err := t.fill(ctx, d, fields, required...)
	if err != nil || !ok {
		return "", false, err
	}
	if other := value.Text(content, fieldOther); d.Other && other != "" {
		return other, true, nil
	}
	id := value.Text(content, fieldAnswer)
	if id == "" {
		return "", false, nil
	}
	return choiceOf(d, id)
}

// Many implements engine.Dialogs.
func (t *thread) Many(ctx context.Context, d *engine.Dialog) ([]string, bool, error) {
	field := map[string]any{"type": "array", "title": "Choices",
		"items": map[string]any{"anyOf": t.titled(d)}}
	if first := picked(d); len(first) > 0 {
		field["default"] = first
	}
	content, ok, err := t.fill(ctx, d, map[string]any{fieldAnswer: field})
	if err != nil || !ok {
		return nil, false, err
	}
	chosen := map[string]bool{}
	list, _ := content[fieldAnswer].([]any)
	for _, x := range list {
		id, _ := x.(string)
		value, _, err := choiceOf(d, id)
		if err != nil {
			return nil, false, err
		}
		chosen[value] = true
	}
	values := []string{}
	for i := range d.Choices { // in their order
		if value := d.Choices[i].Value; chosen[value] {
			values = append(values, value)
			delete(chosen, value)
		}
	}
	return values, true, nil
}

// Edit implements engine.Dialogs: a field of a form is one line.
func (t *thread) Edit(context.Context, *engine.Dialog) (string, bool, error) {
	return "", false, engine.ErrHeadless
}
