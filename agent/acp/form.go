// This file asks with forms if the client supports them: the protocol's elicitation.

package acp

import (
	"context"
	"encoding/json"
	"fmt"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
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

// forms reports whether the client supports forms.
func (s *server) forms() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client.Elicitation != nil && s.client.Elicitation.Form != nil
}

// fill lets the user fill in a form.
func (a *asking) fill(ctx context.Context, q *remote.Question, fields map[string]any,
	required ...string) (content map[string]any, err error) {
	if !a.t.s.forms() {
		return nil, ui.ErrHeadless
	}
	message := plain.Text(q.Title)
	if q.Script != "" {
		message = "[" + plain.Text(q.Script) + "] " + message
	}
	if q.Detail != "" {
		message += "\n\n" + plain.Text(q.Detail)
	}
	text, err := a.t.request(ctx, protocol.ClientMethodElicitationCreate,
		form{SessionID: a.t.id, Mode: "form", Message: message,
			Schema: protocol.UnstableElicitationSchema{
				Type:       protocol.UnstableElicitationSchemaTypeObject,
				Properties: fields, Required: required}})
	if err != nil {
		return nil, err
	}
	var r struct {
		Action  string         `json:"action"`
		Content map[string]any `json:"content"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("the client's answer is not understood: %w", plain.Wrap(err))
	}
	switch r.Action {
	case "accept":
		return r.Content, nil
	case "decline", "cancel":
		return nil, remote.ErrAway
	}
	return nil, fmt.Errorf("the client's answer %.80q is none of accept, decline and cancel",
		r.Action)
}

// write lets the user enter a line.
func (a *asking) write(ctx context.Context, q *remote.Question) (remote.Answer, error) {
	field := map[string]any{"type": "string", "title": "Answer"}
	if q.Text != "" {
		field["default"] = q.Text
	}
	content, err := a.fill(ctx, q, map[string]any{fieldAnswer: field}, fieldAnswer)
	return remote.Answer{Text: value.Text(content, fieldAnswer)}, err
}

// titled returns the choices of a question for a schema: ids and titles.
func titled(q *remote.Question) []any {
	list := make([]any, len(q.Choices))
	for i := range q.Choices {
		list[i] = map[string]any{"const": choiceID(i), "title": label(&q.Choices[i])}
	}
	return list
}

// picked returns the ids of the preselected choices.
func picked(q *remote.Question) []any {
	var list []any
	for i := range q.Choices {
		if q.Choices[i].Picked {
			list = append(list, choiceID(i))
		}
	}
	return list
}

// selectForm lets the user pick one of the choices or, with Other, enter a text.
func (a *asking) selectForm(ctx context.Context, q *remote.Question) (remote.Answer, error) {
	field := map[string]any{"type": "string", "title": "Choice", "oneOf": titled(q)}
	if first := picked(q); len(first) > 0 {
		field["default"] = first[0]
	}
	fields, required := map[string]any{fieldAnswer: field}, []string{fieldAnswer}
	if q.Other {
		fields[fieldOther], required = map[string]any{"type": "string", "title": "Something else"},
			nil
	}
	content, err := a.fill(ctx, q, fields, required...)
	if err != nil {
		return remote.Answer{}, err
	}
	if other := value.Text(content, fieldOther); q.Other && other != "" {
		return remote.Answer{Values: []string{other}}, nil
	}
	id := value.Text(content, fieldAnswer)
	if id == "" {
		return remote.Answer{}, remote.ErrAway
	}
	return choiceOf(q, id)
}

// many lets the user pick several choices, which are returned in their order.
func (a *asking) many(ctx context.Context, q *remote.Question) (remote.Answer, error) {
	field := map[string]any{"type": "array", "title": "Choices",
		"items": map[string]any{"anyOf": titled(q)}}
	if first := picked(q); len(first) > 0 {
		field["default"] = first
	}
	content, err := a.fill(ctx, q, map[string]any{fieldAnswer: field})
	if err != nil {
		return remote.Answer{}, err
	}
	chosen := map[string]bool{}
	list, _ := content[fieldAnswer].([]any)
	for _, x := range list {
		id, _ := x.(string)
		one, err := choiceOf(q, id)
		if err != nil {
			return remote.Answer{}, err
		}
		chosen[one.Values[0]] = true
	}
	var answer remote.Answer
	for i := range q.Choices {
		if value := q.Choices[i].Value; chosen[value] {
			answer.Values = append(answer.Values, value)
			delete(chosen, value)
		}
	}
	return answer, nil
}
