// This file calls functions of scripts, with the argument `call`, for commands and tools.

package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/event"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// CallInfo is the `call` argument of a script's run function: the envelope's fields and methods.
type CallInfo struct {
	Env     *event.Envelope
	Methods map[string]*Builtin // progress, cancelled, defer, widget
}

// Get implements Object.
func (c *CallInfo) Get(key string) (any, bool) {
	if m := c.Methods[key]; m != nil {
		return m, true
	}
	return c.Env.Get(key)
}

// Keys implements Object.
func (c *CallInfo) Keys() []string {
	keys := c.Env.Keys()
	for i := range callMethods {
		keys = append(keys, callMethods[i].Name)
	}
	return keys
}

// CallFields describes the keys of a CallInfo: keys of the envelope, and methods.
func CallFields() []value.Field { return append(event.CallFields(), callMethods[:]...) }

// callShape is the shape of a CallInfo.
var callShape = value.TableShape("call", CallFields()).Of(suggest.ForeignCall)

// Shape implements Shaped.
func (c *CallInfo) Shape() *value.Shape { return callShape }

// callMethods describe the Methods of a CallInfo.
var callMethods = [...]value.Field{
	{Name: "progress", Type: "function", Takes: []value.Field{{Name: "text", Type: "string"}},
		Doc: "progress(text): shows a line while a tool runs; in a command, a notice"},
	{Name: "cancelled", Type: "function", Takes: []value.Field{}, Answer: "boolean",
		Doc: "cancelled() reports whether the call has been cancelled: waiting functions then " +
			"end by themselves, a " +
			"loop asks"},
	{Name: "defer", Type: "function",
		Takes: []value.Field{{Name: "fn", Type: "function", Takes: []value.Field{}}},
		Doc: "defer(fn): fn is called when the call has ended, however it did; the last one " +
			"first"},
	{Name: "widget", Type: "function",
		Doc: "widget(key, lines, options): ext.ui.widget for the duration of the call (needs the " +
			"grant ui)"},
}

// Run calls fn, a function that g registered, as a run of the given kind, and waits for it. If its
// VM does not stop when interrupted, Run returns without waiting further. It may be called from any
// goroutine that does not hold the turn of g's VM. It ends r.
func (g *Generation) Run(r *Run, fn Func, args ...any) (any, error) {
	if !g.pin() {
		r.End()
		return nil, g.scriptError(vm.ErrClosed, r.Label)
	}
	unpin := sync.OnceFunc(g.unpin)
	began := time.Now()
	var v any
	var err error
	s := vm.NewStrand()
	done := make(chan struct{})
	go func() {
		defer unpin()
		defer r.End()
		s.Enter(&r.Run)
		value, failure := callScript(r, fn, args...)
		if s.Leave(&r.Run) {
			v, err = chat.Plain(value), failure
			r.End() // resources of the call are released before its result is delivered
			unpin()
			close(done)
		}
	}()
	select {
	case <-done:
	case err = <-s.Lost():
		unpin() // no one else does if it never returns
	}
	g.tally.addCall(time.Since(began), err)
	if err != nil {
		return nil, g.scriptError(err, r.Label)
	}
	return v, nil
}

// runCommand runs a function that a user has invoked, with call as its last argument, and parses
// its result. It reports a failure.
func (g *Generation) runCommand(ctx context.Context, r *Run, fn Func, line int,
	args ...any) (slash.Result, error) {
	e := g.engine
	progress := func(text string) {
		e.Notices.Notify(r.Env, g.Name, ui.Notice{Text: text, Level: "info"})
	}
	v, err := g.Run(r, opened{fn}, append(args, g.NewCall(r, progress))...)
	var out slash.Result
	if err != nil {
		err = fault.Of(err).Placed(g.Bytes, line)
	} else {
		out, err = g.commandResult(r, line, v)
		if err != nil {
			err = g.wrong(err, r.Label, line)
		}
	}
	if err != nil {
		if ctx.Err() == nil {
			e.Notices.reportError(fault.Of(err), r.Env)
		}
		return slash.Result{}, err
	}
	return out, nil
}

// NewCall makes the `call` argument of a script's run function.
func (g *Generation) NewCall(r *Run, progress func(text string)) *CallInfo {
	row := func(name string, params ...value.Field) *APIRow {
		return &APIRow{Name: "call." + name,
			Params: params}
	}
	return &CallInfo{Env: r.Env, Methods: map[string]*Builtin{
		"progress": {Bare: true, Row: row("progress", value.Field{Name: "text", Type: "string"}),
			Func: func(c *HostCall) (any, error) {
				progress(c.Args[0].(string))
				return nil, nil
			}},
		"widget": g.callWidget(r),
		"cancelled": {Bare: true, Row: row("cancelled"),
			Func: func(*HostCall) (any, error) { return r.Err() != nil, nil }},
		"defer": {Bare: true, Row: row("defer", value.Field{Name: "fn", Type: "function"}),
			Func: func(c *HostCall) (any, error) {
				fn := c.Args[0].(Func)
				r.Defer(func() { g.runDeferred(r, fn) })
				return nil, nil
			}},
	}}
}

// callWidget is ext.ui.widget for the duration of a call: its widgets are removed when the call
// ends, and calls do not affect each other's.
func (g *Generation) callWidget(r *Run) *Builtin {
	widget := g.engine.builtin("ui.widget")
	if widget == nil {
		return &Builtin{Bare: true, Row: &APIRow{Name: "call.widget",
			Params: []value.Field{{Name: "key", Type: "any?"},
				{Name: "rest", Type: "any?", Rest: true}}},
			Func: func(*HostCall) (any, error) {
				return nil,
					errors.New("call.widget: there are no widgets here")
			}}
	}
	row := *widget.Row
	row.Name = "call.widget"
	keys := map[string]string{}
	return &Builtin{Bare: true, Row: &row, Func: func(c *HostCall) (any, error) {
		key, _ := c.Args[0].(string)
		if keys[key] == "" {
			keys[key] = fmt.Sprintf("%s#%d", key, g.engine.Commands.widgets.Add(1))
			r.Defer(func() {
				_, _ = widget.Func(&HostCall{Gen: g, Run: r, Args: []any{keys[key], nil, nil}})
			})
		}
		c.Args[0] = keys[key]
		return widget.Func(c)
	}}
}

// runDeferred runs a function that a script deferred to the end of a call, whatever the result of
// the call.
func (g *Generation) runDeferred(r *Run, fn Func) {
	d := NewRun(context.WithoutCancel(r.Parent()), g, vm.KindObserver, r.Label+" (deferred)", r.Env,
		nil)
	r.Strand().Enter(&d.Run) // if its VM is abandoned, no one waits
	defer d.End()
	if _, err := callScript(d, fn); err != nil {
		g.engine.Notices.reportError(g.scriptError(err, d.Label), r.Env)
	}
}

// wrong returns the error of a function that was registered at line and returned an invalid value.
func (g *Generation) wrong(err error, label string, line int) *fault.ScriptError {
	se := g.scriptError(err, label)
	se.Line = line
	se.Excerpt = fault.Excerpt(g.Bytes, line, 0)
	return se
}

// RunTool runs a script's tool function; it is the Tool.Run of scripts' tools.
func (g *Generation) RunTool(ctx context.Context, use *Use, name string, fn Func,
	timeout *time.Duration) (*Result, error) {
	r := NewRun(ctx, g, vm.KindTool, "tool "+name, use.Env, timeout)
	args := value.Typed{Value: use.Args, Shape: g.Registry.argsShape(name)}
	v, err := g.Run(r, fn, args, g.NewCall(r, func(text string) { use.Output(text+"\n", false) }))
	if err != nil {
		err = fault.Of(err).Placed(g.Bytes, g.Registry.toolLine(name))
		if ctx.Err() == nil {
			g.engine.Notices.reportError(fault.Of(err), use.Env)
		}
		return nil, err
	}
	out, err := DecodeResult(v)
	if err != nil {
		err = g.wrong(err, r.Label, g.Registry.toolLine(name))
		g.engine.Notices.reportError(fault.Of(err), use.Env)
	}
	return out, err
}

// commandResult parses the result of a function that was registered at line, and opens its panel.
func (g *Generation) commandResult(r *Run, line int, v any) (slash.Result, error) {
	if v == nil || v == false {
		return slash.Result{}, nil
	}
	var panels []value.Field
	open := g.engine.builtin("ui.panel")
	if open != nil {
		panels = open.Row.Params[0].Fields
	}
	c, err := value.Check(value.Field{Type: "table", Fields: slash.ResultFields(panels)}, v)
	if err != nil {
		return slash.Result{},
			fmt.Errorf("returned%w; return nil, {prompt=}, {insert=}, {display=}, {panel=} or "+
				"{error=}", err)
	}
	m := c.(map[string]any)
	out := slash.Result{Prompt: value.Text(m, "prompt"), Insert: value.Text(m, "insert"),
		Display: value.Text(m, "display"), Error: value.Text(m, "error")}
	if panel, ok := m["panel"].(map[string]any); ok {
		if err := g.openPanel(r, line, open, panel, &out); err != nil {
			return slash.Result{}, err
		}
		delete(m, "panel")
	}
	if err := value.CheckSize(m); err != nil {
		return slash.Result{}, fmt.Errorf("returned: %w", err)
	}
	return out, nil
}

// openPanel opens the panel that r has returned, as ext.ui.panel does. If there is no screen, it
// says so in out, unless out has another result.
func (g *Generation) openPanel(r *Run, line int, open *Builtin, panel map[string]any,
	out *slash.Result) error {
	name := r.Label + " panel"
	if !g.Header.Grants.Has(open.Row.Grant) {
		return Needs(name, open.Row.Grant)
	}
	if s := g.engine.Screen.Surface(); s == nil || s.Open == nil {
		if out.Prompt+out.Insert+out.Display+out.Error == "" {
			out.Display = strings.TrimPrefix(r.Label, "command ") +
				" opens a panel, and there is no screen for it here"
		}
		return nil
	}
	_, err := open.Func(&HostCall{Gen: g, Run: r, Args: []any{panel}, As: name,
		Pos: fault.Position{File: g.Name, Line: line}})
	return err
}
