// This file assembles the program.

package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/program"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/scripts"
)

// front is what a front end provides: where events go, and how the user is asked.
type front struct {
	mode     string // tui, print, json
	emit     func(*event.Event)
	wants    event.Interest  // the events for emit; nil: all
	approver engine.Approver // nil: no one can approve
	dialogs  ui.Dialogs
	surface  *ui.Surface // nil: scripts have no screen
	confirm  func(ctx context.Context, d *ui.Dialog) (bool, error)
	exit     func()                       // ends the program for a script; nil: it ends by itself
	started  func(pid int) (ended func()) // called for each started command; may be nil
	place    place
	servers  []config.MCPServer // named by an editor, in addition to those of the settings
}

// family returns the family of this process.
var family = sync.OnceValue(process.NewFamily)

// place is where the program runs. Empty fields stand for the process's own values.
type place struct {
	home string        // the folder of all the user's files
	dir  string        // the working directory
	user string        // the user's home directory; if empty and home is set, nothing is read there
	heap func() uint64 // as in engine.Options

	managed string // the folder of scripts for all users
}

// withDefaults fills in empty fields.
func (p place) withDefaults() (place, error) {
	var err error
	if p.dir == "" {
		if p.dir, err = os.Getwd(); err != nil {
			return p, fmt.Errorf("working directory: %w", err)
		}
	}
	if p.home == "" {
		p.user, _ = os.UserHomeDir()
		p.home, err = program.Home()
	}
	p.managed = cmp.Or(p.managed, managedScripts)
	return p, err
}

// app is the assembled program.
type app struct {
	program *program.Program
	engine  *engine.Engine
	agent   *agent.Agent
	flags   *flags
	home    string
	dir     string
	at      place
	first   bool   // this is the first start
	unlog   func() // ends the logging of libraries
}

// managedScripts is the folder of scripts that an administrator installs for every user.
const managedScripts = "/etc/agent/scripts"

// onScreen returns the slash commands of the screen. Scripts cannot use their names.
func onScreen() []string {
	return []string{"ext", "help", "keys", "scripts", "welcome", "reload", "theme", "quit"}
}

// reserved returns the names in onScreen and those of the agent's own commands.
func reserved() []string {
	names := onScreen()
	for _, c := range agent.Commands() {
		names = append(names, c.Name)
	}
	return names
}

// newApp assembles the program. Nothing runs until startSession.
func newApp(f *flags, fr front) (*app, error) {
	at, err := fr.place.withDefaults()
	if err != nil {
		return nil, err
	}
	session, err := f.session.openSession(at.sessions())
	if err != nil {
		return nil, err
	}
	a := &app{flags: f, home: at.home, dir: at.dir, at: at}
	a.program, err = program.New(program.Options{User: at.user, Offline: scripts.Offline(),
		Skills: builtinSkills(), Servers: fr.servers, Loaded: a.loaded,
		Without: program.Parts{Sandbox: f.noSandbox},
		Adjust:  func(c *config.Config) { c.Limits = f.limits.Over(c.Limits) },
		Agent: agent.Options{Home: at.home, Dir: at.dir, Session: session, Version: version(),
			Runtimes: runtimes(), Heap: at.heap,
			Scripts: agent.Scripts{Known: at.guardList(), Off: f.noScripts, Managed: at.managed,
				Extra: f.ext, Reserved: onScreen(), Confirm: fr.confirm, Setting: f.setting},
			Model: f.model, Permission: f.permission, Thinking: f.thinking,
			Mode: fr.mode, Approver: fr.approver, Dialogs: fr.dialogs, Surface: fr.surface,
			Emit: fr.emit, EmitWants: fr.wants, Exit: fr.exit, Started: fr.started,
			Family: family()}})
	if err != nil {
		return nil, err
	}
	a.agent, a.engine = a.program.Agent, a.program.Engine
	a.unlog = a.logLibraries(at.home)
	var notes []string
	if lines := a.agent.Session().Damaged(); len(lines) > 0 {
		notes = append(notes, damaged(a.agent.Session().Path(), lines))
	}
	notes = append(notes, emptyFolders(f.ext)...)
	if a.first, err = makeScripts(at.home); err != nil {
		notes = append(notes, plain.Error(err))
	}
	for _, text := range notes {
		a.program.Warn(text)
	}
	return a, nil
}

// startSession loads the scripts and begins the session.
func (a *app) startSession(ctx context.Context) error {
	cause := "startup"
	if a.flags.session.given() {
		cause = "resume"
	}
	if err := a.program.Start(ctx, cause); err != nil {
		return err
	}
	if name := a.flags.session.name; name != "" {
		if _, err := a.agent.Name(name); err != nil {
			return fmt.Errorf("--name: %w", err)
		}
	}
	return nil
}

// close ends the session, then closes the scripts.
func (a *app) close(ctx context.Context, cause string) {
	a.program.Close(ctx, cause)
	a.unlog()
}

// closeScripts closes the scripts.
func (a *app) closeScripts() {
	a.program.Shut()
	a.unlog()
}

// resized reports a new size of the terminal.
func (a *app) resized(width, height int) {
	a.engine.Emitter.Emit(a.engine.Events.New(a.agent.Envelope(),
		event.TerminalResize{Width: width, Height: height}))
}
