// This file assembles the table and answers facts. Tests of scripts replace programs and servers,
// so that they reach none.

package host

import (
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/internal/files"
	"github.com/agentscripts/agent/engine/internal/store"
	"github.com/agentscripts/agent/engine/option"
	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/touch"
	"github.com/agentscripts/agent/engine/value"
)

// APIVersion is the version of the script API: @api in a header names it.
const APIVersion = 1

// Options describes the program that the functions run in.
type Options struct {
	// ~/.agent; logs go to its logs folder, what ext.store keeps to store. "" = logs are dropped,
	// nothing is kept
	Home     string
	Version  string
	Mode     string // tui, print, json, ...
	CWD      string
	Project  string        // its root: base of relative globs in grants; "" = CWD
	User     string        // the user's home, for ~; "" = none
	Model    func() string // provider/id of the current model; may be nil
	Reserved []string      // slash commands of the program, which scripts cannot register
	// Services returns the services of the agent for scripts; it is called at each use. nil, or a
	// nil result: there is no agent.
	Services func() *service.Agent
	// Setting returns the user's setting for an option of a script; nil: there are no settings.
	Setting func(script, name string) (option.Setting, bool)
	// Like makes the provider of a model server with an API known to the program; nil: not
	// supported.
	Like func(chat.Server) *engine.Provider
	// LookupEnv looks up environment variables, for ext.env and for programs; nil = os.LookupEnv.
	LookupEnv func(name string) (string, bool)
	// Environment is that of command lines, as os.Environ returns it; nil = unknown.
	Environment []string
	// Proxy is http.ProxyFromEnvironment, or a replacement; nil = requests of scripts use no proxy.
	Proxy func(*http.Request) (*url.URL, error)
	// Started is called for each program that is started: see process.Command. May be nil.
	Started func(pid int) (ended func())
	// Fence confines programs, unless the script has the grant unconfined; nil = none is confined.
	Fence *fence.Fence
	// Family keeps track of what programs leave running; may be nil.
	Family *process.Family
	// Outside replaces programs and servers in tests; nil: the real ones are used.
	Outside *Outside
	// Tests is called for each test of a script as it loads, with its line; an error makes the load
	// fail. nil: tests are ignored.
	Tests func(g *engine.Generation, name string, line int, fn engine.Func) error
}

// Table is the host side of the API table. Each family of functions is a type, or a stateless
// function, that returns its entries.
type Table struct {
	o        Options
	agents   agents
	sessions sessions
	states   states
	storage  storage
	registry registry
	screen   screen
	dialogs  dialogs
	timers   timers
	tools    toolCalls
	programs programs
	requests requests
	files    fileSystem
	paths    paths
	regex    patterns
	logs     *logs
}

// New makes the table. The caller must close it.
func New(o Options) *Table {
	project := o.Project
	if project == "" {
		project = o.CWD
	}
	t := &Table{
		o:        o,
		agents:   agents{services: o.Services},
		sessions: sessions{services: o.Services},
		states:   states{services: o.Services},
		registry: registry{reserved: o.Reserved, setting: o.Setting, like: o.Like, tests: o.Tests},
		programs: programs{env: o.LookupEnv, started: o.Started, fence: o.Fence,
			family:  o.Family,
			outside: o.Outside,
			slots:   make(chan struct{}, mostPrograms)},
		requests: requests{version: o.Version, proxy: o.Proxy, outside: o.Outside},
		files: fileSystem{options: files.Options{Project: project, CWD: o.CWD, User: o.User,
			Home: o.Home}},
		paths: paths{cwd: o.CWD, project: o.Project, user: o.User,
			find: touch.Finder{Home: o.User}.In(o.Environment)},
		logs: newLogs(o.Home),
	}
	if o.Home != "" {
		t.storage.store = store.New(filepath.Join(o.Home, "store"))
	}
	return t
}

// Close closes the log files, and removes the temporary files of scripts.
func (t *Table) Close() {
	t.logs.close()
	t.files.temps.close()
}

// Funcs returns the functions by the names of their rows.
func (t *Table) Funcs() map[string]engine.HostFunc {
	all := map[string]engine.HostFunc{}
	for _, family := range t.families() {
		maps.Copy(all, family)
	}
	return all
}

func (t *Table) families() []map[string]engine.HostFunc {
	return []map[string]engine.HostFunc{
		basicFuncs(), dataFuncs(), textFuncs(), bytesFuncs(), timeFuncs(),
		t.agents.funcs(), t.sessions.funcs(), t.states.funcs(), t.storage.funcs(),
		t.registry.funcs(), t.screen.funcs(), t.dialogs.funcs(), t.timers.funcs(),
		t.tools.funcs(), t.programs.funcs(), t.programs.env.funcs(), t.requests.funcs(),
		t.files.funcs(), t.paths.funcs(), t.paths.shellFuncs(), t.regex.funcs(), t.logs.funcs(),
	}
}

// Fact returns the value of a fact as g sees it.
func (t *Table) Fact(g *engine.Generation, name string) any {
	switch name {
	case "version":
		return t.o.Version
	case "api":
		return APIVersion
	case "language":
		return g.Language
	case "mode":
		return t.o.Mode
	case "os":
		return runtime.GOOS
	case "arch":
		return runtime.GOARCH
	case "cwd":
		return t.o.CWD
	case "model_id":
		if t.o.Model != nil {
			if m := t.o.Model(); m != "" {
				return m
			}
		}
	case "script":
		return map[string]any{"name": g.Name, "path": g.Path, "dir": filepath.Dir(g.Path),
			"generation": g.Number}
	}
	return nil
}

// optional arguments.

func text(v any) string {
	s, _ := v.(string)
	return s
}

func table(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func number(v any) float64 {
	n, _ := value.Number(v)
	return n
}

func truth(v any) bool {
	b, _ := v.(bool)
	return b
}

// Outside replaces programs and servers. Arguments and grants have been checked when its functions
// are called; name is the function of the script for errors, such as ext.exec.
type Outside struct {
	Run  func(c *engine.HostCall, name string) (Ran, error)
	Send func(c *engine.HostCall, name string, req *http.Request) (*http.Response, error)
}

// Ran is the result of a program.
type Ran struct {
	Code           int
	Stdout, Stderr string
	TimedOut       bool
}

// standIn returns the result of a replaced program.
func (x *programs) standIn(c *engine.HostCall, name string, onLine engine.Func) (any, error) {
	ran, err := x.outside.Run(c, name)
	if err != nil {
		return nil, err
	}
	out := newOutput(false)
	for i, text := range []string{ran.Stdout, ran.Stderr} {
		out.addOutput(text, i == 1)
		if onLine == nil {
			continue
		}
		for line := range strings.Lines(text) {
			if _, err := onLine.Call(c.Run, strings.TrimRight(line, "\r\n"),
				streamNames[i]); err != nil {
				return nil, err
			}
		}
	}
	return out.result(ran.Code, ran.TimedOut), nil
}
