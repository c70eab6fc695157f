// This file holds ext.shell.

package host

import (
	"fmt"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/shell"
	"github.com/agentscripts/agent/engine/touch"
	"github.com/agentscripts/agent/engine/value"
)

func (p *paths) shellFuncs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"shell.check": shellCheck, "shell.parse": shellParse, "shell.paths": p.touched,
		"shell.quote": shellQuote, "shell.split": shellSplit,
	}
}

func shellParse(c *engine.HostCall) (any, error) {
	line := text(c.Args[0])
	s, at := shell.Parse(line), newPlaces(c, line)
	out := map[string]any{"ok": s.Err == nil, "commands": parsedCommands(s, at),
		"opaque": parsedOpaque(s, at)}
	if s.Err != nil {
		out["reason"] = s.Err.Error()
	}
	return out, nil
}

func values(texts []string) []any {
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}

// places tells places in a text as the language of a script counts them.
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
		return nil, &engine.WorldError{Code: "invalid", Message: "ext.shell.split: " + err.Error()}
	}
	return values(words), nil
}

func (p *paths) touched(c *engine.HostCall) (any, error) {
	dir := p.cwd
	if c.Run != nil && c.Run.Env != nil && c.Run.Env.CWD != "" {
		dir = c.Run.Env.CWD
	}
	found := touch.Finder{Home: p.user}.Command(text(c.Args[0]), dir, p.project)
	return map[string]any{"reads": values(found.Reads()), "writes": values(found.Writes()),
		"perhaps": values(found.MayWrite()), "unknown": found.Unknown()}, nil
}
