// This file implements ext.llm: requests of scripts to models.

package host

import (
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/schemas"
	"github.com/agentscripts/agent/engine/service"
)

func (a *agents) complete(c *engine.HostCall) (any, error) {
	const name = "ext.llm.complete"
	s, err := a.services.of(name)
	if err != nil {
		return nil, err
	}
	call, err := modelCall(c.Args[0].(map[string]any))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	ctx, _, err := c.Run.Cause()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var deltas *engine.Listener
	if fn, ok := table(c.Args[0])["on_delta"].(engine.Func); ok {
		deltas = c.Gen.Listen("llm.complete on_delta", c.Run.Env, fn)
		call.OnDelta = func(text string) { deltas.Tell(text) }
	}
	var answer *service.ModelAnswer
	c.Run.OffClock(func() {
		if answer, err = s.Complete(ctx, c.Run.Env, call); deltas != nil {
			deltas.Flush(ctx)
		}
	})
	if err != nil {
		return nil, world(c, name, err)
	}
	v := map[string]any{"text": answer.Text, "usage": answer.Usage.Value(),
		"finish_reason": answer.Finish}
	if call.Schema != nil {
		v["data"] = answer.Data
	}
	if answer.Cost != nil {
		v["cost"] = *answer.Cost
	}
	return v, nil
}

func modelCall(m map[string]any) (*service.ModelCall, error) {
	call := &service.ModelCall{Model: text(m["model"]), System: text(m["system"]),
		MaxTokens: int(number(m["max_tokens"]))}
	if m["model"] != nil {
		if err := chat.CheckModelName(call.Model); err != nil {
			return nil, fmt.Errorf("model%w", err)
		}
	}
	if m["max_tokens"] != nil && call.MaxTokens < 1 {
		return nil, fmt.Errorf("max_tokens: got %v, want at least 1", m["max_tokens"])
	}
	switch prompt, messages := m["prompt"], m["messages"]; {
	case prompt != nil && messages != nil:
		return nil, errors.New("got both prompt and messages, want one of them")
	case prompt != nil:
		call.Messages = []*chat.Message{{Role: "user",
			Content: []chat.Block{{Type: "text", Text: text(prompt)}}}}
	case messages != nil:
		list, err := chat.DecodeMessages(messages)
		if err != nil {
			return nil, fmt.Errorf("messages%w", err)
		}
		call.Messages = list
	}
	if len(call.Messages) == 0 || m["prompt"] == "" {
		return nil, errors.New("got neither prompt nor messages, want one of them")
	}
	if s := table(m["schema"]); s != nil {
		schema, err := schemas.Full(s)
		if err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
		if _, err := (schemas.Compiler{}).Compile(schema); err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
		call.Schema = schema
	}
	return call, nil
}
