// This file registers redactors.

package host

import (
	"fmt"
	"regexp"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

func redact(c *engine.HostCall) (any, error) {
	spec := c.Args[0].(map[string]any)
	r := &engine.Redactor{Name: text(spec["name"]), Line: c.Pos.Line}
	if list, ok := spec["patterns"].([]any); ok {
		for i, v := range list {
			p, ok := v.(string)
			if !ok {
				return nil, fmt.Errorf("ext.redact: patterns[%d]: got %s, want RE2 as text", i+1,
					value.TypeName(v))
			}
			re, err := regexp.Compile(p)
			if err != nil {
				return nil, fmt.Errorf("ext.redact: patterns[%d]: %w", i+1, err)
			}
			r.Patterns = append(r.Patterns, re)
		}
	}
	r.Find, _ = spec["find"].(engine.Func)
	return nil, c.Gen.Registry.AddRedactor(r)
}
