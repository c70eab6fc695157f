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
	// Guards returns the globs of engine.Snapshot.PathGuards; nil = there are none.
	Guards  func() (writes, reads []string)
	Offline func() bool // as sandbox.Options.Offline
	Warn    func(text string)
}

// NewSandbox returns the sandbox of the settings.
func NewSandbox(o Confined) *sandbox.Sandbox {
	a := o.Agent
	places := protect.Places{Home: a.Home, User: o.User, Project: a.Project,
		Scripts: a.Scripts.Extra, Own: []string{a.Scripts.Known}}
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
		w, r := o.Guards()
		for i, into := range []*[]string{&writes, &reads} {
			for _, pattern := range [][]string{w, r}[i] {
				*into = append(*into, so.Rooted(pattern))
			}
		}
		return writes, reads
	}
	return sandbox.New(so)
}

// confine sets the sandbox of programs, unless the embedder has set one or left it out.
func (p *Program) confine(o *Options) {
	a := &o.Agent
	if a.Fence != nil || o.Without.Sandbox || p.Settings.Sandbox.Mode == string(fence.None) {
		return
	}
	p.Sandbox = NewSandbox(Confined{Agent: *a, User: o.User, Settings: p.Settings, Warn: p.Warn,
		Guards: func() (writes, reads []string) {
			return p.Engine.Scripts.Snapshot().PathGuards()
		},
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
		Source: "builtin", Description: "what programs may do that the agent runs",
		GoRun: func(context.Context, *event.Envelope, any) (slash.Result, error) {
			text := sandbox.State{Method: fence.None, Why: "the settings turn it off"}.String()
			if p.Sandbox != nil {
				text = p.Sandbox.State().String()
			}
			return slash.Result{Display: "```\n" + text + "\n```"}, nil
		}}}}
}
