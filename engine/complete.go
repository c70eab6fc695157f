// This file asks a slash command how its arguments may go on.

package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/value"
)

// Completion is one way for the arguments of a command to go on: Value stands for all that was
// typed of them.
type Completion struct{ Value, Description string }

// mostCompletions is how many a command may offer: nobody looks through more.
const mostCompletions = 1000

// completeArgs offers the values of the parameter that is being typed, if it says which there are.
func (c *Command) completeArgs(prefix string) (out []Completion) {
	before := prefix[:strings.LastIndexByte(prefix, ' ')+1]
	n := len(strings.Fields(before))
	if len(c.Args) == 0 || n >= len(c.Args) && !c.Args[len(c.Args)-1].List {
		return nil
	}
	p := c.Args[min(n, len(c.Args)-1)]
	values := p.Values
	if p.Type == "boolean" {
		values = []string{"true", "false"}
	}
	for _, v := range values {
		if strings.HasPrefix(v, prefix[len(before):]) {
			out = append(out, Completion{before + v, p.Doc})
		}
	}
	return out
}

func (c *Command) completeGo(ctx context.Context, env *Envelope, prefix string) (out []Completion,
	err error) {
	defer recovered(&err)
	out, err = c.GoComplete(ctx, env, prefix)
	return out[:min(len(out), mostCompletions)], err
}

var completionField = value.Field{Type: "table",
	Fields: []value.Field{{Name: "value", Type: "string"},
		{Name: "description", Type: "string?"}}}

func decodeCompletions(v any) ([]Completion, error) {
	if v == nil || v == false {
		return nil, nil
	}
	l, err := value.CheckType("list", v)
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
		c, err := value.Check(completionField, x)
		if err != nil {
			return nil, fmt.Errorf(
				"complete returned [%d]%w; want a string or {value, description}", i+1, err)
		}
		m := c.(map[string]any)
		out[i] = Completion{value.Text(m, "value"), value.Text(m, "description")}
	}
	return out, nil
}
