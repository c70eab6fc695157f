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
	exit     func() // a script ends the program; nil: it ends by itself
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
	flags  *flags
	// current is the agent as closures made before it see it.
	current atomic.Pointer[agent.Agent]
	loading atomic.Pointer[load.Loader]
}

// managedScripts is the folder of scripts that an administrator lays down for every user.
const managedScripts = "/etc/agent/scripts"

// reserved are the slash commands of the screen and of the agent: no script can have them.
func reserved() []string {
	names := []string{"help", "scripts", "reload", "quit"}
	for _, c := range agent.Commands() {
		names = append(names, c.Name)
	}
	return names
}

// newApp makes the program. Nothing runs until start.
func newApp(f *flags, fr front) (*app, error) {
	at, err := fr.place.known()
	if err != nil {
		return nil, err
	}
	a := &app{flags: f}
	project := config.Project(at.dir)
	settings, warnings := config.Load(at.home)
	a.table = host.New(host.Options{Home: at.home, Version: version, Mode: fr.mode, CWD: at.dir, Reserved: reserved(), Model: a.model,
		Services: a.services})
	a.engine, err = engine.New(engine.Options{
		Events: spec.Events(), API: spec.API(), Host: a.table.Funcs(), Fact: a.table.Fact,
		Runtimes: []engine.Runtime{lua.New(), js.New()}, Schema: host.Schemas{}, Tools: append(tool.Builtin(), agent.Tool(a.current.Load)),
		Approver: fr.approver, Dialogs: fr.dialogs, Emit: fr.emit, Envelope: a.envelope, Wedged: a.wedged,
	})
	if err != nil {
		return nil, err
	}
	a.loader = load.New(load.Options{Engine: a.engine, Home: at.home, Managed: managedScripts, Project: project, Extra: f.ext,
		NoScripts: f.noScripts, Builtin: []load.Builtin{{Name: "offline.lua", Bytes: scripts.Offline()}}, Confirm: fr.confirm, Joined: a.joined, Watch: true})
	a.loading.Store(a.loader)
	if a.agent, err = newAgent(a.engine, f, fr, at, settings); err != nil {
		return nil, err
	}
	a.current.Store(a.agent)
	if lines := a.agent.Session().Damaged(); len(lines) > 0 {
		a.engine.Notify(nil, "agent", engine.Notice{Text: damaged(a.agent.Session().Path(), lines), Level: "warn"})
	}
	for _, w := range warnings {
		a.engine.Notify(nil, "agent", engine.Notice{Text: w.String(), Level: "warn"})
	}
	return a, nil
}

// newAgent makes the agent of what the command line says, and where that says nothing, of the user's settings.
func newAgent(e *engine.Engine, f *flags, fr front, at place, settings *config.Config) (*agent.Agent, error) {
	s, err := f.session.open(at.sessions())
	if err != nil {
		return nil, err
	}
	limits := f.limits.Over(settings.Limits)
	return agent.New(agent.Options{Engine: e, Home: at.home, Dir: at.dir, Project: config.Project(at.dir), Session: s,
		Model: or(f.model, settings.Model), Permission: or(f.permission, settings.Permission), Thinking: or(f.thinking, settings.Thinking),
		Limits: agent.Limits{Turns: int(limits.Turns), Cost: limits.Cost, Tokens: int(limits.Tokens), Time: limits.Time},
		Mode:   fr.mode, Interactive: fr.approver != nil, Exit: fr.exit})
}

func or[T ~string](value, otherwise T) T {
	if value != "" {
		return value
	}
	return otherwise
}

// start loads the scripts and begins the session.
func (a *app) start(ctx context.Context) error {
	if err := a.loader.Start(ctx); err != nil {
		return err
	}
	cause := "startup"
	if a.flags.session.given() {
		cause = "resume"
	}
	a.agent.Start(ctx, cause)
	if name := a.flags.session.name; name != "" {
		if _, err := a.agent.Name(name); err != nil {
			return fmt.Errorf("--name: %w", err)
		}
	}
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

func (a *app) services() *engine.Services {
	if ag := a.current.Load(); ag != nil {
		return ag.Services()
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
