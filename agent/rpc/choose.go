// This file parses the choices of the client's user.

package rpc

import (
	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// choiceFields returns the fields of a question's choices.
func choiceFields(q *remote.Question) []any {
	list := make([]any, len(q.Choices))
	for i := range q.Choices {
		c := &q.Choices[i]
		choice := map[string]any{"value": c.Value, "label": c.Label}
		if c.Description != "" {
			choice["description"] = c.Description
		}
		list[i] = choice
	}
	return list
}

// readChoice parses the value of a choice, or, if allowed, a text of the user.
func readChoice(q *remote.Question, v any) (string, error) {
	text, ok := v.(string)
	switch {
	case ok && q.Choice(text) != nil:
		return text, nil
	case ok && q.Other && text != "":
		if err := value.CheckSize(text); err != nil {
			return "", wrong("ui.respond", "value: %v", err)
		}
		return text, nil
	}
	var shown []string
	for i := range q.Choices {
		shown = append(shown, q.Choices[i].Value)
	}
	return "", wrong("ui.respond", "value: got %s, want the value of a choice%s", quoted(v),
		suggest.DidYouMean(text, shown))
}

// readChoices parses the answer to a select.
func readChoices(q *remote.Question, v any) (answer remote.Answer, err error) {
	list := []any{v}
	if q.Many {
		var ok bool
		if list, ok = v.([]any); !ok {
			return answer, wrong("ui.respond", "value: got %s, want a list of values", quoted(v))
		}
	}
	for _, x := range list {
		value, err := readChoice(q, x)
		if err != nil {
			return remote.Answer{}, err
		}
		answer.Values = append(answer.Values, value)
	}
	return answer, nil
}
