// Package standard makes an engine as the program has it: with the events and the functions of
// scripts that docs/ describes, with JSON Schema for the arguments of tools, and with an answer to
// which files a call touches. Whoever needs an engine begins here: the program, embedders, and the
// worlds in which scripts are tried.
package standard

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/schemas"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/touch"
)

// Options is what an engine is made of.
type Options struct {
	// Host is what the functions of scripts work on.
	Host host.Options
	// Engine is the rest. Its Events are added to the standard ones; API, Host, Fact, Schema and
	// Touch are set by New.
	Engine engine.Options
	// Wrap returns the functions that scripts get for those that the host has; nil = those.
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
	eo.Schema, eo.Touch = schemas.Compiler{}, touch.Finder{Home: o.Host.User}.Call
	e, err := engine.New(eo)
	if err != nil {
		table.Close()
		return nil, nil, err
	}
	return e, table, nil
}
