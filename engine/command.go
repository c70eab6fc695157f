// This file runs functions of scripts on behalf of the agent: tools, commands, completions, providers.
package engine

import (
	"context"
	"fmt"
)

// CommandResult is what a slash command came to; at most one field is set.
type CommandResult struct {
	Prompt  string // send this to the model
	Insert  string // put this into the editor
	Display string // Markdown to show; RunCommand has emitted it as a say event already
	Error   string // what went wrong, for the user
}

// CallInfo is what a script's run function gets as `call`: the envelope's fields and methods.
type CallInfo struct {
	Env     *Envelope
	Methods []*Builtin // progress, cancelled, defer; Row.Name is the key
}

// Get implements Object.
func (c *CallInfo) Get(key string) (any, bool) {
	for _, m := range c.Methods {
		if m.Row.Name == key {
			return m, true
		}
	}
	return c.Env.Get(key)
}

// Keys implements Object.
func (c *CallInfo) Keys() []string {
	var keys []string
	for _, k := range envelopeKeys {
		if _, ok := c.Env.Get(k); ok {
			keys = append(keys, k)
		}
	}
	for _, m := range c.Methods {
		keys = append(keys, m.Row.Name)
	}
	return keys
}

// Run calls fn, a function that g registered, as a run of the given kind, and waits for it. If its VM does
// not stop when told to, Run returns without it. with, if not nil, sees the run before it starts. Any
// goroutine may call it that does not hold the turn of g's VM.
func (g *Generation) Run(r *Run, fn Func, args ...any) (any, error) {
	if !g.pin() {
		return nil, g.engine.scriptError(ErrClosed, g, r.Label)
	}
	type answer struct {
		v   any
		err error
	}
	done := make(chan answer, 1)
	r.strand = newStrand()
	go func() {
		defer g.unpin()
		defer r.End()
		defer func() {
			if p := recover(); p != nil {
				done <- answer{nil, fmt.Errorf("internal error: %v", p)}
			}
		}()
		v, err := fn.Call(r, args...)
		done <- answer{v, err}
	}()
	select {
	case a := <-done:
		if a.err != nil {
			return nil, g.engine.scriptError(a.err, g, r.Label)
		}
		return a.v, nil
	case err := <-r.strand.abandoned:
		return nil, g.engine.scriptError(err, g, r.Label)
	}
}

// RunCommand runs the slash command name with the rest of the line. A failure of the script has been
// reported (script_error) and is returned as well.
func (e *Engine) RunCommand(ctx context.Context, env *Envelope, name, rest string) (CommandResult, error) {
	return CommandResult{}, fmt.Errorf("soon")
}
