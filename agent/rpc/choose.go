// This file lets the user of the client choose.

package rpc

import (
	"context"
	"errors"
	"strconv"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// choices are what can be chosen, as the client is told of it: masked.
type choices struct {
	list   []any
	shown  []string          // values, as the client knows them
	values map[string]string // what they stand for
	other  bool              // any text will do
}

func (d *desk) choices(q *engine.Dialog) *choices {
	c := &choices{list: make([]any, len(q.Choices)), values: map[string]string{}, other: q.Other}
	for i, x := range q.Choices {
		value := d.mask(x.Value)
		for n, masked := 2, value; ; n++ { // two that are masked alike
			if other, taken := c.values[value]; !taken || other == x.Value {
				break
			}
			value = masked + " (" + strconv.Itoa(n) + ")"
		}
		c.values[value], c.shown = x.Value, append(c.shown, value)
		choice := map[string]any{"value": value, "label": value}
		if x.Label != "" {
			choice["label"] = d.mask(x.Label)
		}
		if x.Description != "" {
			choice["description"] = d.mask(x.Description)
		}
		c.list[i] = choice
	}
	return c
}

// read is what an answer stands for.
func (c *choices) read(v any) (string, error) {
	text, ok := v.(string)
	if value, known := c.values[text]; ok && known {
		return value, nil
	}
	if ok && c.other && text != "" {
		if err := value.CheckSize(text); err != nil {
			return "", wrong("ui.respond", "value: %v", err)
		}
		return text, nil
	}
	return "", wrong("ui.respond", "value: got %s, want the value of a choice%s", quoted(v),
		suggest.DidYouMean(text, c.shown))
}

// selecting are the fields of a dialog that lets choose.
func (d *desk) selecting(q *engine.Dialog, c *choices) map[string]any {
	fields := d.fields(q)
	fields["choices"] = c.list
	if q.Other {
		fields["other"] = true
	}
	return fields
}

// Select implements engine.Dialogs.
func (d *desk) Select(ctx context.Context, q *engine.Dialog) (string, bool, error) {
	c := d.choices(q)
	v, err := d.ask(ctx, d.selecting(q, c), func(p params) (any,
		error) {
		return c.read(p["value"])
	})
	return picked(v, err, func(text string) string { return text })
}

// Many implements engine.Dialogs.
func (d *desk) Many(ctx context.Context, q *engine.Dialog) ([]string, bool, error) {
	c := d.choices(q)
	fields := d.selecting(q, c)
	fields["multi"] = true
	v, err := d.ask(ctx, fields, func(p params) (any, error) {
		list, ok := p["value"].([]any)
		if !ok {
			return nil, wrong("ui.respond", "value: got %s, want a list of values",
				quoted(p["value"]))
		}
		values := []string{}
		for _, e := range list {
			value, err := c.read(e)
			if err != nil {
				return nil, err
			}
			values = append(values, value)
		}
		return values, nil
	})
	if errors.Is(err, errAway) {
		return nil, false, nil
	}
	values, ok := v.([]string)
	return values, ok, err
}
