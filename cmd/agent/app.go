// This file plugs the program together.
package main

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
	"github.com/agentscripts/agent/scripts"
)

// front is what a front end gives: where events go, and how the user is asked.
type front struct {
	mode     string // tui, print, json
	emit     func(*engine.Event)
	approver engine.Approver // nil: nobody can be asked
	dialogs  engine.Dialogs
	confirm  func(ctx context.Context, question string) (bool, error)
	place    place
}

// place is where the program runs; what is empty is the process's own.
type place struct {
	home string // the folder of everything the user has
	dir  string // the working directory
}

// known fills in what is empty.
func (p place) known() (place, error) {
	var err error
	if p.dir == "" {
		if p.dir, err = os.Getwd(); err != nil {
			return p, fmt.Errorf("working directory: %w", err)
		}
	}
	if p.home == "" {
		p.home, err = home()
	}
	return p, err
}

// app is the program, put together.
type app struct {
	engine *engine.Engine
	loader *load.Loader
	agent  *agent.Agent
	table  *host.Table
	// current is the agent as closures made before it see it.
	current atomic.Pointer[agent.Agent]
	loading atomic.Pointer[load.Loader]
}

// managedScripts is the folder of scripts that an administrator lays down for every user.
const managedScripts = "/etc/agent/scripts"

// commands are the slash commands of the program: no script can have them.
var commands = []string{"help", "scripts", "reload", "clear", "quit"}

// newApp makes the program. Nothing runs until start.
func newApp(f *flags, fr front) (*app, error) {
	at, err := fr.place.known()
	if err != nil {
		return nil, err
	}
	a := &app{}
	settings, warnings := config.Load(at.home)
	a.table = host.New(host.Options{Home: at.home, Version: version, Mode: fr.mode, CWD: at.dir, Reserved: commands, Model: a.model})
	a.engine, err = engine.New(engine.Options{
		Events: spec.Events(), API: spec.API(), Host: a.table.Funcs(), Fact: a.table.Fact,
		Runtimes: []engine.Runtime{lua.New(), js.New()}, Schema: host.Schemas{}, Tools: tool.Builtin(),
		Approver: fr.approver, Dialogs: fr.dialogs, Emit: fr.emit, Envelope: a.envelope, Wedged: a.wedged,
	})
	if err != nil {
		return nil, err
	}
	project := config.Project(at.dir)
	a.loader = load.New(load.Options{Engine: a.engine, Home: at.home, Managed: managedScripts, Project: project, Extra: f.ext,
		NoScripts: f.noScripts, Builtin: []load.Builtin{{Name: "offline.lua", Bytes: scripts.Offline()}}, Confirm: fr.confirm, Joined: a.joined, Watch: true})
	a.loading.Store(a.loader)
	o := agent.Options{Engine: a.engine, Home: at.home, Dir: at.dir, Project: project, Model: f.model, Permission: f.permission,
		Mode: fr.mode, Interactive: fr.approver != nil}
	if o.Model == "" {
		o.Model = settings.Model
	}
	if o.Permission == "" {
		o.Permission = settings.Permission
	}
	limits := f.limits.Over(settings.Limits)
	o.Limits = agent.Limits{Turns: int(limits.Turns), Cost: limits.Cost, Tokens: int(limits.Tokens), Time: limits.Time}
	if a.agent, err = agent.New(o); err != nil {
		return nil, err
	}
	a.current.Store(a.agent)
	for _, w := range warnings {
		a.engine.Notify(nil, "agent", engine.Notice{Text: w.String(), Level: "warn"})
	}
	return a, nil
}

// start loads the scripts and begins the session.
func (a *app) start(ctx context.Context) error {
	if err := a.loader.Start(ctx); err != nil {
		return err
	}
	a.agent.Start(ctx, "startup")
	return nil
}

// close ends the session, then the scripts.
func (a *app) close(ctx context.Context, cause string) {
	a.agent.Close(ctx, cause)
	a.shut()
}

// shut ends the scripts.
func (a *app) shut() {
	a.loader.Close()
	a.engine.Close()
	a.table.Close()
}

// The engine exists before the agent and the loader; these closures bridge the gap.

func (a *app) envelope() *engine.Envelope {
	if ag := a.current.Load(); ag != nil {
		return ag.Envelope()
	}
	return nil
}

func (a *app) model() string {
	if ag := a.current.Load(); ag != nil {
		return ag.Model()
	}
	return ""
}

func (a *app) joined(g *engine.Generation) {
	if ag := a.current.Load(); ag != nil {
		ag.Joined(context.Background(), g)
	}
}

func (a *app) wedged(g *engine.Generation) {
	if l := a.loading.Load(); l != nil {
		l.Replace(g)
	}
}

// resized tells that the terminal has another size.
func (a *app) resized(width, height int) {
	a.engine.Emit(a.engine.NewEvent("terminal_resize", a.envelope(), map[string]any{"width": width, "height": height}))
}
