// This file defines the Registry: what a script registers while it loads.

package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/option"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/value"
)

// Registry holds everything that a generation has registered. It does not change after loading. Its
// methods are safe for concurrent use.
type Registry struct {
	Handlers  []*Handler
	Tools     []*Tool
	Commands  []*Command
	Providers []*Provider
	Redactors []*Redactor
	Options   []*option.Option
	Shortcuts []*Shortcut
	Renderers []*Renderer
	// WordCompleters and KeyTakers act while the user types.
	WordCompleters []*WordCompleter
	KeyTakers      []*KeyTaker

	gen    *Generation
	sealed atomic.Bool
	mu     sync.Mutex // guards the slices while loading
}

// Hollow reports whether the generation registers nothing: then it cannot count as a good version
// of a file that should register something.
func (reg *Registry) Hollow() bool {
	reg.mu.Lock()
	defer reg.mu.Unlock()
	return len(reg.Handlers)+len(reg.Tools)+len(reg.Commands)+len(reg.Providers)+len(reg.Redactors)+
		len(reg.Options)+len(reg.Shortcuts)+len(reg.Renderers)+
		len(reg.WordCompleters)+len(reg.KeyTakers) == 0
}

// register calls f, which changes the slices, unless loading has finished.
func (reg *Registry) register(what string, f func()) error {
	if reg.sealed.Load() {
		return fmt.Errorf("%s: registration is over: scripts register only while their file loads",
			what)
	}
	reg.mu.Lock()
	defer reg.mu.Unlock()
	f()
	return nil
}

// AddHandler registers h with the generation. Only while it loads.
func (reg *Registry) AddHandler(h *Handler) error {
	return reg.register("ext.on", func() {
		h.Gen, h.seq = reg.gen, len(reg.Handlers)
		reg.Handlers = append(reg.Handlers, h)
	})
}

// AddTool registers t with the generation. Only while it loads.
func (reg *Registry) AddTool(t *Tool) error {
	return reg.register("ext.tool", func() { t.Gen = reg.gen; reg.Tools = append(reg.Tools, t) })
}

// AddCommand registers c with the generation. Only while it loads.
func (reg *Registry) AddCommand(c *Command) error {
	return reg.register("ext.command", func() {
		c.Gen = reg.gen
		reg.Commands = append(reg.Commands,
			c)
	})
}

// AddProvider registers p with the generation. Only while it loads.
func (reg *Registry) AddProvider(p *Provider) error {
	return reg.register("ext.provider",
		func() { p.Gen = reg.gen; reg.Providers = append(reg.Providers, p) })
}

// AddShortcut registers s with the generation. Only while it loads.
func (reg *Registry) AddShortcut(s *Shortcut) error {
	return reg.register("ext.shortcut", func() {
		s.Gen = reg.gen
		reg.Shortcuts = append(reg.Shortcuts, s)
	})
}

// AddRenderer registers r with the generation. Only while it loads.
func (reg *Registry) AddRenderer(r *Renderer) error {
	return reg.register("ext.render",
		func() { r.Gen = reg.gen; reg.Renderers = append(reg.Renderers, r) })
}

// AddRedactor registers r with the generation. Only while it loads.
func (reg *Registry) AddRedactor(r *Redactor) error {
	r.own = &redact.Redactor{Name: r.Name, Patterns: r.Patterns}
	if r.Find != nil {
		r.own.Find = func(text string) ([]string, error) {
			return r.callFunction(reg.gen.engine,
				text)
		}
		r.own.Failed = func(text string, err error) { reg.gen.engine.redactorFailed(r, text, err) }
		r.own.Worked = func() { reg.gen.engine.redactorWorked(r) }
	}
	if err := r.own.Prepare(); err != nil {
		return fmt.Errorf("ext.redact: %w", err)
	}
	return reg.register("ext.redact", func() {
		r.Gen = reg.gen
		reg.Redactors = append(reg.Redactors, r)
	})
}

// AddOption registers o with the generation. Only while it loads.
func (reg *Registry) AddOption(o *option.Option) error {
	twice := false
	err := reg.register("ext.option", func() {
		if twice = reg.option(o.Name) != nil; !twice {
			reg.Options = append(reg.Options, o)
		}
	})
	if err == nil && twice {
		return fmt.Errorf("ext.option: name: this script already has an option %q", o.Name)
	}
	return err
}

func (reg *Registry) option(name string) *option.Option {
	i := slices.IndexFunc(reg.Options, func(o *option.Option) bool { return o.Name == name })
	if i >= 0 {
		return reg.Options[i]
	}
	return nil
}

// Option returns the value of an option of the script; ok is false if there is none of that name
// yet.
func (reg *Registry) Option(name string) (any, bool) {
	reg.mu.Lock()
	defer reg.mu.Unlock()
	if o := reg.option(name); o != nil {
		return o.Value, true
	}
	return nil, false
}

// argsShape returns the shape of the arguments of a tool of g.
func (reg *Registry) argsShape(tool string) *value.Shape {
	for _, t := range reg.Tools {
		if t.Name == tool {
			return t.shape
		}
	}
	return nil
}

func (reg *Registry) toolLine(name string) int {
	for _, t := range reg.Tools {
		if t.Name == name {
			return t.Line
		}
	}
	return 0
}

// Provider is a model provider: built in, or a script's.
type Provider struct {
	Name   string
	Models []chat.Model // those known without asking
	// List asks the server for its models. It is only called when models are listed or looked up.
	// nil = Models is complete.
	List func(ctx context.Context) ([]chat.Model, error)
	// BaseURL is the address of its server, without secrets; "" = it is not known.
	BaseURL string
	// Unusable says why the provider cannot be used, and what to do: "set ANTHROPIC_API_KEY". "" =
	// it can be used.
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
