// This file lets Go code register, at run time, what scripts register while they load.

package engine

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/internal/queue"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// Plugin is what Go code registers together: an embedder's hooks, the tools of an MCP server,
// commands that are files. Handlers take part in the order of those of scripts, by priority and
// then as SourceGo.
//
// After installing Runtimes or Events, call load.Loader.Rescan, so that files of the language are
// found, and scripts load that need the event. Loaded scripts stay in force when their runtime or
// event is removed: a guard is only removed together with its file.
type Plugin struct {
	Name      string // for messages; the Source of what has none is "plugin:NAME"
	Tools     []*Tool
	Providers []*Provider
	Commands  []*Command
	Handlers  []*Handler
	Runtimes  []Runtime   // script languages, and formats of other hosts: see Format
	Events    []event.Row // fired with Emitter.Emit, or Engine.Intercept
}

// Installed is a Plugin that is in force. Its methods are safe for concurrent use, even while calls
// run: each takes effect in one step, like a reload of a script.
type Installed struct {
	scripts *Scripts
	plugin  Plugin
	queue   queue.Queue
}

// Install puts a plugin into force, all or nothing. What it registers may be registered again, and
// must not be changed. A name that is taken keeps its first owner, and the new Snapshot's Notices
// say so.
func (s *Scripts) Install(p Plugin) (*Installed, error) {
	in := &Installed{scripts: s}
	return in, in.setPlugin(p, true)
}

// Replace replaces everything that was registered with p. If p is invalid, it returns an error and
// changes nothing.
func (in *Installed) Replace(p Plugin) error {
	return in.setPlugin(p, false)
}

// Remove removes everything. Calls in progress finish normally.
func (in *Installed) Remove() {
	s := in.scripts
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.plugins, in); i >= 0 {
		s.plugins = slices.Delete(slices.Clone(s.plugins), i, i+1)
		s.swap(s.gens, s.shadows)
	}
}

var errRemoved = errors.New("the plugin was removed")

// setPlugin puts p into force; first reports that in is new.
func (in *Installed) setPlugin(p Plugin, first bool) error {
	s := in.scripts
	own, err := s.own(p)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !first && !slices.Contains(s.plugins, in) {
		return errRemoved
	}
	var others [][]event.Row
	for _, p := range s.plugins {
		if p != in {
			others = append(others, p.plugin.Events)
		}
	}
	if err := s.engine.Events.Bring(own.Events, others); err != nil {
		return fmt.Errorf("plugin %s: %w", own.Name, err)
	}
	if first {
		s.plugins = append(s.plugins, in)
	}
	for i, h := range own.Handlers {
		if h.queue != nil { // it is or was registered: running calls may read it
			h = &Handler{Name: h.Name, Event: h.Event, GoFn: h.GoFn, Priority: h.Priority,
				Timeout: h.Timeout, OnError: h.OnError, Filter: h.Filter, Line: h.Line}
			own.Handlers[i] = h
		}
		if h.Name == "" {
			h.Name = own.Name
		}
		h.seq, h.queue = s.goSeq, &in.queue
		s.goSeq++
	}
	in.plugin = own
	s.swap(s.gens, s.shadows)
	return nil
}

// own returns p with names and sources filled in, as the engine's own copy: its maker may register
// the same values again while calls run. The error says what is invalid.
func (s *Scripts) own(p Plugin) (Plugin, error) {
	if p.Name == "" {
		p.Name = "go"
	}
	source := "plugin:" + p.Name
	if slices.Contains(p.Tools, nil) || slices.Contains(p.Providers, nil) ||
		slices.Contains(p.Commands, nil) || slices.Contains(p.Handlers, nil) ||
		slices.Contains(p.Runtimes, nil) {
		return p, fmt.Errorf("plugin %s: it contains a nil value", p.Name)
	}
	p.Tools, p.Providers, p.Commands = copies(p.Tools), copies(p.Providers), copies(p.Commands)
	p.Handlers = slices.Clone(p.Handlers)
	for _, t := range p.Tools {
		if t.Source == "" {
			t.Source = source
		}
		switch err := s.engine.CheckTool(t); {
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
	if err := event.Prepare(p.Events); err != nil {
		return p, fmt.Errorf("plugin %s: %w", p.Name, err)
	}
	for _, h := range p.Handlers {
		own := slices.ContainsFunc(p.Events, func(r event.Row) bool { return r.Name == h.Event })
		if !own && s.engine.Events.Row(h.Event) == nil || h.GoFn == nil {
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

// goParts returns everything registered in Go, in order: the built-in parts, then plugins. Under
// swapMu.
func (s *Scripts) goParts(shadows []*Handler) Plugin {
	built := &s.engine.opts
	all := Plugin{Tools: slices.Clone(built.Tools), Providers: slices.Clone(built.Providers),
		Runtimes: slices.Clone(built.Runtimes)}
	for _, in := range s.plugins {
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

// AddGoHandler installs a plugin of one handler. The returned function removes it.
func (s *Scripts) AddGoHandler(h *Handler) (remove func()) {
	in, err := s.Install(Plugin{Name: h.Name, Handlers: []*Handler{h}})
	if err != nil {
		panic("engine: " + err.Error()) // a bug in the program
	}
	return in.Remove
}

// Format is a Runtime for extensions that were made for another host. It recognizes them by a file
// with a fixed name, the manifest, in a folder among the scripts or the extensions; the bytes of
// that file are the script. Its Extensions are usually empty. It may register functions written in
// Go (Handler.GoFn, Command.GoRun, Tool.Run), and Load may return a nil VM if nothing must be
// closed.
type Format interface {
	Runtime
	// Manifest returns the name of that file: "extension.json", or its path in the extension's
	// folder: "hooks/hooks.json". A path that begins with a dot is one that only counts where the
	// other host has it, not in any folder: ".claude/settings.json"; its last name may be one of
	// many, "*.yaml". Of several formats that fit a path, the first counts.
	Manifest() string
	// Header returns the equivalent of a script's header: the tools that it guards, the grants that
	// it needs. It does not run anything. An error is shown to the user, who may be asked about
	// every call until the extension loads: in any case if it says that it guards "*".
	Header(manifest []byte) (scriptfile.Header, error)
	// Files returns the slash-separated paths, relative to a folder, of the files in it that the
	// extension runs. They belong to the extension's hash, and a change of one reloads it.
	// Generation.Library has them while Load runs, with their hashes.
	Files(manifest []byte, in ExtensionFolder) []ExtensionFile
}

// Section is a Format whose only extension is a part of a file that has other parts, such as a
// table of the settings. Its Manifest is the name of the extension, FILE:PART.
type Section interface {
	Format
	// File returns the path of the file.
	File() string
	// Part returns the extension, which takes the place of the manifest; nil if the file has none.
	// An error says that it cannot be told from the other parts.
	Part(file []byte) ([]byte, error)
}

// ExtensionFile is a file that an extension runs.
type ExtensionFile struct {
	Name string // see Format.Files
	// Perhaps says that it may be missing, or lead out of the folder. Then that is part of the
	// hash; otherwise such an extension cannot be loaded.
	Perhaps bool
}

// ExtensionFolder is the folder in which an extension has its files: that of its manifest, or, if
// the manifest only counts at one place, the project or the user's own folder.
type ExtensionFolder struct {
	Path    string // absolute; "" = unknown
	Project bool   // it is a project, or in one
	// Exists reports whether a path, relative to the folder, names something other than a folder.
	Exists func(name string) bool
}

// HasFormat reports whether a script with that name is an extension in a format. Its name ends with
// the folder and the name of the manifest.
func HasFormat(f Format, name string) bool {
	m := f.Manifest()
	if s, ok := f.(Section); ok {
		return name == m || name == filepath.ToSlash(s.File())
	}
	if dir, ending, many := strings.Cut(m, "*"); many {
		at, file := path.Split(name)
		return strings.HasSuffix("/"+at, "/"+dir) && strings.HasSuffix(file, ending) &&
			file[0] != '.'
	}
	return name == m && (HasPlace(f) || !strings.Contains(m, "/")) ||
		strings.HasSuffix(name, "/"+m)
}

// HasPlace reports whether the manifest of a format only counts at a fixed place: it is in a folder
// that begins with a dot, or the format says so.
func HasPlace(f Format) bool {
	m := f.Manifest()
	_, section := f.(Section)
	p, placed := f.(interface{ HasPlace() bool })
	return section || strings.HasPrefix(m, ".") && strings.Contains(m, "/") ||
		placed && p.HasPlace()
}
