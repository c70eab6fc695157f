// This file registers options, shortcuts, completions, redactors and tests.

package host

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chord"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/option"
	"github.com/agentscripts/agent/engine/value"
)

// optionName matches names that are also valid in a variable and after --set.
var optionName = lazyregexp.New(`^[a-z][a-z0-9_]*$`)

// option registers an option and returns its value: the user's setting, otherwise the default.
func (r *registry) option(c *engine.HostCall) (any, error) {
	const name = "ext.option"
	m := table(c.Args[0])
	o := &option.Option{Name: text(m["name"]), Description: text(m["description"]),
		Type: text(m["type"]), Line: c.Pos.Line}
	if !named(optionName(), o.Name) {
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
		if o.Default, err = o.Read(option.Setting{Value: v}); err != nil {
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

// shortcut registers a key chord.
func shortcut(c *engine.HostCall) (any, error) {
	m := table(c.Args[0])
	key, err := chord.Parse(text(m["key"]))
	if err != nil {
		return nil, fmt.Errorf("ext.shortcut: key: %w", err)
	}
	return nil, c.Gen.Registry.AddShortcut(&engine.Shortcut{Key: key,
		Description: text(m["description"]),
		Line:        c.Pos.Line, Run: m["run"].(engine.Func)})
}

// maxPrefix is how long the prefix of words to complete can be, in bytes.
const maxPrefix = 16

// completion registers a function that completes words.
func completion(c *engine.HostCall) (any, error) {
	const name = "ext.completion"
	m := table(c.Args[0])
	prefix := text(m["prefix"])
	switch {
	case prefix == "" || len(prefix) > maxPrefix || strings.ContainsAny(prefix, " \t\r\n"):
		return nil, fmt.Errorf("%s: prefix: got %.80q, want 1 to %d bytes without spaces", name,
			prefix, maxPrefix)
	case prefix[0] == '/' || prefix[0] == '!':
		return nil, fmt.Errorf("%s: prefix: %.1s begins a command; ext.command completes its own "+
			"arguments", name, prefix)
	}
	return nil, c.Gen.Registry.AddWordCompleter(&engine.WordCompleter{Prefix: prefix,
		Line: c.Pos.Line, Complete: m["complete"].(engine.Func)})
}

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

// test passes a test of the script to the test runner. Without one it registers nothing.
func (r *registry) test(c *engine.HostCall) (any, error) {
	name := text(c.Args[0])
	if name == "" {
		return nil, errors.New(`ext.test: name: got "", want a description of the test`)
	}
	if r.tests != nil {
		if err := r.tests(c.Gen, name, c.Pos.Line, c.Args[1].(engine.Func)); err != nil {
			return nil, fmt.Errorf("ext.test: %w", err)
		}
	}
	return nil, nil
}
