// This file defines a script, the modules that scripts of a folder share, and what a script
// registers.

package engine

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/internal/queue"
	"github.com/agentscripts/agent/engine/suggest"
)

// Source is the origin of a script; the values are in the order of handlers of equal priority.
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
	Guards   []string // tool filters that stay protected while no version of the file loads
	Grants   Grants
	Priority *float64
}

// Grants are the capabilities that a script requests: "ui", "provider", "exec:git",
// "net:api.github.com", ...
type Grants []string

// Has reports whether the grant was requested, by its full text or its kind.
func (g Grants) Has(grant string) bool {
	for _, x := range g {
		if x == grant || strings.HasPrefix(x, grant+":") {
			return true
		}
	}
	return false
}

// Named returns the arguments of grants of a kind: a and b for net:a,b.
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
	// Library holds its modules; nil: none.
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

// Handler is a registered function with the data that the engine needs before it enters the VM.
type Handler struct {
	Gen   *Generation // nil for Go handlers
	Name  string      // of a Go handler: used as the script's name
	Event string
	Fn    Func
	// Always is the outcome that Fn returns for each event; nil = it decides.
	Always   map[string]any
	GoFn     func(ctx context.Context, ev *event.Event) (any, error) // instead of Fn
	Priority float64
	Timeout  *time.Duration // wall time, 0 = none; nil = the kind's default
	OnError  event.Failure  // "" = the row's default
	Scrub    bool           // it removes secrets: the original of its changes is hidden
	Absent   bool           // it stands in for a file without a working version
	Filter   event.Filter
	Line     int // of the registering call
	seq      int

	failures atomic.Int32 // in a row
	broken   atomic.Bool
	queue    *queue.Queue // of a Go handler: its plugin hears events in order
}

// ScriptName returns the name for logs and dialogs.
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

// Failures returns how often the handler has failed: in a row for guards and interceptors, in total
// for observers.
func (h *Handler) Failures() int { return int(h.failures.Load()) }

// Broken reports whether the handler has failed BrokenAfter times in a row.
func (h *Handler) Broken() bool { return h.broken.Load() }

// Command is a slash command.
type Command struct {
	Name        string
	Description string
	Args        []Param     // nil: the raw rest of the line as text
	Hint        string      // describes that rest: "[file] [line]"
	Source      string      // "plugin:NAME", or a file's path; "" = a script's
	Gen         *Generation // of a script; nil = written in Go
	Line        int
	Run         Func
	Complete    Func
	// GoRun and GoComplete are Run and Complete of a command written in Go. args is text, or a map
	// by Args. An error is for the user; a Display is shown.
	GoRun      func(ctx context.Context, env *event.Envelope, args any) (CommandResult, error)
	GoComplete func(ctx context.Context, env *event.Envelope, prefix string) ([]Completion, error)
}

// Owner returns the name of the script that registered the command, or its source.
func (c *Command) Owner() string {
	if c.Gen != nil {
		return c.Gen.Name
	}
	return c.Source
}

// Shortcut is a key chord with its function.
type Shortcut struct {
	Key         string // normalized: see chord.Parse
	Description string
	Gen         *Generation
	Line        int // of the registering call
	Run         Func
}

// Provider is a model provider: built in, or a script's.
type Provider struct {
	Name   string
	Models []chat.Model // those known without asking
	// List asks the server for its models. It is only called when models are listed or looked up.
	// nil = Models is complete.
	List func(ctx context.Context) ([]chat.Model, error)
	// Unusable says why the provider cannot be used, and what to do: "set ANTHROPIC_API_KEY". "" =
	// it can.
	Unusable string
	// SetUp reports that the user has configured a key or an address: if the provider is then
	// Unusable, that is an error, and no other model silently replaces it.
	SetUp  bool
	Source string      // "builtin", "plugin:NAME" or "script:NAME"
	Gen    *Generation // of a script
	Line   int
	// Stream sends a request; emit is called for every piece, from one goroutine at a time. A
	// failure that the caller can act on is a *FailError.
	Stream func(ctx context.Context, req *chat.Request, emit func(chat.Chunk)) (chat.Finish, error)
}

// Param is one argument of a command: "n integer?: how many".
type Param struct {
	Name, Type, Doc string
	Optional        bool
	Values          []string // the permitted ones; nil = any
	List            bool     // it takes all further words
}

// DefaultPriority is the priority of a handler without one, in the middle of the range.
const DefaultPriority = 50

// ModulePrefix begins the name of every module: "lib/x" is the file x of the folder lib beside the
// script.
const ModulePrefix = "lib/"

// maxModuleName is the longest name of a module: file systems take no longer one.
const maxModuleName = 255

// Module is a file that a script, or one of its modules, requires.
type Module struct {
	Name  string // as in require: "lib/x"
	File  string // "lib/x.lua", what errors name; "" if there is none
	Path  string
	Bytes []byte
	Err   error // why it cannot be used
}

// Library is the folder lib of a script: its modules, and the names of other files.
type Library struct {
	Modules []*Module // by name
	Files   []string  // all files of lib, without extensions, for suggestions
}

// Module returns the module that a script requires by name. A module must be named in full in the
// text of the script, or of one of its modules: so the content of a script is known, hashed and
// trusted before any of it runs.
func (l *Library) Module(name string) (*Module, error) {
	var m *Module
	if l != nil {
		if i := slices.IndexFunc(l.Modules,
			func(m *Module) bool { return m.Name == name }); i >= 0 {
			m = l.Modules[i]
		}
	}
	switch {
	case m != nil && m.Err == nil:
		return m, nil
	case m != nil:
		return nil, fmt.Errorf("require: %s: %w", name, m.Err)
	case len(name) > maxModuleName:
		return nil, fmt.Errorf("require: got %.80q..., want a name of at most %d bytes", name,
			maxModuleName)
	case !strings.HasPrefix(name, ModulePrefix):
		return nil, fmt.Errorf(
			"require: got %.80q, want \"lib/NAME\": a module in the folder lib beside the script%s",
			name, l.near(name))
	case !moduleName().MatchString(name) || path.Clean(name) != name:
		return nil, fmt.Errorf(
			"require: got %.80q: a name under lib/ has letters, digits, _, . and -, and "+
				"stays in lib", name)
	case l == nil:
		return nil, fmt.Errorf("require: %s: the script has no folder lib", name)
	}
	return nil, fmt.Errorf(
		"require: %s: the name of a module must stand in the text as it is: require(\"%s\")", name,
		name)
}

// near returns the did-you-mean for the name of a module.
func (l *Library) near(name string) string {
	if l == nil {
		return ""
	}
	name = strings.TrimLeft(strings.ReplaceAll(name, "\\", "/"), "./")
	return suggest.DidYouMean(ModulePrefix+
		strings.TrimPrefix(strings.TrimPrefix(name, ModulePrefix),
			"lib."), l.Files)
}

// NotFound returns the Err of a module without a file.
func (l *Library) NotFound(name string, endings []string) error {
	return fmt.Errorf("there is no such file (%s%s)%s", name, strings.Join(endings, ", "+name),
		suggest.DidYouMean(name, l.Files))
}

// File returns the text of one of the script's files by its name in errors; ok is false if there is
// none.
func (s *Script) File(name string) (src []byte, ok bool) {
	if name == s.Name {
		return s.Bytes, true
	}
	if s.Library != nil {
		for _, m := range s.Library.Modules {
			if m.File == name && name != "" {
				return m.Bytes, true
			}
		}
	}
	return nil, false
}

var (
	moduleName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^lib(/[A-Za-z0-9_][A-Za-z0-9_.-]*)+$`)
	})
	moduleText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("[\"'`\\[](lib(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)+)[\"'`\\]]")
	})
)

// ModuleNames lists the names of modules in a source text, in order: every string literal that
// looks like one. It may list more than the script requires, never less.
func ModuleNames(src []byte) []string {
	var names []string
	for _, m := range moduleText().FindAllSubmatch(src, -1) {
		if name := string(m[1]); path.Clean(name) == name {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
