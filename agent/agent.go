// Package agent is the loop around a model: it sends a prompt to the model and passes the model's
// tool calls to engine.Dispatch, until the model is done.
//
//	a, err := agent.New(agent.Options{Home: home,
//		Runtimes: []engine.Runtime{lua.New(), js.New()}, Providers: providers})
//	err = a.Start(ctx, "startup")
//	end := a.Prompt(ctx, agent.Input{Text: "what is in here?"})
//	a.Close(ctx, "exit")
//
// The engine's events report the progress, and the session records the conversation as it happens.
// Every prompt comes to an End, and the session is a valid conversation at every moment: even if a
// prompt is cancelled, fails or is killed, each tool call has its result.
//
// The package knows no screen, no script language and no model: providers come from the engine's
// Snapshot.
package agent

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/agent/internal/ask"
	"github.com/agentscripts/agent/agent/internal/instruct"
	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/models"
	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/gitdir"
	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/vm"
)

// endWait is how long all scripts together may take to handle session_end. Source: docs/events.md,
// "Budgets".
const endWait = 2 * time.Second

// Options configures an Agent. Nothing is required: the zero Options is an agent without scripts,
// screen and home, which needs a provider before it can answer.
type Options struct {
	// the agent's own directory, such as ~/.agent; "" = no scripts of the user, and the session is
	// not saved
	Home    string
	Dir     string // working directory of tools; "" = the process's
	Project string // project root; "" = Dir
	User    string // the user's home directory, which ~ means; "" = the process's

	// script languages, such as lua.New(), and formats of other hosts; a plugin may bring more
	Runtimes  []engine.Runtime
	Scripts   Scripts            // where to find scripts
	Tools     []*engine.Tool     // nil = the built-in ones; the tool agent is always there
	Providers []*engine.Provider // of models, in order of preference
	Events    []event.Row        // the embedder's own events, in addition to the table's
	// about tool calls; nil = none. /permissions needs StandingRules
	Rules engine.Rules
	// Describe adds what is known of a model to its provider's description; nil = nothing is known.
	Describe func(provider string, m chat.Model) chat.Model
	// Like makes a provider for a model server that a script names and whose API is known; nil =
	// none can be made.
	Like func(chat.Server) *engine.Provider
	// secrets, such as keys, which are masked in all output
	Secrets  []string
	Approver engine.Approver // asks the user about tool calls; nil = no one can approve
	Dialogs  ui.Dialogs      // asks the user for scripts; nil = no one can answer
	Surface  *ui.Surface     // the screen, for scripts; nil = there is none
	// Emit gets the events that EmitWants selects, in order, as a user may see them. It must return
	// quickly and must not call back on the same goroutine. nil = none; see Agent.Subscribe.
	Emit      func(ev *event.Event)
	EmitWants event.Interest // nil = all events
	Version   string         // of the program, for scripts
	// Engine, if not nil, is used unchanged: the options from Runtimes to here are ignored, and its
	// creator closes it.
	Engine *engine.Engine

	// Model is "provider/id", a provider's name for its first model, or an id that one provider
	// has. "" is the first usable one. The offline model is always usable, but chosen only if there
	// is no other.
	Model string
	// "provider/id" of a cheap model, for requests that name "small"; "" = Model
	SmallModel  string
	Permission  event.Permission // "" = event.PermissionDefault
	Mode        string           // tui, print, json, rpc, acp
	Interactive bool             // a user can answer questions
	Session     *session.Session // the session to resume; nil = a new one
	Limits      Limits           // of one prompt
	Thinking    string           // one of chat.ThinkingLevels; "" = the provider's default
	System      string           // the beginning of the system prompt; "" = the default
	Clock       vm.Clock         // the time, for scripts too; nil = that of the machine
	Heap        func() uint64    // as in engine.Options
	// where complete outputs of tools are kept; nil = a temporary directory
	Output *output.Store
	Jobs   *tool.Jobs // background jobs of tools; they end with the session
	// Started is called with the PID of each program that a tool or a script starts, which leads a
	// process group. The function that it returns is called when the program ends. nil = none.
	Started func(pid int) (ended func())
	// Fence confines the programs of tools and scripts; nil = they are not confined.
	Fence *fence.Fence
	// Family keeps track of what the programs of tools, scripts and MCP servers leave running: what
	// those write is not the user's. nil = it is not known.
	Family *process.Family
	// Environment is that of command lines, as os.Environ returns it; nil = unknown.
	Environment []string
	// Skills returns the system prompt's text about skills. It is called at each prompt of an agent
	// that may call the tool skill; nil = no text.
	Skills func() string
	// Outside reports whether the instructions of the project may import this file outside of it, a
	// real path; nil = none.
	Outside func(path string) bool
	// Refresh looks for new slash commands in files, before commands are listed or run; nil = there
	// are none.
	Refresh func()
	// Ready is called when a prompt begins, before any request, and before a script's command runs.
	// It blocks until everything they need is there. nil = nothing to wait for.
	Ready func(ctx context.Context)
	// ends the program when a script has asked for it and nothing waits; nil = not supported
	Exit func()
	// Sleep waits before a failed request is repeated, or returns why it was woken; nil = it always
	// waits the whole time.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Agent works on one prompt after the other. It is the main agent or a sub-agent. Its methods are
// safe for concurrent use; Start, Prompt and Close wait for each other.
type Agent struct {
	o            Options
	engine       *engine.Engine
	report       *report.Reporter
	assembly     *assembly // what New created; nil = the engine was given, or a sub-agent
	parent       *Agent    // nil = the main agent
	settings     *settings
	queue        *queue
	shared       *shared // by the main agent and all sub-agents
	tools        *toolset
	instructions *instructions
	attached     attachments
	handoff      *handoff
	watch        *watch       // reports a sub-agent's activity; nil for the main agent
	refused      atomic.Int64 // denied tool calls of its sub-agents, since its prompt began
	journal      *journal

	asker     *ask.Asker
	compactor *compactor

	token  workToken
	worker *worker
	life   *lifecycle
}

// shared is the state that the main agent and all its sub-agents have in common.
type shared struct {
	main      *Agent
	common    report.Common
	catalog   *models.Catalog
	pool      pool
	subagents subagents
}

// New returns an agent. It emits and writes nothing yet. It returns an error if Permission or
// Thinking has an unknown value.
func New(o Options) (*Agent, error) {
	if o.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("agent: working directory: %w", err)
		}
		o.Dir = dir
	}
	if o.Project == "" {
		o.Project = o.Dir
	}
	if o.User == "" {
		o.User, _ = os.UserHomeDir() // without one, ~ is a name
	}
	if o.Permission == "" {
		o.Permission = event.PermissionDefault
	}
	if err := checkModes(service.Settings{Thinking: o.Thinking,
		Permission: o.Permission}); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	o.Limits = o.Limits.orUsual()
	if o.Clock == nil {
		o.Clock = o.Engine.Clock()
	}
	if o.Output == nil {
		o.Output = output.New(o.Home)
	}
	if o.Engine != nil {
		return newAgent(o, nil), nil
	}
	if o.Jobs == nil {
		o.Jobs = tool.NewJobs()
	}
	as, err := assemble(&o)
	if err != nil {
		return nil, err
	}
	a := newAgent(o, nil)
	a.assembly = as
	as.agent.Store(a)
	return a, nil
}

// newAgent returns an agent, a sub-agent of parent if that is not nil. It does not register it with
// parent.
func newAgent(o Options, parent *Agent) *Agent {
	a := &Agent{o: o, engine: o.Engine, parent: parent}
	if parent != nil {
		a.shared = parent.shared
	} else {
		a.shared = &shared{main: a}
		a.shared.common.SetPermission(o.Permission)
		a.shared.catalog = models.New(models.Options{Engine: o.Engine, Describe: o.Describe,
			Small: o.SmallModel, Main: func() string { return a.settings.wanted() }})
	}
	a.report = report.New(o.Engine, &a.shared.common, &event.Envelope{CWD: o.Dir,
		Project: o.Project, Agent: "main", AgentID: "main", Mode: o.Mode,
		Interactive: o.Interactive, Permission: o.Permission, Origin: "user",
		Branch: func() string { return branch(o.Project) }})
	if parent == nil {
		a.shared.pool.limits, a.shared.pool.report = o.Limits, a.report
	}
	a.settings = &settings{report: a.report, common: &a.shared.common, catalog: a.shared.catalog,
		model:    o.Model,
		thinking: o.Thinking}
	a.queue = newQueue(a.report, o.Limits.ScriptInputs)
	a.tools = &toolset{engine: o.Engine, report: a.report,
		kinds: &kindList{home: o.Home, user: o.User, project: o.Project, engine: o.Engine,
			report: a.report}}
	if parent != nil {
		a.tools.parent, a.tools.depth = parent.tools, parent.tools.depth+1
	}
	a.instructions = &instructions{dir: o.Dir, project: o.Project, system: o.System,
		clock: o.Clock, skills: o.Skills, report: a.report, tools: a.tools,
		files: instruct.New(instruct.Options{Dir: o.Dir, Project: o.Project, Home: o.Home,
			User: o.User, Allowed: o.Outside, Say: a.report.NotifyOnce})}
	a.attached = attachments{dir: o.Dir, home: o.User, report: a.report}
	a.journal = &journal{report: a.report}
	if parent != nil {
		a.journal.main = a.shared.main.journal
	}
	accounts := &account{journal: a.journal, pool: &a.shared.pool, report: a.report}
	a.asker = ask.New(ask.Options{Report: a.report, Settings: a.settings,
		NewID:   func() string { return a.journal.session().NewID() },
		Similar: a.shared.catalog.Similar,
		Heard:   func(kind, raw, shown string) { a.watch.said(kind, raw, shown) },
		Account: accounts.addRequest, Unpriced: a.shared.pool.unpriced, EndAll: a.shared.endAll,
		Sleep: o.Sleep})
	a.compactor = &compactor{engine: o.Engine, report: a.report, settings: a.settings,
		journal: a.journal, asker: a.asker, tools: a.tools, instructions: a.instructions,
		begin: func(ctx context.Context, cause string) {
			a.instructions.forget()
			a.life.beginSession(ctx, cause)
		}}
	a.token = newWorkToken(a.journal)
	a.worker = &worker{a: a, queue: a.queue, token: a.token}
	a.handoff = &handoff{report: a.report, catalog: a.shared.catalog, settings: a.settings,
		tools: a.tools}
	a.life = &lifecycle{home: o.Home, dir: o.Dir, project: o.Project, now: o.Clock.Now,
		sub: parent != nil, engine: o.Engine, report: a.report, settings: a.settings,
		journal: a.journal, asker: a.asker, compactor: a.compactor, jobs: o.Jobs,
		pool: &a.shared.pool, subagents: &a.shared.subagents, token: a.token}
	s := o.Session
	if s == nil {
		s = a.life.newSession()
	}
	a.life.openSession(s)
	return a
}

// Start loads the scripts and emits session_start; cause is startup or resume. It adds the context
// that scripts return to the session. Call it once, before the first prompt. Scripts cannot make it
// fail.
func (a *Agent) Start(ctx context.Context, cause string) error {
	if a.assembly != nil {
		if err := a.assembly.loadScripts(ctx); err != nil {
			return err
		}
	}
	if !a.token.acquire(ctx) {
		return context.Cause(ctx)
	}
	defer a.token.release()
	a.life.beginSession(ctx, cause)
	return nil
}

// Close ends the session, and then the scripts; cause is exit, switch or signal. It cancels the
// current work and drops waiting input. It takes 2 s at most, whatever still runs, and even if ctx
// has ended; scripts do not see later events. Only the first Close counts.
func (a *Agent) Close(ctx context.Context, cause string) {
	if a.life.closed.Swap(true) {
		return
	}
	defer a.Shut()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWait)
	defer cancel()
	defer a.o.Jobs.Close()
	// the other half is for the handlers of session_end
	work, cancelWork := context.WithTimeout(ctx, endWait/2)
	defer cancelWork()
	a.queue.interrupt(context.Canceled)
	a.shared.subagents.endAll(work, true)
	if !a.token.acquire(work) {
		a.Session().Leave()
		a.life.tellEnd(ctx, cause)
		return
	}
	defer a.token.release()
	a.life.close(ctx, cause)
}

// Joined begins the session for a script that was loaded or reloaded during it: it emits
// session_start with the cause reload to that script alone. The model sees the context that the
// script returns from the next turn on. Joined returns when the script has answered. It may be
// called from any goroutine.
func (a *Agent) Joined(ctx context.Context, g *engine.Generation) {
	_, v := a.engine.InterceptIn(ctx, g, a.engine.Events.New(a.Envelope(),
		event.SessionStart{Cause: "reload"}))
	a.journal.join(v.Contexts)
}

// branch returns the git branch of a project; "" outside of a repository.
func branch(project string) string {
	repo, _ := gitdir.Find(project)
	return repo.Branch()
}
