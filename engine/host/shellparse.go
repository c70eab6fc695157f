// This file makes command lines data: a guard may read one at each call of a tool, so nothing is
// copied into maps on the way.

package host

import "github.com/agentscripts/agent/engine/shell"

// parsedCommands are the commands of s, and those redirections that stand for themselves: of a
// loop, a group, or of nothing.
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

// parsedCommand is a value.Object.
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

// parsedStatic is a value.List: which words of a command are known.
type parsedStatic shell.Command

func (p *parsedStatic) Len() int     { return len(p.Static) }
func (p *parsedStatic) At(i int) any { return p.Static[i] }

// parsedAssigns is a value.List: the variables that a command sets.
type parsedAssigns shell.Command

func (p *parsedAssigns) Len() int { return len(p.Assign) }

func (p *parsedAssigns) At(i int) any {
	one := map[string]any{"name": p.Assign[i]}
	if i < len(p.Values) && p.Values[i] != nil {
		one["value"] = *p.Values[i]
	}
	return one
}

// parsedRedirect is a value.Object.
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
