// This file defines the Snapshot, which dispatch reads: immutable, behind one atomic pointer.

package engine

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/suggest"
)

// Snapshot holds everything that is registered at one moment, in its final order. It is immutable;
// a reload makes a new one. Acquire it to use its handlers, so that its generations live until the
// last use has ended.
type Snapshot struct {
	Number      uint64
	Generations []*Generation // in the order of handlers
	Notices     []string      // clashes, replacements, and filters that name no known tool
	Clashes     []string      // the notices about names that are already taken

	handlers   map[string][]*Handler // by event, in order
	hooked     bool                  // hook_finished has handlers: it is fired for each handler
	tools      map[string]*Tool
	toolNames  []string // in order
	commands   map[string]*Command
	cmdNames   []string
	shortcuts  map[string]*Shortcut
	renderers  map[drawn]*Renderer
	completers map[string]*WordCompleter // by prefix
	keyTakers  []*KeyTaker               // in the order of handlers
	providers  map[string]*Provider
	provNames  []string
	runtimes   []Runtime
	redactors  []*Redactor  // in the order of handlers
	users      atomic.Int64 // 1 while current, plus the number of users; 0 = dead
}

// Handlers returns the handlers of an event in the order in which they run. The caller must not
// change it.
func (s *Snapshot) Handlers(event string) []*Handler { return s.handlers[event] }

// Tool returns a tool by name, nil if there is none.
func (s *Snapshot) Tool(name string) *Tool { return s.tools[name] }

// ToolNames returns the names of all tools in order: built-in ones first.
func (s *Snapshot) ToolNames() []string { return s.toolNames }

// Command returns a slash command by name without the slash, nil if there is none.
func (s *Snapshot) Command(name string) *Command { return s.commands[name] }

// CommandNames returns the names of the scripts' commands, sorted.
func (s *Snapshot) CommandNames() []string { return s.cmdNames }

// Provider returns a model provider by name, nil if there is none.
func (s *Snapshot) Provider(name string) *Provider { return s.providers[name] }

// ProviderNames returns the names of the providers in order of registration.
func (s *Snapshot) ProviderNames() []string { return s.provNames }

// Redactors returns the redactors in the order of handlers. The caller must not change it.
func (s *Snapshot) Redactors() []*Redactor { return s.redactors }

// Broken returns the guards that have failed BrokenAfter times in a row.
func (s *Snapshot) Broken() []*Handler {
	var broken []*Handler
	for _, hs := range s.handlers {
		for _, h := range hs {
			if h.Broken() {
				broken = append(broken, h)
			}
		}
	}
	sort.Slice(broken, func(i, j int) bool { return before(broken[i], broken[j]) })
	return broken
}

// before orders handlers: by priority, source, path, registration.
func before(a, b *Handler) bool {
	if a.Priority != b.Priority {
		return a.Priority < b.Priority
	}
	as, ap := a.place()
	bs, bp := b.place()
	if as != bs {
		return as < bs
	}
	if ap != bp {
		return ap < bp
	}
	return a.seq < b.seq
}

// newSnapshot combines generations and registrations of Go code.
func newSnapshot(number uint64, gens []*Generation, own Plugin) *Snapshot {
	s := &Snapshot{Number: number, handlers: map[string][]*Handler{}, tools: map[string]*Tool{},
		commands: map[string]*Command{}, shortcuts: map[string]*Shortcut{},
		renderers: map[drawn]*Renderer{}, providers: map[string]*Provider{},
		completers: map[string]*WordCompleter{},
		runtimes:   own.Runtimes}
	s.users.Store(1)
	s.Generations = append([]*Generation(nil), gens...)
	sort.SliceStable(s.Generations, func(i, j int) bool {
		a, b := s.Generations[i], s.Generations[j]
		if a.Source != b.Source {
			return a.Source < b.Source
		}
		return a.Path < b.Path
	})
	for _, t := range own.Tools {
		s.addTool(t)
	}
	for _, p := range own.Providers {
		s.addProvider(p)
	}
	for _, c := range own.Commands {
		s.addCommand(c)
	}
	for _, h := range own.Handlers {
		s.handlers[h.Event] = append(s.handlers[h.Event], h)
	}
	for _, g := range s.Generations {
		s.addGeneration(g)
	}
	for _, hs := range s.handlers {
		sort.SliceStable(hs, func(i, j int) bool { return before(hs[i], hs[j]) })
	}
	s.hooked = len(s.handlers[event.HookFinished{}.Event()]) > 0
	s.setRedactors()
	sort.Strings(s.cmdNames)
	s.Notices = append(s.Notices, s.unknownTools()...)
	return s
}

func (s *Snapshot) addGeneration(g *Generation) {
	for _, h := range g.Registry.Handlers {
		s.handlers[h.Event] = append(s.handlers[h.Event], h)
	}
	for _, t := range g.Registry.Tools {
		s.addTool(t)
	}
	for _, p := range g.Registry.Providers {
		s.addProvider(p)
	}
	for _, c := range g.Registry.Commands {
		s.addCommand(c)
	}
	for _, x := range g.Registry.Shortcuts {
		s.addShortcut(x)
	}
	for _, r := range g.Registry.Renderers {
		s.addRenderer(r)
	}
	for _, c := range g.Registry.WordCompleters {
		s.addWordCompleter(c)
	}
	s.keyTakers = append(s.keyTakers, g.Registry.KeyTakers...)
}

func (s *Snapshot) addCommand(c *Command) {
	if first := s.commands[c.Name]; first != nil {
		s.clash("command /"+c.Name, owner(first.Gen, first.Line, first.Source),
			owner(c.Gen, c.Line, c.Source))
		return
	}
	s.commands[c.Name] = c
	s.cmdNames = append(s.cmdNames, c.Name)
}

func (s *Snapshot) addTool(t *Tool) {
	first := s.tools[t.Name]
	switch {
	case first == nil:
		s.tools[t.Name] = t
		s.toolNames = append(s.toolNames, t.Name)
	case t.Override && first.Gen == nil && (first.Source == "" || first.Source == "builtin"):
		s.tools[t.Name] = t.inherit(first)
		s.Notices = append(s.Notices, fmt.Sprintf("tool %s: %s replaces the built-in tool", t.Name,
			owner(t.Gen, t.Line, t.Source)))
	default:
		s.clash("tool "+t.Name, owner(first.Gen, first.Line, first.Source),
			owner(t.Gen, t.Line, t.Source))
	}
}

func (s *Snapshot) addProvider(p *Provider) {
	if first := s.providers[p.Name]; first != nil {
		s.clash("provider "+p.Name, owner(first.Gen, first.Line, first.Source),
			owner(p.Gen, p.Line, p.Source))
		return
	}
	s.providers[p.Name] = p
	s.provNames = append(s.provNames, p.Name)
}

func (s *Snapshot) clash(what, first, second string) {
	text := fmt.Sprintf("%s: %s already has it, so the one of %s is not used; rename one of them",
		what, first, second)
	s.Notices, s.Clashes = append(s.Notices, text), append(s.Clashes, text)
}

func owner(g *Generation, line int, source string) string {
	switch {
	case g != nil:
	case source == "" || source == "builtin":
		return "the program itself"
	default:
		return source
	}
	return fmt.Sprintf("%s (%s)", fault.Position{File: g.Name, Line: line}, g.Path)
}

// unknownTools warns of tool filters that name no known tool: a typo there would silently disable a
// guard.
func (s *Snapshot) unknownTools() []string {
	var out []string
	for _, g := range s.Generations {
		for _, h := range g.Registry.Handlers {
			for _, t := range h.Filter.Tools() {
				if strings.ContainsAny(t, "*?[") || s.tools[t] != nil || event.OfServer(t) {
					continue
				}
				out = append(out, fmt.Sprintf("%s: %s: the filter names no known tool: %q%s",
					h.position(), h.Label(), t,
					suggest.DidYouMeanFor(suggest.ForeignTool, t, s.toolNames)))
			}
		}
	}
	return out
}

// Shortcut returns the shortcut of a normalized chord, nil if there is none.
func (s *Snapshot) Shortcut(key string) *Shortcut { return s.shortcuts[key] }

// Shortcuts returns the shortcuts sorted by chord.
func (s *Snapshot) Shortcuts() []*Shortcut {
	var out []*Shortcut
	for _, x := range s.shortcuts {
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b *Shortcut) int { return strings.Compare(a.Key, b.Key) })
	return out
}

func (s *Snapshot) addShortcut(x *Shortcut) {
	if first := s.shortcuts[x.Key]; first != nil {
		s.clash("shortcut "+x.Key, owner(first.Gen, first.Line, ""), owner(x.Gen, x.Line, ""))
		return
	}
	s.shortcuts[x.Key] = x
}

// acquire keeps the snapshot's generations alive; it returns false if it is already dead.
func (s *Snapshot) acquire() bool {
	for {
		n := s.users.Load()
		if n == 0 {
			return false
		}
		if s.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release ends a use; the last one of a snapshot that is no longer current releases its
// generations.
func (s *Snapshot) release() {
	if s.users.Add(-1) == 0 {
		for _, g := range s.Generations {
			g.unpin()
		}
	}
}

// PathGuard is a guard that blocks, or asks about, each call that writes, or reads, a matching
// file.
type PathGuard struct {
	What string   // "writes" or "reads"
	Glob string   // as written, see event.Filter
	By   *Handler // with an outcome instead of a function, and without other filters
}

// Blocks reports whether the guard refuses such calls; otherwise it asks about them.
func (g *PathGuard) Blocks() bool { return g.By.Always["block"] == true }

// PathGuards returns these guards, in the order in which they are asked.
func (s *Snapshot) PathGuards() (out []PathGuard) {
	for _, h := range s.handlers["guard"] {
		if h.Always["block"] != true && !asks(h.Always["ask"]) {
			continue
		}
		w, r, only := h.Filter.OnlyPaths()
		if !only {
			continue
		}
		if w != "" && r == "" {
			out = append(out, PathGuard{"writes", w, h})
		}
		if r != "" && w == "" {
			out = append(out, PathGuard{"reads", r, h})
		}
	}
	return out
}

// asks reports whether the value of the outcome ask is a question.
func asks(v any) bool { return v != nil && v != false }

// Files returns the files of the loaded scripts, and of their modules.
func (s *Snapshot) Files() (out []string) {
	for _, g := range s.Generations {
		if g.Script == nil || g.Source == scriptfile.SourceBuiltin { // part of the program
			continue
		}
		if g.Path != "" {
			out = append(out, g.Path)
		}
		if g.Library == nil {
			continue
		}
		for _, m := range g.Library.Modules {
			if m.Path != "" {
				out = append(out, m.Path)
			}
		}
	}
	return out
}
