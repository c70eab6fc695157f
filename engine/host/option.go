// This file registers options.

package host

import (
	"fmt"
	"regexp"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// optionName is what can stand in a variable and behind --set as well.
var optionName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// option registers an option and returns its value: what the user has set, else the default.
func (r *registry) option(c *engine.HostCall) (any, error) {
	const name = "ext.option"
	m := table(c.Args[0])
	o := &engine.Option{Name: text(m["name"]), Description: text(m["description"]),
		Type: text(m["type"]), Line: c.Pos.Line}
	if !named(optionName, o.Name) {
		return nil, fmt.Errorf("%s: name: got %.80q, want a-z, 0-9 and _, beginning with a letter",
			name, o.Name)
	}
	if o.Type == "" {
		if o.Type = value.TypeName(m["default"]); o.Type == "nil" {
			o.Type = "string"
		}
	}
	var err error
	if v := m["default"]; v != nil {
		if o.Default, err = o.Read(engine.Setting{Value: v}); err != nil {
			return nil, fmt.Errorf("%s: default: %w", name, err)
		}
	}
	o.Value = o.Default
	if r.setting != nil {
		if s, ok := r.setting(c.Gen.Name, o.Name); ok {
			o.Where = s.Where
			if o.Value, err = o.Read(s); err != nil {
				return nil, fmt.Errorf("%s: %s: %s: %w", name, o.Name, s.Where, err)
			}
		}
	}
	if err := c.Gen.Registry.AddOption(o); err != nil {
		return nil, err
	}
	return o.Value, nil
}
