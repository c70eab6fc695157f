// This file implements the command /mcp.

package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/suggest"
)

// listWait is how long /mcp waits on a screen for servers that are still connecting, before it
// lists them as such. Without a screen it waits until they have connected or failed.
const listWait = 2 * time.Second

func (m *Manager) slashCommand() *engine.Command {
	return &engine.Command{Name: "mcp",
		Description: "MCP servers, and what became of them; /mcp reconnect NAME", Source: "mcp",
		GoRun: m.runCommand, GoComplete: m.completeResource}
}

func (m *Manager) runCommand(ctx context.Context, env *event.Envelope,
	args any) (slash.Result, error) {
	text, _ := args.(string)
	verb, name, _ := strings.Cut(strings.TrimSpace(text), " ")
	name = strings.TrimSpace(name)
	switch {
	case verb == "":
		settle := ctx
		if env != nil && env.Interactive {
			var cancel context.CancelFunc
			settle, cancel = context.WithTimeout(ctx, listWait)
			defer cancel()
		}
		m.Wait(settle)
		return slash.Result{Display: m.listing()}, nil
	case verb != "reconnect":
		return slash.Result{Error: fmt.Sprintf("got %q, want nothing, or reconnect NAME%s",
			verb, suggest.DidYouMean(verb, []string{"reconnect"}))}, nil
	}
	m.mu.Lock()
	s := m.findServer(name)
	m.mu.Unlock()
	switch {
	case name == "" && len(m.names()) > 0:
		return slash.Result{Error: "reconnect: name a server: " + strings.Join(m.names(),
			", ")}, nil
	case s == nil:
		return slash.Result{Error: fmt.Sprintf("reconnect: no server %q%s", name,
			suggest.DidYouMean(name, m.names()))}, nil
	}
	if err := s.reconnect(ctx); err != nil {
		return slash.Result{Error: plain.Line(s.hide("reconnect "+name+": "+reason(err)),
			maxNotice)}, nil
	}
	return slash.Result{Display: s.describe()}, nil
}

func (m *Manager) completeResource(_ context.Context, _ *event.Envelope,
	prefix string) (out []slash.Completion, err error) {
	for _, n := range m.names() {
		if value := "reconnect " + n; strings.HasPrefix(value, prefix) {
			out = append(out, slash.Completion{Value: value})
		}
	}
	return out, nil
}

func (m *Manager) names() (names []string) {
	for _, s := range m.list() {
		names = append(names, s.cfg.Name)
	}
	return names
}

// listing returns Markdown with an item per server.
func (m *Manager) listing() string {
	var items []string
	for _, s := range m.list() {
		items = append(items, s.describe())
	}
	if len(items) == 0 {
		return "No MCP servers. Name one in `config.toml` of your agent's home: `[mcp.NAME]`, " +
			"and below it `command = \"program\"` or `url = \"https://...\"`."
	}
	return strings.Join(items, "\n")
}

func (s *server) describe() string {
	s.mu.Lock()
	at, err, names := s.state, s.err, s.names
	s.mu.Unlock()
	whose := "yours"
	if s.cfg.Project {
		whose = "the project's"
	}
	text := fmt.Sprintf("- **%s** %s · %s · %s · `%s`", plain.Line(s.cfg.Name, maxName), at, whose,
		plain.Count(len(names), "tool"), s.hide(s.cfg.Lines()[0]))
	if err != nil && at != gone {
		text += "\n  " + plain.Line(s.hide(reason(err)), maxNotice)
	}
	const shown = 12
	if len(names) > 0 {
		text += "\n  " + strings.Join(names[:min(len(names), shown)], ", ")
	}
	if n := len(names) - shown; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
