// This file assembles an agent: the engine, the scripts, and the loop around the model.

package agent

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/audit"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/foreign"
	"github.com/agentscripts/agent/engine/foreign/hosts"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/option"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/protect"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/standard"
	"github.com/agentscripts/agent/engine/ui"
)

// Scripts configures the scripts, in addition to those of Home/scripts and of the project.
type Scripts struct {
	Off bool // leave out those of Home and of the project
	// where to keep a copy of the list of guarding scripts outside of Home, see load.Options; "" =
	// nowhere
	Known   string
	Managed string         // folder of scripts that an administrator installs; "" = none
	Extra   []string       // files and folders
	Builtin []load.Builtin // part of the program
	// Extensions are places of extensions of other hosts: see load.Options.
	Extensions []string
	Names      map[string]string // of these: see load.Options
	Settings   hosts.Settings    // with an extension in the user's settings
	// slash commands of the program, in addition to the agent's own: scripts cannot define them
	Reserved []string
	Keeper   *load.Settings           // of the user's settings; nil = nothing is kept
	Hide     func(text string) string // replaces secrets in a text of settings; may be nil
	// load a saved file within 60 ms; otherwise only in Agent.Reload
	Watch bool
	// Confirm asks the user a yes-or-no question about scripts; nil = no one can answer. It must
	// return when ctx ends.
	Confirm func(ctx context.Context, d *ui.Dialog) (bool, error)
	// Trust reads the project's scripts; nil = the user's decisions in Home count.
	Trust *load.Project
	// Setting returns the user's setting of a script's option; nil = there are none.
	Setting func(script, name string) (option.Setting, bool)
}

// Ref refers to an agent that is made after its engine: what the engine asks it for is nil, or "",
// until the agent is stored.
type Ref struct{ atomic.Pointer[Agent] }

// Envelope returns the envelope of the agent: see engine.Options.
func (r *Ref) Envelope() *event.Envelope {
	if a := r.Load(); a != nil {
		return a.Envelope()
	}
	return nil
}

// Services returns what scripts may ask of the agent: see host.Options.
func (r *Ref) Services() *service.Agent {
	if a := r.Load(); a != nil {
		return a.Services()
	}
	return nil
}

// Model returns the name of the agent's model.
func (r *Ref) Model() string {
	if a := r.Load(); a != nil {
		return a.Model()
	}
	return ""
}

// Places returns the files and folders of scripts besides those of the user and the project.
func (s *Scripts) Places() []string { return slices.Concat(s.Extra, s.Extensions) }

// assembly is what New creates around an agent. The engine exists before the agent and the loader,
// so it calls them through methods of assembly.
type assembly struct {
	engine  *engine.Engine
	table   *host.Table
	loader  atomic.Pointer[load.Loader]
	agent   Ref
	formats foreign.Formats
	audit   *audit.Log // nil: there is no audit log
	known   string     // see Scripts.Known
	keeper  *load.Settings
	loaded  atomic.Bool
	shutOff atomic.Bool
}

// assemble creates the engine and the loader according to o, and puts the engine into o.
func assemble(o *Options) (*assembly, error) {
	as := &assembly{known: o.Scripts.Known, keeper: o.Scripts.Keeper}
	as.audit = audit.New(audit.Options{Dir: audit.Dir(o.Home), Failed: as.unaudited})
	var reserved []string
	for _, c := range Commands() {
		reserved = append(reserved, c.Name)
	}
	ho := host.Options{Home: o.Home, Proxy: http.ProxyFromEnvironment,
		Version: o.Version, Mode: o.Mode, CWD: o.Dir, Project: o.Project, User: o.User,
		Reserved: append(reserved, o.Scripts.Reserved...),
		Model:    as.agent.Model, Services: as.agent.Services, Setting: o.Scripts.Setting,
		Like: o.Like, Started: o.Started, Fence: o.Fence,
		Family: o.Family, Environment: o.Environment}
	if o.Tools == nil {
		o.Tools = tool.Builtin(tool.Options{Output: o.Output, Jobs: o.Jobs, Started: o.Started,
			Fence: o.Fence, Family: o.Family, Setup: as.shellSetup})
	}
	tools := append(append([]*engine.Tool(nil), o.Tools...), Tool(as.agent.Load))
	as.formats = foreign.New(foreign.Options{Version: o.Version, Dir: o.Dir,
		Data:  dataFolder(o.Home),
		Model: as.agent.Model, Fence: o.Fence, Family: o.Family, Settings: o.Scripts.Settings})
	runtimes := append(slices.Clone(o.Runtimes), as.formats.Runtimes()...)
	eo := engine.Options{Events: o.Events, Runtimes: runtimes, Tools: tools,
		Providers: o.Providers, Rules: o.Rules,
		Protect: protect.Places{Home: o.Home, User: o.User, Project: o.Project,
			Scripts: o.Scripts.Places(), Own: []string{o.Scripts.Known}}.Call, Secrets: o.Secrets,
		Approver: o.Approver, Dialogs: o.Dialogs, Surface: o.Surface, Emit: o.Emit,
		EmitWants: o.EmitWants, MayWrite: o.Fence.MayWrite, Envelope: as.agent.Envelope,
		Clock: o.Clock, Heap: o.Heap, Wedged: as.wedged, Decided: as.decided}
	e, table, err := standard.New(standard.Options{Host: ho, Engine: eo})
	if err != nil {
		return nil, err
	}
	as.engine, as.table, o.Engine = e, table, e
	o.Fence.OnRefused(as.refused)
	o.Fence.OnReplaced(as.replaced)
	if as.audit != nil {
		e.Stream.Subscribe(audit.Hears(), as.audit.Heard)
	}
	s := o.Scripts
	lo := load.Options{Engine: e, Home: o.Home, Known: s.Known, Project: o.Project,
		Trust: s.Trust, Managed: s.Managed, Extra: s.Extra, NoScripts: s.Off, Builtin: s.Builtin,
		Confirm: s.Confirm, Reviewed: as.reviewed, Joined: as.joined, Watch: s.Watch,
		Settings: s.Keeper, HideSettings: s.Hide,
		Family: o.Family, Extensions: s.Extensions, Names: s.Names, User: o.User}
	as.loader.Store(load.New(lo))
	return as, nil
}

// dataFolder returns the folder in which extensions of other hosts get folders for their own files;
// "" if there is no home.
func dataFolder(home string) string {
	if home == "" {
		return ""
	}
	return filepath.Join(home, "state", "extensions")
}

// loadScripts loads the scripts once.
func (as *assembly) loadScripts(ctx context.Context) error {
	if as.loaded.Swap(true) {
		return nil
	}
	return as.loader.Load().Start(ctx)
}

// close ends the scripts and the engine.
func (as *assembly) close() {
	if as.shutOff.Swap(true) {
		return
	}
	as.loader.Load().Close()
	as.engine.Close()
	as.formats.Wait()
	as.table.Close()
	_ = as.audit.Flush() // a failure has been reported
}

// reviewed writes to the audit log that a new version of a script waits, or what the user decided
// about it.
func (as *assembly) reviewed(h load.Held, decision string) {
	if as.audit == nil {
		return
	}
	as.audit.Add(audit.Trust, as.sessionID(), map[string]any{"decision": decision,
		"path": h.Path, "sha256": h.SHA256, "why": as.engine.Mask.Text(h.Why)})
}

// refused writes to the audit log what the sandbox refused to a program, and why.
func (as *assembly) refused(program fence.Program, list []fence.Refusal) {
	refusals := make([]audit.Refusal, len(list))
	for i, r := range list {
		refusals[i] = audit.Refusal{Verb: r.Verb, What: r.What, Why: r.By.Text,
			Guard: r.By.Script, Line: r.By.Line, Version: r.By.Version, Glob: r.By.Glob,
			Rule: r.By.Rule}
	}
	as.audit.Refused(as.sessionID(), &audit.Call{ID: program.Call, Tool: program.Tool,
		Script: program.Script, Refusals: refusals}, as.engine.Mask)
}

// replaced writes to the audit log, and tells the user, that another program has replaced files
// that the sandbox protects.
func (as *assembly) replaced(r fence.Replaced) {
	if r.Err == nil && slices.Equal(r.Paths, []string{as.known}) {
		return // the agent replaces it itself, and compares it with its other copy
	}
	text := as.engine.Mask.Text(r.String())
	as.audit.Add(audit.Fence, as.sessionID(), map[string]any{"replaced": text})
	level := "info"
	if r.Err != nil {
		level = "warn"
	}
	as.engine.Notices.Notify(as.agent.Envelope(), "sandbox", ui.Notice{Level: level, Text: text})
}

// toolEnded looks for settings that have changed while a tool was running. What a program outside
// of the sandbox writes there cannot always be seen before.
func (as *assembly) toolEnded() {
	if as != nil {
		as.keeper.Check()
	}
}

// sessionID returns the id of the session; "" before there is one.
func (as *assembly) sessionID() string {
	if env := as.agent.Envelope(); env != nil {
		return env.SessionID
	}
	return ""
}

// shellSetup returns what the commands of the session run first.
func (as *assembly) shellSetup() string { return as.formats.ShellSetup(as.sessionID()) }

// decided writes a decision to the audit log.
func (as *assembly) decided(d engine.Decision) { as.audit.Decided(d, as.engine.Mask) }

// unaudited reports that the audit log cannot be written.
func (as *assembly) unaudited(err error) {
	as.engine.Notices.Notify(as.agent.Envelope(), "agent", ui.Notice{Level: "error",
		Text: "the audit log cannot be written, and decisions are not kept: " + plain.Error(err)})
}

func (as *assembly) joined(g *engine.Generation) {
	if a := as.agent.Load(); a != nil {
		a.Joined(context.Background(), g)
	}
}

func (as *assembly) wedged(g *engine.Generation) {
	if l := as.loader.Load(); l != nil {
		l.Replace(g)
	}
}

// errNotOurs is the error of script operations on an engine that New did not create.
var errNotOurs = errors.New("agent: the engine was given: who made it loads its scripts")

// Engine returns the engine, for plugins, handlers and tool calls of the embedder. Do not close it
// or call Swap.
func (a *Agent) Engine() *engine.Engine { return a.engine }

// Subscribe calls f with every event, as a user may see it. f is part of the stream: it must do
// slow work, and call methods of the agent, on another goroutine. See engine.Stream.Subscribe.
func (a *Agent) Subscribe(f func(ev *event.Event)) (unsubscribe func()) {
	return a.engine.Stream.Subscribe(nil, f)
}

// LoadScripts loads the scripts without beginning the session; Start does both. Scripts cannot make
// it fail.
func (a *Agent) LoadScripts(ctx context.Context) error {
	if as := a.shared.main.assembly; as != nil {
		return as.loadScripts(ctx)
	}
	return errNotOurs
}

// Reload loads all scripts again, changed or not; it returns when they are live.
func (a *Agent) Reload(ctx context.Context) {
	if as := a.shared.main.assembly; as != nil {
		as.loader.Load().Reload(ctx)
	}
}

// Rescan loads scripts that are new or have changed; it returns when they are live.
func (a *Agent) Rescan(ctx context.Context) {
	if as := a.shared.main.assembly; as != nil {
		as.loader.Load().Rescan(ctx)
	}
}

// EnableScript loads the script at path again, or disables it, also for later starts. What that
// changes is in force when it returns.
func (a *Agent) EnableScript(ctx context.Context, path string, on bool) error {
	if as := a.shared.main.assembly; as != nil {
		return as.loader.Load().Enable(ctx, path, on)
	}
	return errNotOurs
}

// Scripts lists the scripts and their states.
func (a *Agent) Scripts() []load.Info {
	if as := a.shared.main.assembly; as != nil {
		return as.loader.Load().Scripts()
	}
	return nil
}

// ShellSetup returns what commands of an agent run first, for tool.Options: extensions may want
// that.
func ShellSetup(a *Agent) string {
	if as := a.shared.main.assembly; as != nil {
		return as.shellSetup()
	}
	return ""
}

// Shut ends the scripts and the engine without ending the session: for an agent that was never
// started. Close does it, too.
func (a *Agent) Shut() {
	if as := a.assembly; as != nil {
		as.close()
	}
}
