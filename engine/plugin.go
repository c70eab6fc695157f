// This file lets Go code register at run time what scripts register while they load.

package engine

import (
	"errors"
	"fmt"
	"slices"
)

// Plugin is what Go code registers together: an embedder's hooks, the tools of an MCP server,
// commands that are files. Handlers take part in the order of those of scripts, by priority and
// then as SourceGo.
//
// Runtimes and Events are kinds of things. Who installs them has scripts loaded again afterwards
// (load.Loader.Rescan), so that files of the language are found, and scripts load that wait for the
// event. Once they are removed, what was loaded stays in force as it is: a guard goes with its file
// alone.
type Plugin struct {
	Name      string // for messages; the Source of what has none is "plugin:NAME"
	Tools     []*Tool
	Providers []*Provider
	Commands  []*Command
	Handlers  []*Handler
	Runtimes  []Runtime  // script languages, and formats of other hosts: see Format
	Events    []EventRow // to be fired with Engine.Emit, or Intercept
}

// Installed is a Plugin that is in force. Its methods are safe for concurrent use, also while calls
// run: each takes effect in one step, as a reload of a script does.
type Installed struct {
	e      *Engine
	plugin Plugin
	queue  observerQueue
}

// Install puts a plugin into force, all or nothing. What it registers may be registered again, and
// must not be changed. A name that is taken stays with who had it first, and the new Snapshot's
// Notices say so.
func (e *Engine) Install(p Plugin) (*Installed, error) {
	in := &Installed{e: e}
	return in, in.set(p, true)
}

// Replace exchanges all that was registered for p. Nothing changes if p has a mistake, which is the
// error.
func (in *Installed) Replace(p Plugin) error {
	return in.set(p, false)
}

// Remove takes everything back. Calls that are under way end as they would have.
func (in *Installed) Remove() {
	e := in.e
	e.swapMu.Lock()
	defer e.swapMu.Unlock()
	if i := slices.Index(e.plugins, in); i >= 0 {
		e.plugins = slices.Delete(slices.Clone(e.plugins), i, i+1)
		e.swap(e.gens, e.shadows)
	}
}

var errRemoved = errors.New("the plugin was removed")

// set puts p into force; first tells that in is new.
func (in *Installed) set(p Plugin, first bool) error {
	e := in.e
	own, err := e.own(p)
	if err != nil {
		return err
	}
	e.swapMu.Lock()
	defer e.swapMu.Unlock()
	if !first && !slices.Contains(e.plugins, in) {
		return errRemoved
	}
	var others [][]EventRow
	for _, p := range e.plugins {
		if p != in {
			others = append(others, p.plugin.Events)
		}
	}
	if err := e.Events.bring(own.Events, others); err != nil {
		return fmt.Errorf("plugin %s: %w", own.Name, err)
	}
	if first {
		e.plugins = append(e.plugins, in)
	}
	for i, h := range own.Handlers {
		if h.queue != nil { // it is registered, or was: calls that run may look at it
			h = &Handler{Name: h.Name, Event: h.Event, GoFn: h.GoFn, Priority: h.Priority,
				Timeout: h.Timeout, OnError: h.OnError, Filter: h.Filter, Line: h.Line}
			own.Handlers[i] = h
		}
		if h.Name == "" {
			h.Name = own.Name
		}
		h.seq, h.queue = e.goSeq, &in.queue
		e.goSeq++
	}
	in.plugin = own
	e.swap(e.gens, e.shadows)
	return nil
}

// own is p with names and sources filled in, as the engine's own: whoever made it may register the
// same again while calls run. The error says what is wrong with it.
func (e *Engine) own(p Plugin) (Plugin, error) {
	if p.Name == "" {
		p.Name = "go"
	}
	source := "plugin:" + p.Name
	if slices.Contains(p.Tools, nil) || slices.Contains(p.Providers, nil) ||
		slices.Contains(p.Commands, nil) || slices.Contains(p.Handlers, nil) ||
		slices.Contains(p.Runtimes, nil) {
		return p, fmt.Errorf("plugin %s: something in it is nil", p.Name)
	}
	p.Tools, p.Providers, p.Commands = copies(p.Tools), copies(p.Providers), copies(p.Commands)
	p.Handlers = slices.Clone(p.Handlers)
	for _, t := range p.Tools {
		if t.Source == "" {
			t.Source = source
		}
		switch err := e.CheckTool(t); {
		case err != nil:
			return p, err
		case t.Name == "" || t.Run == nil:
			return p, fmt.Errorf("plugin %s: a tool needs a Name and a Run", p.Name)
		}
	}
	for _, m := range p.Providers {
		if m.Source == "" {
			m.Source = source
		}
		if m.Name == "" || m.Stream == nil {
			return p, fmt.Errorf("plugin %s: a provider needs a Name and a Stream", p.Name)
		}
	}
	for _, c := range p.Commands {
		if c.Source == "" {
			c.Source = source
		}
		if c.Name == "" || c.GoRun == nil {
			return p, fmt.Errorf("plugin %s: a command needs a Name and a GoRun", p.Name)
		}
	}
	for _, rt := range p.Runtimes {
		if rt.Language() == "" {
			return p, fmt.Errorf("plugin %s: a runtime needs a Language", p.Name)
		}
	}
	p.Events = slices.Clone(p.Events)
	for i := range p.Events {
		if err := checkRow(&p.Events[i]); err != nil {
			return p, fmt.Errorf("plugin %s: %w", p.Name, err)
		}
		p.Events[i].prepare()
	}
	for _, h := range p.Handlers {
		own := slices.ContainsFunc(p.Events, func(r EventRow) bool { return r.Name == h.Event })
		if !own && e.Events.Row(h.Event) == nil || h.GoFn == nil {
			return p, fmt.Errorf(
				"plugin %s: a handler needs a GoFn, and an event of the table, got %q", p.Name,
				h.Event)
		}
	}
	return p, nil
}

func copies[T any](list []*T) []*T {
	out := make([]*T, len(list))
	for i, x := range list {
		own := *x
		out[i] = &own
	}
	return out
}

// goParts is everything that is registered in Go, in order: what is built in, then plugins. Under
// swapMu.
func (e *Engine) goParts(shadows []*Handler) Plugin {
	all := Plugin{Tools: slices.Clone(e.opts.Tools), Providers: slices.Clone(e.opts.Providers),
		Runtimes: slices.Clone(e.opts.Runtimes)}
	for _, in := range e.plugins {
		p := in.plugin
		all.Tools = append(all.Tools, p.Tools...)
		all.Providers = append(all.Providers, p.Providers...)
		all.Commands = append(all.Commands, p.Commands...)
		all.Handlers = append(all.Handlers, p.Handlers...)
		all.Runtimes = append(all.Runtimes, p.Runtimes...)
		all.Events = append(all.Events, p.Events...)
	}
	all.Handlers = append(all.Handlers, shadows...)
	return all
}

// AddGoHandler installs a plugin of one handler. The returned function takes it away.
func (e *Engine) AddGoHandler(h *Handler) (remove func()) {
	in, err := e.Install(Plugin{Name: h.Name, Handlers: []*Handler{h}})
	if err != nil {
		panic("engine: " + err.Error()) // a mistake in the program
	}
	return in.Remove
}
