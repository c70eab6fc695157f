// This file implements ext.shell, except the rules of shell.check. A parsed command line is read
// lazily: a guard may parse one at each tool call, so nothing is copied into maps in advance.

package host

import (
	"fmt"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/shell"
	"github.com/agentscripts/agent/engine/touch"
	"github.com/agentscripts/agent/engine/value"
)

func (p *paths) shellFuncs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"shell.check": p.shellCheck, "shell.parse": p.shellParse, "shell.paths": p.touched,
		"shell.quote": shellQuote, "shell.split": shellSplit,
	}
}

func (p *paths) shellParse(c *engine.HostCall) (any, error) {
	line := text(c.Args[0])
	finder, dir := p.finder(c)
	s, at := finder.Parse(line, dir), newPlaces(c, line)
	out := map[string]any{"ok": s.Err == nil, "commands": parsedCommands(s, at),
		"opaque": parsedOpaque(s, at)}
	if s.Err != nil {
		out["reason"] = s.Err.Error()
	}
	return out, nil
}

// places converts positions in a text to those of the script's language.
type places struct {
	first int   // the number of the first byte, and of the first entry of a list
	units []int // UTF-16 code units before each byte; nil = as many as bytes
}

func newPlaces(c *engine.HostCall, s string) *places {
	if c.Gen.Language != "js" {
		return &places{first: 1}
	}
	p := &places{}
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			p.units = make([]int, len(s)+1)
			break
		}
	}
	if p.units == nil {
		return p
	}
	m := &matches{s: s, js: true}
	for i := range p.units {
		p.units[i] = m.units(i)
	}
	return p
}

func (p *places) of(byte int) float64 {
	if p.units != nil && byte < len(p.units) {
		return float64(p.units[byte])
	}
	return float64(byte + p.first)
}

func shellQuote(c *engine.HostCall) (any, error) {
	words, ok := c.Args[0].([]any)
	if !ok {
		words = []any{c.Args[0]}
	}
	argv := make([]string, len(words))
	for i, w := range words {
		s, ok := w.(string)
		if n, number := value.Number(w); number {
			s, ok = value.NumberText(n), true
		}
		if !ok {
			return nil, fmt.Errorf("ext.shell.quote: argv %d: got %s, want string", i+1,
				value.TypeName(w))
		}
		argv[i] = s
	}
	out, err := shell.Quote(argv)
	if err != nil {
		return nil, fmt.Errorf("ext.shell.quote: argv: %w", err)
	}
	return out, nil
}

func shellSplit(c *engine.HostCall) (any, error) {
	words, err := shell.Split(text(c.Args[0]))
	if err != nil {
		return nil, &fault.WorldError{Code: "invalid", Message: "ext.shell.split: " + err.Error()}
	}
	return value.TextList(words), nil
}

// finder returns what finds the files of command lines for a call, and the folder in which they
// run.
func (p *paths) finder(c *engine.HostCall) (f touch.Finder, dir string) {
	dir = p.cwd
	if c.Run != nil && c.Run.Env != nil && c.Run.Env.CWD != "" {
		dir = c.Run.Env.CWD
	}
	f = p.find
	f.Wrote = c.Gen.Engine().Written()
	f.Ended = func() bool { return c.Run != nil && c.Run.Err() != nil }
	return f, dir
}

func (p *paths) touched(c *engine.HostCall) (any, error) {
	finder, dir := p.finder(c)
	found := finder.Command(text(c.Args[0]), dir, p.project)
	return map[string]any{"reads": value.TextList(found.Reads()),
		"writes":  value.TextList(found.Writes()),
		"perhaps": value.TextList(found.MayWrite()), "unknown": found.Unknown()}, nil
}

// parsedCommands returns the commands of s, and the redirections without a command: of a loop, a
// group, or of nothing.
func parsedCommands(s *shell.Script, at *places) []any {
	out := make([]any, len(s.Commands), len(s.Commands)+len(s.Redirects))
	all := make([]parsedCommand, len(s.Commands))
	for i := range all {
		all[i] = parsedCommand{c: &s.Commands[i], at: at}
		out[i] = &all[i]
	}
	for i := range s.Redirects {
		r := &s.Redirects[i]
		if r.Command >= 0 {
			all[r.Command].redirects = append(all[r.Command].redirects, (*parsedRedirect)(r))
			continue
		}
		out = append(out, &parsedCommand{c: &shell.Command{From: -1, Pos: r.Pos}, at: at,
			redirects: []any{(*parsedRedirect)(r)}})
	}
	return out
}

// parsedCommand is a value.Object for a command.
type parsedCommand struct {
	c         *shell.Command
	at        *places
	redirects []any
}

var commandKeys = []string{"argv", "assigns", "background", "name", "path", "piped_from", "pos",
	"redirects", "static", "via"}

func (p *parsedCommand) Keys() []string { return commandKeys }

func (p *parsedCommand) Get(key string) (any, bool) {
	c := p.c
	switch key {
	case "argv":
		return c.Argv, true
	case "assigns":
		return (*parsedAssigns)(c), true
	case "background":
		return c.Background, true
	case "name":
		return c.Name, c.Name != ""
	case "path":
		if c.Name != "" {
			return c.Argv[0], true
		}
	case "piped_from":
		return float64(c.From + p.at.first), c.From >= 0
	case "pos":
		return p.at.of(c.Pos), true
	case "redirects":
		return p.redirects, true
	case "static":
		return (*parsedStatic)(c), true
	case "via":
		return c.Via, true
	}
	return nil, false
}

// parsedStatic is a value.List that says which words of a command are static.
type parsedStatic shell.Command

func (p *parsedStatic) Len() int     { return len(p.Static) }
func (p *parsedStatic) At(i int) any { return p.Static[i] }

// parsedAssigns is a value.List of the variables that a command sets.
type parsedAssigns shell.Command

func (p *parsedAssigns) Len() int { return len(p.Assign) }

func (p *parsedAssigns) At(i int) any {
	one := map[string]any{"name": p.Assign[i]}
	if i < len(p.Values) && p.Values[i] != nil {
		one["value"] = *p.Values[i]
	}
	return one
}

// parsedRedirect is a value.Object for a redirection.
type parsedRedirect shell.Redirect

var redirectKeys = []string{"op", "path", "text"}

func (r *parsedRedirect) Keys() []string { return redirectKeys }

func (r *parsedRedirect) Get(key string) (any, bool) {
	switch key {
	case "op":
		return r.Op, true
	case "path":
		return r.Path, r.Path != ""
	case "text":
		return r.Text, true
	}
	return nil, false
}

func parsedOpaque(s *shell.Script, at *places) []any {
	out := []any{}
	for _, o := range s.Opaque() {
		out = append(out, map[string]any{"kind": o.Kind, "text": o.Text, "pos": at.of(o.Pos)})
	}
	return out
}
