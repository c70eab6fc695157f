// This file holds the dialogs of scripts: ext.ui.confirm, select, input.
package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
)

// question is one dialog: what is shown, and how the front end is asked. ok is false if the user went away from it.
type question struct {
	name    string
	opts    map[string]any
	otherOK func(v any) error // checks what stands for an answer: default and headless
	ask     func(ctx context.Context, d engine.Dialogs) (answer any, ok bool, err error)
}

// put puts the question to the user; the run's wall clock stands still meanwhile.
func (q *question) put(c *engine.HostCall) (any, error) {
	for _, key := range []string{"default", "headless"} {
		if v, ok := q.opts[key]; ok && q.otherOK != nil {
			if err := q.otherOK(v); err != nil {
				return nil, fmt.Errorf("%s: options.%s: %w", q.name, key, err)
			}
		}
	}
	dialogs := c.Gen.Engine().Dialogs()
	if dialogs == nil {
		if answer, ok := q.opts["headless"]; ok {
			return answer, nil
		}
		return nil, &engine.WorldError{Code: "headless", Message: q.name + ": nobody can be asked here; give {headless = ...} to say what to do then"}
	}
	ctx := c.Run.Context()
	if s := number(q.opts["timeout"]); s > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(min(s, maxSleep)*float64(time.Second)))
		defer cancel()
	}
	var answer any
	var ok bool
	var err error
	c.Gen.Engine().Waiting(c.Run.Env, "question")
	c.Run.OffClock(func() { answer, ok, err = q.ask(ctx, dialogs) })
	switch {
	case c.Run.Err() != nil:
		return nil, c.Run.Err()
	case ctx.Err() != nil: // the timeout
		if v, given := q.opts["default"]; given {
			return v, nil
		}
		return nil, &engine.WorldError{Code: "timeout", Message: q.name + ": nobody answered in time"}
	case err != nil:
		return nil, &engine.WorldError{Code: "cancelled", Message: q.name + ": " + err.Error()}
	case !ok:
		return nil, &engine.WorldError{Code: "cancelled", Message: q.name + ": the user does not want to"}
	}
	return answer, nil
}

func confirm(c *engine.HostCall) (any, error) {
	opts := table(c.Args[1])
	q := question{name: "ext.ui.confirm", opts: map[string]any{"default": false}}
	for k, v := range opts {
		q.opts[k] = v
	}
	q.ask = func(ctx context.Context, dialogs engine.Dialogs) (any, bool, error) {
		yes, err := dialogs.Confirm(ctx, &engine.Dialog{Script: c.Gen.Name, Kind: "confirm", Title: c.Args[0].(string), Detail: text(opts["detail"]),
			Yes: text(opts["yes"]), No: text(opts["no"]), Default: truth(opts["default"])})
		return yes, true, err
	}
	return q.put(c)
}

func choose(c *engine.HostCall) (any, error) {
	const name = "ext.ui.select"
	opts := table(c.Args[2])
	choices, err := readChoices(c.Args[1].([]any))
	if err != nil {
		return nil, fmt.Errorf("%s: items%w", name, err)
	}
	var values []string
	for _, choice := range choices {
		values = append(values, choice.Value)
	}
	q := question{name: name, opts: opts, otherOK: func(v any) error {
		if !has(values, text(v)) {
			return fmt.Errorf("got %.80q, want one of %s%s", text(v), strings.Join(values, ", "), engine.DidYouMean(text(v), values))
		}
		return nil
	}}
	q.ask = func(ctx context.Context, dialogs engine.Dialogs) (any, bool, error) {
		return dialogs.Select(ctx, &engine.Dialog{Script: c.Gen.Name, Kind: "select", Title: c.Args[0].(string), Detail: text(opts["detail"]), Choices: choices})
	}
	return q.put(c)
}

var choiceFields = []engine.Field{{Name: "label", Type: "string?"}, {Name: "value", Type: "string"}, {Name: "description", Type: "string?"}}

// readChoices reads what can be selected. The error begins with ": " or "[i]".
func readChoices(items []any) ([]engine.Choice, error) {
	if len(items) == 0 {
		return nil, errors.New(": got none, want at least one to select")
	}
	choices := make([]engine.Choice, len(items))
	for i, v := range items {
		if s, ok := v.(string); ok {
			choices[i] = engine.Choice{Value: s}
			continue
		}
		args, err := engine.CheckArgs("item", []engine.Field{{Name: "item", Type: "table", Fields: choiceFields}}, []any{v})
		if err != nil {
			return nil, fmt.Errorf("[%d]: %s; want text, or {label, value, description}", i+1, strings.ReplaceAll(err.Error(), "item: ", ""))
		}
		m := table(args[0])
		choices[i] = engine.Choice{Label: text(m["label"]), Value: text(m["value"]), Description: text(m["description"])}
	}
	return choices, nil
}

func input(c *engine.HostCall) (any, error) {
	opts := table(c.Args[1])
	q := question{name: "ext.ui.input", opts: opts}
	q.ask = func(ctx context.Context, dialogs engine.Dialogs) (any, bool, error) {
		return dialogs.Input(ctx, &engine.Dialog{Script: c.Gen.Name, Kind: "input", Title: c.Args[0].(string), Detail: text(opts["detail"]), Text: text(opts["default"])})
	}
	return q.put(c)
}
