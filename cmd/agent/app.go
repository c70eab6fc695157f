// This file plugs the program together.

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/command"
	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/ignore"
	"github.com/agentscripts/agent/agent/llm"
	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/agent/skill"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/scripts"
)

// front is what a front end gives: where events go, and how the user is asked.
type front struct {
	mode     string // tui, print, json
	emit     func(*engine.Event)
	approver engine.Approver // nil: nobody can be asked
	dialogs  engine.Dialogs
	surface  *engine.Surface // nil: scripts have no screen
	confirm  func(ctx context.Context, question string) (bool, error)
	exit     func() // a script ends the program; nil: it ends by itself
	place    place
	servers  []config.MCPServer // that an editor names, besides those of the settings
}

// place is where the program runs; what is empty is the process's own.
type place struct {
	home string // the folder of everything the user has
	dir  string // the working directory
	user string // the user's home directory; "" and a home = nothing is read there
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
		p.user, _ = os.UserHomeDir()
		p.home, err = home()
	}
	return p, err
}

// app is the program, put together.
type app struct {
	engine *engine.Engine
	agent  *agent.Agent
	flags  *flags
	models []config.Model  // what the user knows of models
	known  []config.Option // what the settings say of scripts
	output *output.Store
	jobs   *tool.Jobs
	unlog  func() // ends logging of libraries

	mcp      *mcpServers
	skills   *skill.Store
	commands *command.Commands
}

// managedScripts is the folder of scripts that an administrator lays down for every user.
const managedScripts = "/etc/agent/scripts"

// onScreen are the slash commands of the screen: no script can have them.
func onScreen() []string { return []string{"help", "scripts", "reload", "quit"} }

// reserved are they and the agent's own.
func reserved() []string {
	names := onScreen()
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
	settings, warnings := config.Load(at.home)
	a := &app{flags: f, models: settings.Models, known: settings.Options, output: output.New(at.home), jobs: tool.NewJobs()}
	servers := llm.Options{Config: settings, Env: os.Getenv}
	providers, notes := llm.Providers(servers)
	var warned []string
	a.mcp, warned = newServers(a, fr, at, settings)
	o, err := a.options(fr, at, settings)
	if err != nil {
		return nil, err
	}
	o.Providers, o.Describe, o.Like, o.Secrets = providers, llm.Describe(servers), llm.Like(servers), append(llm.Secrets(servers), a.mcp.keys()...)
	if a.agent, err = agent.New(o); err != nil {
		return nil, err
	}
	a.engine = a.agent.Engine()
	a.unlog = a.logLibraries(at.home)
	if err := a.addFiles(at, o.Project); err != nil {
		return nil, err
	}
	if lines := a.agent.Session().Damaged(); len(lines) > 0 {
		notes = append([]string{damaged(a.agent.Session().Path(), lines)}, notes...)
	}
	for _, w := range warnings {
		notes = append(notes, w.String())
	}
	notes = append(notes, emptyFolders(f.ext)...)
	if err := makeScripts(at.home); err != nil {
		notes = append(notes, err.Error())
	}
	notes = append(notes, warned...)
	for _, text := range notes {
		a.engine.Notify(nil, "agent", engine.Notice{Text: text, Level: "warn"})
	}
	return a, nil
}

// options are what the command line says of the agent, and where that says nothing, the user's settings.
func (a *app) options(fr front, at place, settings *config.Config) (agent.Options, error) {
	f := a.flags
	s, err := f.session.open(at.sessions())
	if err != nil {
		return agent.Options{}, err
	}
	limits := f.limits.Over(settings.Limits)
	return agent.Options{Home: at.home, Dir: at.dir, Project: config.Project(at.dir), Session: s, Version: version,
		Runtimes: runtimes(), Tools: tool.Builtin(a.tools(settings)), Output: a.output, Jobs: a.jobs,
		Scripts: agent.Scripts{Known: at.guardList(), Off: f.noScripts, Managed: managedScripts, Extra: f.ext, Builtin: []load.Builtin{{Name: "offline.lua", Bytes: scripts.Offline()}},
			Reserved: onScreen(), Watch: true, Confirm: fr.confirm, Setting: f.setting(settings.Options)},
		Model: or(f.model, settings.Model), SmallModel: settings.SmallModel, Permission: or(f.permission, settings.Permission), Thinking: or(f.thinking, settings.Thinking),
		Limits: agent.Limits{Turns: int(limits.Turns), Cost: limits.Cost, Tokens: int(limits.Tokens), Time: limits.Time, ScriptInputs: int(limits.Inputs)},
		Mode:   fr.mode, Interactive: fr.approver != nil, Approver: fr.approver, Dialogs: fr.dialogs, Surface: fr.surface, Emit: fr.emit, Exit: fr.exit, Rules: a.rules(at, settings),
		Skills: func() string { return a.skills.Prompt() }, Refresh: func() { a.commands.Refresh() }, Ready: a.ready(fr.mode)}, nil
}

// tools is what the built-in tools need.
func (a *app) tools(settings *config.Config) tool.Options {
	return tool.Options{Output: a.output, Jobs: a.jobs, Ignore: ignore.UserFiles(os.Getenv("HOME"), os.Getenv("XDG_CONFIG_HOME")),
		Fetch: tool.FetchOptions{Private: settings.Tools.FetchPrivate, Allow: settings.Tools.FetchAllow, Proxy: http.ProxyFromEnvironment, Version: version}}
}

func or[T ~string](value, otherwise T) T {
	if value != "" {
		return value
	}
	return otherwise
}

// ready makes a prompt wait for MCP servers, but for a screen: there a user would wonder, and the tools come a request later.
func (a *app) ready(mode string) func(ctx context.Context) {
	if mode == "tui" {
		return nil
	}
	return func(ctx context.Context) { a.mcp.ready(ctx) }
}

// startGC is how much the heap may grow, in percent, before it is collected while the program starts: nearly all that is made then
// stays, and to look through it again and again was a tenth of a start with many scripts.
const startGC = 400

// start loads the scripts and begins the session.
func (a *app) start(ctx context.Context) error {
	defer debug.SetGCPercent(debug.SetGCPercent(startGC))
	a.mcp.start()
	if err := a.agent.LoadScripts(ctx); err != nil {
		return err
	}
	a.tellUnknownSettings()
	a.commands.Start()
	cause := "startup"
	if a.flags.session.given() {
		cause = "resume"
	}
	if err := a.agent.Start(ctx, cause); err != nil {
		return err
	}
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
	a.mcp.close()
	a.agent.Shut()
	a.output.Close()
	a.unlog()
}

// resized tells that the terminal has another size.
func (a *app) resized(width, height int) {
	a.engine.Emit(a.engine.NewEvent("terminal_resize", a.agent.Envelope(), map[string]any{"width": width, "height": height}))
}
