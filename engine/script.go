// This file defines a script, its generations and what it registers.

package engine

import (
	"context"
	"fmt"
	"github.com/agentscripts/agent/engine/vm"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Source says where a script comes from; the order is the order of handlers of equal priority.
type Source int

const (
	SourceManaged Source = iota // /etc/agent/scripts
	SourceBuiltin               // part of the program (the offline model)
	SourceGo                    // an embedder's
	SourceUser                  // ~/.agent/scripts
	SourceProject               // ./.agent/scripts
	SourceCLI                   // -e PATH
	SourceForeign               // extensions of other hosts
)

func (s Source) String() string {
	return [...]string{"managed", "builtin", "go", "user", "project", "cli", "foreign"}[s]
}

// Header is the comment block at the top of a script, read as text before anything runs.
type Header struct {
	Name     string
	Version  string
	API      int
	Summary  string
	Guards   []string // tool filters that stay protected while the file has no working version
	Grants   Grants
	Priority *float64
}

// Grants are the powers a script asks for: "ui", "provider", "exec:git", "net:api.github.com", ...
type Grants []string

// Has reports whether the grant, by its full text or its kind, was asked for.
func (g Grants) Has(grant string) bool {
	for _, x := range g {
		if x == grant || strings.HasPrefix(x, grant+":") {
			return true
		}
	}
	return false
}

// Named returns what stands behind grants of a kind: a and b for net:a,b.
func (g Grants) Named(kind string) (names []string) {
	for _, x := range g {
		if name, ok := strings.CutPrefix(x, kind+":"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Allows reports whether the grant kind covers name: tools:read, tools:mcp__* and tools:* do for
// tools and read.
func (g Grants) Allows(kind, name string) bool {
	for _, x := range g {
		if pattern, ok := strings.CutPrefix(x, kind+":"); ok {
			if fits, _ := path.Match(pattern, name); fits || pattern == name {
				return true
			}
		}
	}
	return false
}

// Script is one file. Its identity is its file name with extension.
type Script struct {
	Name   string // "guard.lua"
	Path   string // as found, not resolved
	Source Source
	Header Header
	Bytes  []byte
	Hash   string // sha256 of Bytes, and of the modules if there are any, hex
	// Library are its modules; nil: none.
	Library *Library
}

// Runtime is a script language.
type Runtime interface {
	Language() string     // "lua", "js"
	Extensions() []string // ".lua"
	// Load compiles the script's bytes and runs the top level in a new VM under run's budgets.
	// Functions of bind are the script's ext. Failure is a *ScriptError; then nothing of the VM is
	// left.
	Load(run *Run, bind *Binding) (VM, error)
}

// VM is the interpreter of one generation.
type VM interface {
	// Close frees the VM. It is called once, when no run is in it (or when it is wedged: then Close
	// must not wait for the turn).
	Close()
}

// Generation is one loaded version of a script, with what it registered. After loading it never
// changes, but for counters.
type Generation struct {
	*Script
	Number    int
	Language  string
	LoadedAt  time.Time
	LoadTime  time.Duration
	Handlers  []*Handler
	Tools     []*Tool
	Commands  []*Command
	Providers []*Provider
	Redactors []*Redactor
	Options   []*Option
	Shortcuts []*Shortcut
	Renderers []*Renderer
	Warnings  []string // of the load: a filter that names no known tool, ...

	engine  *Engine
	vm      VM
	turn    *vm.Turn
	sealed  atomic.Bool
	staged  atomic.Bool     // loaded, and not yet given to Swap or Discard: holds one pin
	called  atomic.Bool     // it has called a function of the API, or read a fact
	pins    atomic.Int64    // snapshots that contain it, and runs under way; below 0 = closed
	ctx     context.Context // ends when the generation is retired
	cancel  context.CancelCauseFunc
	observe observerQueue
	handed  handedOut
	tools   toolFilter
	mu      sync.Mutex // guards the registration slices while loading, and what follows
	live    bool
	onLive  []func()
}

// Hollow reports whether g registers nothing: then it is no good version of a file that would.
func (g *Generation) Hollow() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.Handlers)+len(g.Tools)+len(g.Commands)+len(g.Providers)+len(g.Redactors)+
		len(g.Options)+len(g.Shortcuts)+len(g.Renderers) == 0
}

// Handler is one registered function and what the engine must know before it enters the VM.
type Handler struct {
	Gen      *Generation // nil for Go handlers
	Name     string      // of a Go handler: what stands for the script's name
	Event    string
	Fn       Func
	GoFn     func(ctx context.Context, ev *Event) (any, error) // instead of Fn
	Priority float64
	Timeout  *time.Duration // wall time, 0 = none; nil = the kind's default
	OnError  Failure        // "" = the row's default
	Scrub    bool           // it takes out what must not be seen: what it changed is not shown
	Absent   bool           // it stands for a file that has no working version
	Filter   Filter
	Line     int // of the registering call
	seq      int

	failures atomic.Int32 // in a row
	broken   atomic.Bool
	queue    *observerQueue // of a Go handler: its plugin hears events in order
}

// ScriptName is the name that logs and dialogs show.
func (h *Handler) ScriptName() string {
	if h.Gen != nil {
		return h.Gen.Name
	}
	return h.Name
}

// Label names the handler in errors: "guard", "on tool_call".
func (h *Handler) Label() string {
	if h.Event == "guard" {
		return "guard"
	}
	return onEvent(h.Event)
}

func onEvent(name string) string { return "on " + name }

// Broken reports whether the handler has failed BrokenAfter times in a row.
func (h *Handler) Broken() bool { return h.broken.Load() }

// Command is a slash command.
type Command struct {
	Name        string
	Description string
	Args        []Param     // nil: the raw rest as text
	Hint        string      // how that rest is written: "[file] [line]"
	Source      string      // "plugin:NAME", or a file's path; "" = a script's
	Gen         *Generation // of a script; nil = written in Go
	Line        int
	Run         Func
	Complete    Func
	// GoRun and GoComplete are Run and Complete of a command written in Go. args is text, or a map
	// by Args. An error is for the user; a Display is shown.
	GoRun      func(ctx context.Context, env *Envelope, args any) (CommandResult, error)
	GoComplete func(ctx context.Context, env *Envelope, prefix string) ([]Completion, error)
}

// Owner names who registered the command: a script's name, or its source.
func (c *Command) Owner() string {
	if c.Gen != nil {
		return c.Gen.Name
	}
	return c.Source
}

// Param is one argument of a command: "n integer?: how many".
type Param struct {
	Name, Type, Doc string
	Optional        bool
	Values          []string // the only ones there are; nil = any
	List            bool     // it takes all further words
}

// DefaultPriority is the priority of a handler that names none, between early and late ones.
const DefaultPriority = 50

func (g *Generation) register(what string, f func()) error {
	if g.sealed.Load() {
		return fmt.Errorf("%s: registration is over: scripts register only while their file loads",
			what)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	f()
	return nil
}

// AddHandler registers h with g. Only while g loads.
func (g *Generation) AddHandler(h *Handler) error {
	return g.register("ext.on", func() {
		h.Gen, h.seq = g, len(g.Handlers)
		g.Handlers = append(g.Handlers, h)
	})
}

// AddTool registers t with g. Only while g loads.
func (g *Generation) AddTool(t *Tool) error {
	return g.register("ext.tool", func() { t.Gen = g; g.Tools = append(g.Tools, t) })
}

// AddCommand registers c with g. Only while g loads.
func (g *Generation) AddCommand(c *Command) error {
	return g.register("ext.command", func() { c.Gen = g; g.Commands = append(g.Commands, c) })
}

// AddProvider registers p with g. Only while g loads.
func (g *Generation) AddProvider(p *Provider) error {
	return g.register("ext.provider", func() { p.Gen = g; g.Providers = append(g.Providers, p) })
}

// CheckUse reports a script that has run to its end, registered nothing and has not asked ext for
// anything: nothing of it will ever run again, which is not what its author thinks. A runtime calls
// it for a file that has code in it.
func (g *Generation) CheckUse() error {
	if !g.Hollow() || g.called.Load() {
		return nil
	}
	return g.Unused("nothing is registered, so that nothing of the file ever runs")
}

// Unused is the error of a file with something in it that looks like an extension and that nobody
// calls.
func (g *Generation) Unused(message string) *ScriptError {
	return &ScriptError{Position: Position{File: g.Name}, Message: message,
		Hint: "a script is what it registers while it loads: ext.guard(...), ext.on(EVENT, ...), " +
			"ext.tool{...}, ext.command{...}"}
}

// Engine returns the engine that g was loaded by.
func (g *Generation) Engine() *Engine { return g.engine }
