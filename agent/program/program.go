// Package program is the whole agent without a screen: package agent with everything that the
// command-line program adds to it.
//
//	p, err := program.New(program.Options{Agent: agent.Options{Runtimes: runtimes},
//		Offline: scripts.Offline()}) // runtimes: lua.New(), js.New()
//	defer p.Close(ctx, "exit")
//	err = p.Start(ctx, "startup")
//	end := p.Agent.Prompt(ctx, agent.Input{Text: "what is in here?"})
//
// It reads config.toml, and includes the providers, the rules about tool calls, the MCP servers,
// the skills and the slash commands that the user has configured. Scripts are live: a saved change
// takes effect with the next call. Each part can be left out: see Parts.
//
// It knows no script language: the embedder provides the runtimes, and the source of the offline
// model.
package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/internal/command"
	"github.com/agentscripts/agent/agent/internal/ignore"
	"github.com/agentscripts/agent/agent/llm"
	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/agent/permission"
	"github.com/agentscripts/agent/agent/sandbox"
	"github.com/agentscripts/agent/agent/skill"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/hosts"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/option"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
)

// Options configures a Program. Nothing is required; the zero Options has no script languages.
type Options struct {
	// Agent configures the agent and has priority over the user's settings. Home "" is the user's
	// own, see Home; Tools, Providers, Events and Secrets precede the program's. Scripts.Watch is
	// always set.
	Agent agent.Options
	// User is the user's home directory; "" is the process's if Agent.Home is "" too, and otherwise
	// none.
	User string
	// source of the offline model, scripts.Offline(); nil = left out
	Offline []byte
	Skills  []skill.Builtin    // part of the program
	Servers []config.MCPServer // in addition to those of the settings
	// changes the settings after they were read; may be nil
	Adjust func(*config.Config)
	// called after the scripts have been loaded, before the session begins; an error prevents
	// that; may be nil
	Loaded  func() error
	Without Parts
}

// Parts are parts of a program that can be left out.
type Parts struct {
	// the user's own folder: no settings, sessions, scripts and stored rules
	Home     bool
	Settings bool // config.toml
	Rules    bool // about tool calls, from config.toml and the answer "always"
	// model servers, except the embedder's own, those of scripts, and the offline model
	Providers bool
	MCP       bool // servers of the settings and of the project
	Skills    bool
	Commands  bool // slash commands in Markdown files
	Watch     bool // live scripts: without it, they are read at the start and by Agent.Reload
	Sandbox   bool // programs run as the user
}

// Program is an agent with everything around it. Its methods belong to one owner; Agent and Engine
// are safe for concurrent use.
type Program struct {
	Agent    *agent.Agent
	Engine   *engine.Engine
	Settings *config.Config   // as read and adjusted
	Sandbox  *sandbox.Sandbox // nil = left out, or of the embedder
	Keeper   *load.Settings   // of the settings in force; nil = there is no home

	o          Options
	project    *Project // nil = there is no home, and nothing can be trusted
	reviewing  sync.Mutex
	stopReview context.CancelFunc
	output     *output.Store
	mcp        *mcpServers
	skills     *skill.Store      // nil = left out
	commands   *command.Commands // nil = left out
}

// Home returns the user's own folder of settings, sessions and scripts: AGENT_HOME, or .agent in
// the home directory.
func Home() (string, error) {
	if h := os.Getenv("AGENT_HOME"); h != "" {
		return filepath.Abs(h)
	}
	h, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New(
			"no home directory; set AGENT_HOME to a folder for scripts and sessions")
	}
	return filepath.Join(h, ".agent"), nil
}

// New assembles a program. Nothing runs until Start. Mistakes in the user's files are reported as
// notices.
func New(o Options) (*Program, error) {
	if err := o.places(); err != nil {
		return nil, err
	}
	p := &Program{Settings: &config.Config{}, output: output.New(o.Agent.Home)}
	var notes []string
	if o.Agent.Home != "" {
		p.Keeper = load.OpenSettings(o.Agent.Home, o.Agent.Scripts.Known)
		o.Agent.Scripts.Keeper, o.Agent.Scripts.Hide = p.Keeper, config.HideKeys
		notes = append(notes, keptBack(p.Keeper)...)
	}
	if !o.Without.Settings && o.Agent.Home != "" {
		settings, warnings := config.Load(o.Agent.Home, p.Keeper)
		p.Settings = settings
		for _, w := range warnings {
			notes = append(notes, w.String())
		}
	}
	if o.Adjust != nil {
		o.Adjust(p.Settings)
	}
	var wrong []string
	p.mcp, wrong = newServers(p, &o, p.Settings)
	o.Agent.Secrets = append(o.Agent.Secrets, p.mcp.keys()...)
	notes = append(notes, wrong...)
	notes = append(p.addProviders(&o), notes...)
	p.fill(&o)
	if p.Sandbox != nil {
		notes = append(notes, p.Sandbox.Unopened()...)
	}
	if o.Agent.Home != "" {
		from := p.Settings.Extensions.From
		used, unknown := hosts.Places(o.User, from)
		o.Agent.Scripts.Extensions, o.Agent.Scripts.Names = used.User, used.Names
		if !o.Without.Settings {
			own := config.Picoclaw(o.Agent.Home)
			o.Agent.Scripts.Settings = own
			o.Agent.Scripts.Extensions = append(o.Agent.Scripts.Extensions, own.Path)
		}
		if unknown != nil {
			notes = append(notes, plain.Error(unknown))
		}
		p.project = OpenProject(o.Agent.Project, o.Agent.Home, Places{o.Agent.Dir, o.User,
			p.Keeper}, from, nil)
		p.project.session = func() string { return p.Agent.Session().ID() }
		o.Agent.Scripts.Trust = p.project.Scripts
		if o.Agent.Outside == nil {
			o.Agent.Outside = p.project.allows
		}
	}
	o.Agent.User = o.User
	p.o = o
	a, err := agent.New(o.Agent)
	if err != nil {
		p.output.Close()
		return nil, err
	}
	p.Agent, p.Engine = a, a.Engine()
	if err := p.addFiles(); err != nil {
		p.Shut()
		return nil, err
	}
	for _, text := range notes {
		p.Warn(text)
	}
	return p, nil
}

// places sets the default places.
func (o *Options) places() (err error) {
	a := &o.Agent
	if a.Dir == "" {
		if a.Dir, err = os.Getwd(); err != nil {
			return fmt.Errorf("working directory: %w", err)
		}
	}
	if a.Project == "" {
		a.Project = config.Project(a.Dir)
	}
	switch {
	case o.Without.Home:
		a.Home, o.User = "", ""
	case a.Home == "":
		if o.User == "" {
			o.User, _ = os.UserHomeDir()
		}
		a.Home, err = Home()
	}
	return err
}

// addProviders adds the model servers of keys and settings. The notes are about unusable ones.
func (p *Program) addProviders(o *Options) (notes []string) {
	if o.Without.Providers {
		return nil
	}
	servers := llm.Options{Config: p.Settings, Env: os.Getenv, Version: o.Agent.Version}
	providers, notes := llm.Providers(servers)
	a := &o.Agent
	a.Providers, a.Secrets = append(a.Providers, providers...),
		append(a.Secrets, llm.Secrets(servers)...)
	if a.Describe == nil {
		a.Describe = llm.Describe(servers)
	}
	if a.Like == nil {
		a.Like = llm.Like(servers)
	}
	return notes
}

// fill sets the options that the embedder has not set from the settings.
func (p *Program) fill(o *Options) {
	a, s := &o.Agent, p.Settings
	a.Model, a.SmallModel, a.Thinking = cmp.Or(a.Model, s.Model),
		cmp.Or(a.SmallModel, s.SmallModel), cmp.Or(a.Thinking, s.Thinking)
	a.Permission = cmp.Or(a.Permission, s.Permission)
	l := config.Limits{Turns: float64(a.Limits.Turns), Cost: a.Limits.Cost,
		Tokens: float64(a.Limits.Tokens), Time: a.Limits.Time,
		Inputs: float64(a.Limits.ScriptInputs)}.Over(s.Limits)
	a.Limits = agent.Limits{Turns: int(l.Turns), Cost: l.Cost, Tokens: int(l.Tokens), Time: l.Time,
		ScriptInputs: int(l.Inputs)}
	a.Interactive = a.Interactive || a.Approver != nil
	if a.Output == nil {
		a.Output = p.output
	}
	if a.Jobs == nil {
		a.Jobs = tool.NewJobs()
	}
	if a.Environment == nil {
		a.Environment = os.Environ()
	}
	if a.Rules == nil && !o.Without.Rules {
		r := s.Rules
		a.Rules = permission.New(permission.Options{Home: a.Home, User: o.User, Project: a.Project,
			Deny: r.Deny, Ask: r.Ask, Allow: r.Allow, Places: r.Places, Unread: r.Unread,
			UnreadWhy: r.UnreadWhy, Warn: p.Warn, Environment: a.Environment, Keeper: p.Keeper})
	}
	p.confine(o)
	a.Tools = append(a.Tools,
		tool.Builtin(tool.Options{Output: a.Output, Jobs: a.Jobs, Started: a.Started,
			Fence:  a.Fence,
			Family: a.Family,
			Setup:  func() string { return agent.ShellSetup(p.Agent) },
			Ignore: ignore.UserFiles(os.Getenv("HOME"), os.Getenv("XDG_CONFIG_HOME")),
			Fetch: tool.FetchOptions{Private: s.Tools.FetchPrivate, Allow: s.Tools.FetchAllow,
				Proxy: http.ProxyFromEnvironment, Version: a.Version}})...)
	a.Scripts.Watch = !o.Without.Watch
	if o.Offline != nil {
		a.Scripts.Builtin = append(a.Scripts.Builtin,
			load.Builtin{Name: "offline.lua", Bytes: o.Offline})
	}
	a.Scripts.Setting = p.setting(a.Scripts.Setting)
	if a.Skills == nil {
		a.Skills = p.skillsPrompt
	}
	if a.Refresh == nil {
		a.Refresh = p.refresh
	}
	// on a screen the user would notice the delay, and the tools may come a request later
	if a.Ready == nil && a.Mode != "tui" {
		a.Ready = p.mcp.ready
	}
}

// setting returns the lookup for options of scripts: first has priority over the environment, and
// that over config.toml.
func (p *Program) setting(first func(script, name string) (option.Setting, bool)) func(script,
	name string) (option.Setting, bool) {
	return func(script, name string) (option.Setting, bool) {
		if first != nil {
			if s, ok := first(script, name); ok {
				return s, true
			}
		}
		variable := option.Variable(script, name)
		if v, ok := os.LookupEnv(variable); ok {
			return option.Setting{Value: v, Text: true, Where: variable}, true
		}
		for _, o := range p.Settings.Options {
			if o.Name == name && option.NamesScript(o.Script, script) {
				return option.Setting{Value: o.Value, Where: o.Where}, true
			}
		}
		return option.Setting{}, false
	}
}

// addFiles makes skills and slash commands from the user's and the project's Markdown files.
func (p *Program) addFiles() error {
	o, a := &p.o, &p.o.Agent
	if p.project != nil {
		if _, err := p.Engine.Scripts.Install(p.trustCommand()); err != nil {
			return err
		}
	}
	if _, err := p.Engine.Scripts.Install(p.sandboxCommand()); err != nil {
		return err
	}
	if !o.Without.Commands {
		reserved := append([]string(nil), a.Scripts.Reserved...)
		for _, c := range agent.Commands() {
			reserved = append(reserved, c.Name)
		}
		p.commands = command.New(command.Options{Engine: p.Engine, Dir: a.Dir, Home: a.Home,
			User: o.User, Project: a.Project, Reserved: reserved, Warn: p.Warn})
	}
	if o.Without.Skills {
		return nil
	}
	p.skills = skill.New(skill.Options{Home: a.Home, User: o.User, Project: a.Project, Warn: p.Warn,
		Builtin: o.Skills})
	_, err := p.Engine.Scripts.Install(p.skills.Plugin())
	return err
}

func (p *Program) skillsPrompt() string {
	if p.skills == nil {
		return ""
	}
	return p.skills.Prompt()
}

func (p *Program) refresh() {
	if p.commands != nil {
		p.commands.Refresh()
	}
}

// Warn warns the user.
func (p *Program) Warn(text string) {
	p.Engine.Notices.Notify(nil, "agent", ui.Notice{Text: text, Level: "warn"})
}

// Start connects to the MCP servers, loads the scripts and begins the session: cause is startup or
// resume. Call it once.
func (p *Program) Start(ctx context.Context, cause string) error {
	p.mcp.startServers()
	if err := p.Agent.LoadScripts(ctx); err != nil {
		return err
	}
	if p.o.Loaded != nil {
		if err := p.o.Loaded(); err != nil {
			return err
		}
	}
	if p.commands != nil {
		p.commands.Start()
	}
	if p.Sandbox != nil && p.o.Agent.Mode == "tui" {
		go p.Sandbox.Fence.Method() // on a screen the user is told at once if there is none
	}
	err := p.Agent.Start(ctx, cause)
	p.reviewAtStart()
	return err
}

// Close ends the session like agent.Agent.Close, and then everything else.
func (p *Program) Close(ctx context.Context, cause string) {
	p.Agent.Close(ctx, cause)
	p.Shut()
}

// Shut ends the scripts and everything else without ending the session: for a program that was
// never started.
func (p *Program) Shut() {
	if p.stopReview != nil {
		p.stopReview()
	}
	p.mcp.close()
	p.Agent.Shut()
	p.output.Close()
}
