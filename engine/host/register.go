// This file registers handlers, tools and commands.

package host

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/option"
	"github.com/agentscripts/agent/engine/schemas"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// registry implements the functions that register something, while a script loads.
type registry struct {
	reserved []string // names of commands that scripts cannot register
	setting  func(script, name string) (option.Setting, bool)
	like     func(chat.Server) *engine.Provider
	tests    func(g *engine.Generation, name string, line int, fn engine.Func) error
}

func (r *registry) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"on": on, "guard": guard, "tool": tool, "command": r.command, "option": r.option,
		"shortcut": shortcut, "render": render, "provider": r.provider, "redact": redact,
		"test": r.test, "completion": completion,
	}
}

func on(c *engine.HostCall) (any, error) {
	name := c.Args[0].(string)
	e := c.Gen.Engine()
	if name == "guard" {
		return nil, fmt.Errorf("ext.on: event: guards are registered with ext.guard")
	}
	row := e.Events.Row(name)
	if row == nil && strings.HasPrefix(name, "custom") {
		return nil, fmt.Errorf("ext.on: event: %s", event.CustomNameText(name))
	}
	if row == nil {
		var names []string
		for _, r := range e.Events.Rows() {
			names = append(names, r.Name)
		}
		return nil, fmt.Errorf("ext.on: event: unknown event %q%s", name,
			suggest.DidYouMeanFor(suggest.ForeignEvent, name, names))
	}
	return nil, addHandler(c, "ext.on", row, table(c.Args[1]), c.Args[2].(engine.Func))
}

func guard(c *engine.HostCall) (any, error) {
	row := c.Gen.Engine().Events.Row("guard")
	fn, ok := c.Args[1].(engine.Func)
	if !ok {
		outcome := table(c.Args[1])
		if err := engine.CheckOutcome(row, outcome); err != nil {
			return nil, fmt.Errorf("ext.guard: fn: %s",
				strings.Replace(err.Error(), "returned", "got", 1))
		}
		fn = always{outcome}
	}
	return nil, addHandler(c, "ext.guard", row, table(c.Args[0]), fn)
}

// always is a handler that a script has written as its outcome.
type always struct{ outcome map[string]any }

// IsFunction implements value.Function.
func (a always) IsFunction() {}

// Call implements engine.Func.
func (a always) Call(*engine.Run, ...any) (any, error) { return a.outcome, nil }

// settings are the options that are not filters.
var settings = []string{"priority", "timeout", "on_error", "scrub"}

func addHandler(c *engine.HostCall, name string, row *event.Row, opts map[string]any,
	fn engine.Func) error {
	for _, key := range value.SortedKeys(opts) {
		if !has(settings, key) && !has(row.Filters, key) {
			return fmt.Errorf("%s: options.%s: %s has no such filter; it has: %s", name, key,
				row.Name, strings.Join(append(row.Filters, settings...), ", "))
		}
	}
	for _, key := range []string{"reads", "writes"} {
		if s, ok := opts[key].(string); ok && s != "" {
			if err := glob.CheckPath(s); err != nil {
				return fmt.Errorf("%s: options.%s: %w", name, key, err)
			}
		}
	}
	filter, err := event.NewFilter(row, opts)
	if err != nil {
		return fmt.Errorf("%s: options.%w", name, err)
	}
	constant, _ := fn.(always)
	h := &engine.Handler{Event: row.Name, Fn: fn, Always: constant.outcome, Filter: filter,
		Priority: engine.DefaultPriority, Line: c.Pos.Line}
	if p := c.Gen.Header.Priority; p != nil {
		h.Priority = *p
	}
	if p, ok := opts["priority"]; ok {
		h.Priority = number(p)
	}
	if t, ok := opts["timeout"]; ok {
		if h.Timeout, err = seconds(t); err != nil {
			return fmt.Errorf("%s: options.timeout: %w", name, err)
		}
	}
	h.Scrub = truth(opts["scrub"])
	if p := text(opts["on_error"]); p != "" {
		choices := event.OnErrorChoices(row)
		if !has(choices, p) {
			return fmt.Errorf("%s: options.on_error: got %q, want one of %s for %s", name, p,
				strings.Join(choices, ", "), row.Name)
		}
		h.OnError = event.Failure(p)
	} else if h.Scrub {
		if !has(event.OnErrorChoices(row), string(event.FailBlock)) {
			return fmt.Errorf("%s: options.scrub: the event %s has nothing to "+
				"withhold", name, row.Name)
		}
		h.OnError = event.FailBlock
	}
	return c.Gen.Registry.AddHandler(h)
}

// seconds parses a time limit; 0 = none.
func seconds(v any) (*time.Duration, error) {
	n := number(v)
	if n < 0 || n > 1e6 {
		return nil, fmt.Errorf("got %v, want seconds from 0 (no limit) to 1000000", n)
	}
	d := time.Duration(n * float64(time.Second))
	return &d, nil
}

// maxName is the maximal length in bytes of names that scripts register or store: model APIs limit
// the names of tools to it.
const maxName = 64

// named reports whether name matches pattern and is not too long. A repetition count in the pattern
// would make it many times larger, and it is compiled at each start.
func named(pattern *regexp.Regexp, name string) bool {
	return len(name) <= maxName && pattern.MatchString(name)
}

// toolName matches the names of tools that model APIs accept.
var toolName = lazyregexp.New(`^[A-Za-z0-9_-]+$`)

func tool(c *engine.HostCall) (any, error) {
	spec := c.Args[0].(map[string]any)
	name := text(spec["name"])
	if !named(toolName(), name) {
		return nil, fmt.Errorf("ext.tool: name: got %.80q, want up to 64 letters, digits, - and _",
			name)
	}
	schema, err := schemas.Full(table(spec["schema"]))
	if err != nil {
		return nil, fmt.Errorf("ext.tool: schema: %w", err)
	}
	t := &engine.Tool{Name: name, Description: text(spec["description"]), Schema: schema,
		Kind:     text(spec["kind"]),
		ReadOnly: truth(spec["read_only"]), Override: truth(spec["override"]),
		Source: event.OfScript + c.Gen.Name, Line: c.Pos.Line}
	if a, ok := spec["approve"].(bool); ok {
		t.NoApproval = !a
	}
	if t.Kind == "" {
		t.Kind = "other"
	}
	var timeout *time.Duration
	if v, ok := spec["timeout"]; ok {
		if timeout, err = seconds(v); err != nil {
			return nil, fmt.Errorf("ext.tool: timeout: %w", err)
		}
	}
	gen, fn := c.Gen, spec["run"].(engine.Func)
	t.Run = func(ctx context.Context, use *engine.Use) (*engine.Result, error) {
		return gen.RunTool(ctx, use, name, fn, timeout)
	}
	if err := gen.Engine().CheckTool(t); err != nil {
		return nil, fmt.Errorf("ext.tool: %w", err)
	}
	return nil, gen.Registry.AddTool(t)
}

var (
	commandName  = lazyregexp.New(`^[a-z][a-z0-9_-]*$`)
	commandParam = lazyregexp.New(`^\s*([a-z][a-z0-9_]*)\s+(\S[\s\S]*)$`)
)

func (r *registry) command(c *engine.HostCall) (any, error) {
	spec := c.Args[0].(map[string]any)
	name := text(spec["name"])
	if !named(commandName(), name) {
		return nil, fmt.Errorf(
			"ext.command: name: got %q, want a-z, 0-9, - and _, beginning with a letter, without "+
				"the slash", name)
	}
	if has(r.reserved, name) {
		return nil, fmt.Errorf(
			"ext.command: name: /%s is a command of the program; choose another name", name)
	}
	cmd := &engine.Command{Name: name, Description: text(spec["description"]), Line: c.Pos.Line,
		Run: spec["run"].(engine.Func)}
	cmd.Complete, _ = spec["complete"].(engine.Func)
	if list, ok := spec["args"].([]any); ok {
		cmd.Args = []slash.Param{}
		for i, v := range list {
			p, err := param(v)
			if err != nil {
				return nil, fmt.Errorf("ext.command: args[%d]: %w", i+1, err)
			}
			if n := len(cmd.Args); n > 0 && cmd.Args[n-1].Optional && !p.Optional {
				return nil, fmt.Errorf(
					"ext.command: args[%d]: %s must be optional too: it follows an optional one",
					i+1, p.Name)
			}
			if n := len(cmd.Args); n > 0 && cmd.Args[n-1].List {
				return nil, fmt.Errorf(
					"ext.command: args[%d]: no parameter can follow %s, which takes all words", i+1,
					cmd.Args[n-1].Name)
			}
			if slices.ContainsFunc(cmd.Args,
				func(q slash.Param) bool { return q.Name == p.Name }) {
				return nil, fmt.Errorf("ext.command: args[%d]: duplicate name %s", i+1, p.Name)
			}
			cmd.Args = append(cmd.Args, p)
		}
	}
	return nil, c.Gen.Registry.AddCommand(cmd)
}

// param parses a parameter: its name, and its type in the short form of schemas.
func param(v any) (slash.Param, error) {
	const want = `want text like "n integer?: how many", "what on|off" or "files string[]"`
	s, isText := v.(string)
	if !isText {
		return slash.Param{}, fmt.Errorf("got %s, %s", value.TypeName(v), want)
	}
	m := commandParam().FindStringSubmatch(s)
	if m == nil {
		return slash.Param{}, fmt.Errorf("got %.80q, %s", s, want)
	}
	schema, optional, err := schemas.ShortType(m[2])
	if err != nil {
		return slash.Param{}, fmt.Errorf("%s: %w", m[1], err)
	}
	p := slash.Param{Name: m[1], Optional: optional, Doc: text(schema["description"])}
	if items := table(schema["items"]); items != nil {
		p.List, schema = true, items
	}
	for _, v := range list(schema["enum"]) {
		if strings.ContainsAny(text(v), " \t\n") {
			return slash.Param{},
				fmt.Errorf("%s: %q has a space in it: words of a command have none", p.Name, v)
		}
		p.Values = append(p.Values, text(v))
	}
	switch p.Type = text(schema["type"]); {
	case p.Values != nil:
		p.Type = "string"
	case p.Type == "" || p.Type == "object":
		return slash.Param{}, fmt.Errorf("%s: got %q, which a user cannot type; %s", p.Name, m[2],
			want)
	}
	return p, nil
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
