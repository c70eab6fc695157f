package slash

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/value"
)

// Completion is one completion of a command's arguments: Value replaces all that was typed of them.
type Completion struct{ Value, Description string }

// MostCompletions is how many completions a command may return: no one looks through more.
const MostCompletions = 1000

var completionField = value.Field{Type: "table",
	Fields: []value.Field{{Name: "value", Type: "string"},
		{Name: "description", Type: "string?"}}}

// DecodeCompletions reads what the complete function of a script returned.
func DecodeCompletions(v any) ([]Completion, error) {
	if v == nil || v == false {
		return nil, nil
	}
	l, err := value.CheckType("list", v)
	if err != nil {
		return nil, fmt.Errorf("complete returned: %w of strings or {value, description}", err)
	}
	list := l.([]any)
	list = list[:min(len(list), MostCompletions)]
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

// Complete returns the permitted values of the parameter that is being typed, if there are any.
func Complete(params []Param, prefix string) (out []Completion) {
	before := prefix[:strings.LastIndexByte(prefix, ' ')+1]
	n := len(strings.Fields(before))
	if len(params) == 0 || n >= len(params) && !params[len(params)-1].List {
		return nil
	}
	p := params[min(n, len(params)-1)]
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
