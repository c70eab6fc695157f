// This file asks a slash command how its arguments may go on.
package engine

import (
	"context"
	"fmt"
)

// Completion is one way for the arguments of a command to go on: Value stands for all that was typed of them.
type Completion struct{ Value, Description string }

// mostCompletions is how many a command may offer: nobody looks through more.
const mostCompletions = 1000

// Complete asks the command name how its arguments, of which prefix has been typed, may go on. None for a command
// that is not there or has nothing to offer. A failure of the script has been reported (script_error) and is returned
// as well.
func (e *Engine) Complete(ctx context.Context, env *Envelope, name, prefix string) ([]Completion, error) {
	snap := e.acquire()
	c := snap.commands[name]
	if c == nil || c.Complete == nil || !c.Gen.pin() {
		snap.release()
		return nil, nil
	}
	snap.release()
	defer c.Gen.unpin()
	r := NewRun(ctx, c.Gen, KindCommand, "completion of /"+name, env, nil)
	v, err := c.Gen.Run(r, c.Complete, prefix, c.Gen.NewCall(r, func(string) {}))
	var out []Completion
	if err == nil {
		if out, err = decodeCompletions(v); err != nil {
			err = c.Gen.wrong(err, r.Label, c.Line)
		}
	}
	if err != nil && ctx.Err() == nil {
		e.reportError(asScriptError(err), env, true)
	}
	return out, err
}

var completionField = Field{Type: "table", Fields: []Field{{Name: "value", Type: "string"}, {Name: "description", Type: "string?"}}}

func decodeCompletions(v any) ([]Completion, error) {
	if v == nil || v == false {
		return nil, nil
	}
	l, err := checkType("list", v)
	if err != nil {
		return nil, fmt.Errorf("complete returned: %w of strings or {value, description}", err)
	}
	list := l.([]any)
	list = list[:min(len(list), mostCompletions)]
	out := make([]Completion, len(list))
	for i, x := range list {
		if s, ok := x.(string); ok {
			out[i].Value = s
			continue
		}
		c, err := checkValue(completionField, x)
		if err != nil {
			return nil, fmt.Errorf("complete returned [%d]%w; want a string or {value, description}", i+1, err)
		}
		m := c.(map[string]any)
		out[i] = Completion{Text(m, "value"), Text(m, "description")}
	}
	return out, nil
}
