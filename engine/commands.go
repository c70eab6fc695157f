// This file defines slash commands and shortcuts, and runs them for the user.

package engine

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/vm"
)

// Commands runs slash commands and shortcuts. Its methods are safe for concurrent use.
type Commands struct {
	scripts *Scripts
	notices *Notices
	mask    *redact.Mask
	widgets atomic.Int64 // number of widgets of calls
}

// Run runs the slash command name with the rest of the line. A failure of the script has
// been reported (script_error) and is returned as well; a display has been shown (say).
func (cs *Commands) Run(ctx context.Context, env *event.Envelope, name, rest string) (slash.Result,
	error) {
	c, err := cs.find(name)
	if err != nil {
		return slash.Result{}, err
	}
	if c.Gen != nil {
		defer c.Gen.unpin()
	}
	args, err := slash.Parse(c.Args, rest, c.Usage())
	if err != nil {
		return slash.Result{Error: plain.Error(err)}, nil
	}
	if c.Gen == nil {
		out, err := c.runGo(ctx, env, args)
		return cs.shown(env, c, out), err
	}
	r := NewRun(ctx, c.Gen, vm.KindCommand, "command /"+name, env, nil)
	out, err := c.Gen.runCommand(ctx, r, c.Run, c.Line, slash.Typed(c.Name, c.Args, args))
	if err != nil {
		return slash.Result{}, err
	}
	return cs.shown(env, c, out), nil
}

// shown emits the display of a command, and masks what a front end shows.
func (cs *Commands) shown(env *event.Envelope, c *Command, out slash.Result) slash.Result {
	if out.Display != "" {
		owner := c.Owner()
		if owner == "builtin" {
			owner = "agent"
		}
		cs.notices.Say(env, owner, out.Display)
	}
	out.Display, out.Error = cs.mask.Text(out.Display), cs.mask.Text(out.Error)
	return out
}

// runGo runs a command written in Go. Its panic becomes an error.
func (c *Command) runGo(ctx context.Context, env *event.Envelope, args any) (out slash.Result,
	err error) {
	defer apart.Recover(&err)
	return c.GoRun(ctx, env, args)
}

// find finds a command and pins its generation: a command may run for long, and must not keep the
// generations of all other scripts alive.
func (cs *Commands) find(name string) (*Command, error) {
	snap := cs.scripts.acquire()
	defer snap.release()
	c := snap.commands[name]
	if c == nil {
		return nil, fmt.Errorf("unknown command /%s%s", name,
			suggest.DidYouMean(name, snap.cmdNames))
	}
	if c.Gen != nil {
		c.Gen.pin() // cannot fail: the snapshot holds a pin
	}
	return c, nil
}

// RunShortcut runs the shortcut of a normalized chord, in the same way as Run runs a command.
func (cs *Commands) RunShortcut(ctx context.Context, env *event.Envelope,
	key string) (slash.Result,
	error) {
	snap := cs.scripts.acquire()
	x := snap.shortcuts[key]
	if x == nil {
		snap.release()
		return slash.Result{}, fmt.Errorf("there is no shortcut %s", key)
	}
	x.Gen.pin() // cannot fail: the snapshot holds a pin
	snap.release()
	defer x.Gen.unpin()
	r := NewRun(ctx, x.Gen, vm.KindCommand, "shortcut "+key, env, nil)
	out, err := x.Gen.runCommand(ctx, r, x.Run, x.Line)
	if err != nil {
		return slash.Result{}, err
	}
	return cs.shown(env, &Command{Gen: x.Gen}, out), nil
}

// Complete asks the command name for completions of its arguments, of which prefix has been typed.
// It returns none for an unknown command or one without completions. A failure of the script has
// been reported (script_error) and is returned as well.
func (cs *Commands) Complete(ctx context.Context, env *event.Envelope, name,
	prefix string) ([]slash.Completion,
	error) {
	snap := cs.scripts.acquire()
	c := snap.commands[name]
	if c != nil && c.GoComplete != nil {
		snap.release()
		return c.completeGo(ctx, env, prefix)
	}
	if c != nil && c.Complete == nil {
		snap.release()
		return slash.Complete(c.Args, prefix), nil
	}
	if c == nil || !c.Gen.pin() {
		snap.release()
		return nil, nil
	}
	snap.release()
	defer c.Gen.unpin()
	return cs.callComplete(ctx, env, c.Gen, c.Line, "completion of /"+name, c.Complete, prefix)
}

// callComplete asks a function of g for completions of a text.
func (cs *Commands) callComplete(ctx context.Context, env *event.Envelope, g *Generation, line int,
	label string, fn Func, text string) ([]slash.Completion, error) {
	r := NewRun(ctx, g, vm.KindCommand, label, env, nil)
	v, err := g.Run(r, fn, text, g.NewCall(r, func(string) {}))
	var out []slash.Completion
	if err == nil {
		if out, err = slash.DecodeCompletions(v); err != nil {
			err = g.wrong(err, label, line)
		}
	}
	if err != nil && ctx.Err() == nil {
		cs.notices.reportError(fault.Of(err), env)
	}
	return out, err
}

// completeGo completes the arguments of a command written in Go. Its panic becomes an error.
func (c *Command) completeGo(ctx context.Context, env *event.Envelope,
	prefix string) (out []slash.Completion,
	err error) {
	defer apart.Recover(&err)
	out, err = c.GoComplete(ctx, env, prefix)
	return out[:min(len(out), slash.MostCompletions)], err
}

// Command is a slash command.
type Command struct {
	Name        string
	Description string
	Args        []slash.Param // nil: the raw rest of the line as text; empty: no arguments
	Hint        string        // describes that rest: "[file] [line]"
	Source      string        // "plugin:NAME", or a file's path; "" = a script's
	Gen         *Generation   // of a script; nil = written in Go
	Line        int
	Run         Func
	Complete    Func
	// GoRun and GoComplete are Run and Complete of a command written in Go. args is text, or a map
	// by Args. An error is for the user; a Display is shown.
	GoRun      func(ctx context.Context, env *event.Envelope, args any) (slash.Result, error)
	GoComplete func(ctx context.Context, env *event.Envelope, prefix string) ([]slash.Completion,
		error)
}

// Usage returns the command's usage line: /greet NAME [TIMES].
func (c *Command) Usage() string { return slash.Usage(c.Name, c.Hint, c.Args) }

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
