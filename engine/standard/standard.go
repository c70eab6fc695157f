// Package standard makes an engine with the program's standard parts: the events and functions of
// scripts described in docs/, JSON Schema for the arguments of tools, and the analysis of the files
// that a call touches. The program, embedders, and tests of scripts all create their engines with
// it.
package standard

import (
	"context"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/schemas"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/touch"
)

// Options are the options of an engine.
type Options struct {
	// Host configures the functions of scripts.
	Host host.Options
	// Engine is the rest. Its Events are added to the standard ones; API, Host, Fact, Schema and
	// Touch are set by New.
	Engine engine.Options
	// Wrap may replace the functions that scripts get; nil = no change.
	Wrap func(map[string]engine.HostFunc) map[string]engine.HostFunc
}

// New returns an engine, and the table of the functions that its scripts call. The caller closes
// the engine, and then the table. The errors are those of engine.New.
func New(o Options) (*engine.Engine, *host.Table, error) {
	table := host.New(o.Host)
	eo := o.Engine
	eo.Events = append(spec.Events(), eo.Events...)
	eo.API, eo.Host, eo.Fact = spec.API(), table.Funcs(), table.Fact
	if o.Wrap != nil {
		eo.Host = o.Wrap(eo.Host)
	}
	eo.Schema = schemas.Compiler{}
	var e *engine.Engine
	finder := touch.Finder{Home: o.Host.User}.In(o.Host.Environment)
	eo.Touch = func(ctx context.Context, c *engine.Call, t *engine.Tool) engine.Touched {
		ended := func() bool { return ctx != nil && ctx.Err() != nil }
		f := finder
		f.Ended, f.Wrote = ended, e.Written()
		return f.Call(c, t)
	}
	var err error
	e, err = engine.New(eo)
	if err != nil {
		table.Close()
		return nil, nil, err
	}
	return e, table, nil
}
