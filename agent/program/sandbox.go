// This file confines the programs that the agent runs.

package program

import (
	"context"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/permission"
	"github.com/agentscripts/agent/agent/sandbox"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/protect"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/touch"
)

// Confined describes a program's sandbox.
type Confined struct {
	Agent    agent.Options // places, scripts and rules
	User     string        // the user's home
	Settings *config.Config
	Loaded   func() []string // files of the scripts that are loaded
	// Guards returns the guards of engine.Snapshot.PathGuards; nil = there are none.
	Guards  func() []engine.PathGuard
	Offline func() bool // as sandbox.Options.Offline
	Warn    func(text string)
}

// NewSandbox returns the sandbox of the settings.
func NewSandbox(o Confined) *sandbox.Sandbox {
	a := o.Agent
	places := protect.Places{Home: a.Home, User: o.User, Project: a.Project,
		Scripts: a.Scripts.Places(), Own: []string{a.Scripts.Known}}
	so := sandbox.Options{Home: a.Home, User: o.User, Project: a.Project,
		Config: o.Settings.Sandbox, Offline: o.Offline, Missing: o.Warn,
		Rooted:    func(pattern string) string { return touch.Rooted(pattern, a.Project, o.User) },
		Protected: func() []string { return places.Paths(o.Loaded()) }}
	rules, _ := a.Rules.(*permission.Rules)
	so.Rules = func() (writes, reads []string) {
		if rules != nil {
			writes, reads = rules.Paths()
		}
		if o.Guards == nil {
			return writes, reads
		}
		for _, g := range o.Guards() {
			if g.What == "writes" {
				writes = append(writes, so.Rooted(g.Glob))
			} else {
				reads = append(reads, so.Rooted(g.Glob))
			}
		}
		return writes, reads
	}
	so.By = func(what, pattern string) fence.Reason {
		if rules != nil {
			if text, deny := rules.Named(what == "writes", pattern); text != "" {
				return fence.Reason{Text: "your rule " + text, Rule: text, Denies: deny}
			}
		}
		if o.Guards == nil {
			return fence.Reason{}
		}
		for _, g := range o.Guards() {
			if g.What == what && so.Rooted(g.Glob) == pattern {
				return guardReason(&g)
			}
		}
		return fence.Reason{}
	}
	return sandbox.New(so)
}

// guardReason describes a guard that the sandbox holds.
func guardReason(g *engine.PathGuard) fence.Reason {
	r := fence.Reason{Script: g.By.ScriptName(), Line: g.By.Line, Glob: g.Glob,
		Denies: g.Blocks()}
	if g.By.Gen != nil {
		r.Version = g.By.Gen.Hash
	}
	r.Text = fault.Position{File: r.Script, Line: r.Line}.String() + ", " + g.What + " " + g.Glob
	return r
}

// confine sets the sandbox of programs, unless the embedder has set one or left it out.
func (p *Program) confine(o *Options) {
	a := &o.Agent
	if a.Fence != nil || o.Without.Sandbox || p.Settings.Sandbox.Mode == string(fence.None) {
		return
	}
	p.Sandbox = NewSandbox(Confined{Agent: *a, User: o.User, Settings: p.Settings, Warn: p.Warn,
		Guards:  func() []engine.PathGuard { return p.Engine.Scripts.Snapshot().PathGuards() },
		Loaded:  func() []string { return p.Engine.Scripts.Snapshot().Files() },
		Offline: func() bool { return p.permission() == event.PermissionAuto }})
	a.Fence = p.Sandbox.Fence
}

// permission returns the permission mode.
func (p *Program) permission() event.Permission {
	if env := p.Agent.Envelope(); env != nil {
		return env.Permission
	}
	return p.o.Agent.Permission
}

// sandboxCommand is /sandbox.
func (p *Program) sandboxCommand() engine.Plugin {
	return engine.Plugin{Name: "sandbox", Commands: []*engine.Command{{Name: "sandbox",
		Source: "builtin", Args: []slash.Param{},
		Description: "what programs may do that the agent runs",
		GoRun: func(context.Context, *event.Envelope, any) (slash.Result, error) {
			text := sandbox.State{Method: fence.None, Why: "the settings turn it off"}.String()
			if p.Sandbox != nil {
				text = p.Sandbox.State().String()
			}
			return slash.Result{Display: "```\n" + text + "\n```"}, nil
		}}}}
}
