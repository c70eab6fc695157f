// This file sends a single request to a model for a script, outside of the conversation.

package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/value"
)

// Complete sends a single request to a model for a script. It is processed like every request:
// handlers of llm_message, llm_request and llm_response see it (purpose script), and it counts
// towards the session's cost. It may be called from any goroutine.
func (a *Asker) Complete(ctx context.Context, c *service.ModelCall) (*service.ModelAnswer, error) {
	q := &Request{Purpose: "script", Model: c.Model, System: c.System, Options: map[string]any{}}
	if c.MaxTokens > 0 {
		q.Options["max_tokens"] = float64(c.MaxTokens)
	}
	m, err := repair(c.Messages, "the script")
	if err != nil {
		return nil, &fault.WorldError{Code: "invalid", Message: plain.Error(err)}
	}
	q.Messages = m.out
	q.System = strings.TrimLeft(q.System+"\n\n"+m.system, "\n")
	q.System = strings.TrimRight(q.System, "\n")
	if c.OnDelta != nil {
		q.OnDelta = func(kind, text string) {
			if kind == "text" {
				c.OnDelta(text)
			}
		}
	}
	if c.Schema == nil {
		return a.answer(ctx, q)
	}
	return a.answerJSON(ctx, q, c.Schema)
}

// answer makes one request of a script.
func (a *Asker) answer(ctx context.Context, q *Request) (*service.ModelAnswer, error) {
	r, err := a.Ask(ctx, q)
	if err != nil {
		return nil, worldError(ctx, err)
	}
	return &service.ModelAnswer{Text: r.Said, Usage: r.Usage, Cost: r.Cost, Finish: r.Finish}, nil
}

// worldError converts the error of a request for scripts.
func worldError(ctx context.Context, err error) error {
	var w *fault.WorldError
	var h *Halt
	var f *fault.FailError
	code := "failed"
	switch {
	case errors.As(err, &w):
		return err
	case ctx.Err() != nil:
		code = "cancelled"
	case errors.As(err, &h):
		code = "refused"
	case errors.As(err, &f) && f.Overflow:
		code = "overflow"
	case retryCause(err) != "":
		code = retryCause(err)
	}
	return &fault.WorldError{Code: code, Message: plain.Error(err)}
}

// answerJSON requests JSON that matches schema, and repeats the request once if the answer does
// not.
func (a *Asker) answerJSON(ctx context.Context, q *Request,
	schema map[string]any) (*service.ModelAnswer,
	error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, &fault.WorldError{Code: "invalid", Message: "schema: " + plain.Error(err)}
	}
	q.System = strings.TrimLeft(q.System+
		"\n\nAnswer with one JSON value that fits this JSON Schema, and with nothing else:\n"+
		string(text), "\n")
	first, err := a.answer(ctx, q)
	if err != nil {
		return nil, err
	}
	if first.Data, err = a.readJSON(first.Text, schema); err == nil {
		return first, nil
	}
	again := *q
	if first.Text != "" {
		again.Messages = append(again.Messages[:len(again.Messages):len(again.Messages)],
			&chat.Message{Role: "assistant", Content: engine.TextResult(first.Text).Content},
			userText("That does not fit: "+plain.Error(err)+". Answer with the JSON value alone."))
	}
	second, err := a.answer(ctx, &again)
	if err != nil {
		return nil, err
	}
	second.Usage = second.Usage.Add(first.Usage)
	switch {
	case first.Cost == nil:
		second.Cost = nil
	case second.Cost != nil:
		both := *second.Cost + *first.Cost
		second.Cost = &both
	}
	if second.Data, err = a.readJSON(second.Text, schema); err != nil {
		return nil, &fault.WorldError{Code: "invalid",
			Message: "the model's answer does not fit the schema: " + plain.Error(err)}
	}
	return second, nil
}

// readJSON parses a model's answer. It ignores text around the JSON, usually a fence.
func (a *Asker) readJSON(text string, schema map[string]any) (any, error) {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		from, to := strings.IndexAny(text, "{["), strings.LastIndexAny(text, "}]")
		if from < 0 || to < from {
			return nil, fmt.Errorf("not JSON: %s", quoteEnd(text))
		}
		if err := json.Unmarshal([]byte(text[from:to+1]), &v); err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
	}
	v, err := value.Plain(v)
	if err != nil {
		return nil, err
	}
	return v, a.engine.Fits(v, schema)
}
