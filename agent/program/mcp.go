// This file starts MCP servers: those of the user's settings, and those of a project once the user
// trusts it.

package program

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/mcp"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/trust"
)

// mcpServers are the MCP servers of the program.
type mcpServers struct {
	program *Program
	version string
	mode    string
	dir     string // root of the project
	home    string
	user    []config.MCPServer // of the user's settings
	named   []config.MCPServer // named by the editor for this session
	project *config.ProjectFile
	dialogs engine.Dialogs // nil = no one can be asked
	manager *mcp.Manager   // nil = not started
	stop    context.CancelFunc
}

// newServers reads the project's requests. The warnings are about its file.
func newServers(p *Program, o *Options, settings *config.Config) (*mcpServers, []string) {
	s := &mcpServers{program: p, version: o.Agent.Version, mode: o.Agent.Mode, dir: o.Agent.Project,
		home: o.Agent.Home, user: settings.MCP, named: o.Servers, dialogs: o.Agent.Dialogs}
	switch {
	case o.Without.MCP:
		s.user = nil
		return s, nil
	case s.home == "": // the user's decisions about projects are unknown
		return s, nil
	}
	var notes []string
	project, warnings := config.LoadProject(s.dir, s.home)
	for _, w := range warnings {
		notes = append(notes, w.String())
	}
	s.project = project
	return s, notes
}

// keys returns the secrets passed to servers of the project and of the editor.
func (s *mcpServers) keys() []string {
	all := slices.Clone(s.named)
	if s.project != nil {
		all = append(all, s.project.MCP...)
	}
	return config.Keys(all, os.LookupEnv)
}

// startServers connects to the servers in the background.
func (s *mcpServers) startServers() {
	if len(s.user)+len(s.named) == 0 && s.project == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	s.manager = mcp.Start(ctx, mcp.Options{Engine: s.program.Engine,
		Servers: slices.Concat(s.user, s.named), Dir: s.dir, Version: s.version, Notify: s.notify})
	if s.project == nil || len(s.project.MCP) == 0 {
		return
	}
	switch trusted, never, err := TrustStore(s.home).Decided(Wish(s.project)); {
	case err != nil:
		s.notify(Untrusting(err).Error(), "warn")
	case trusted:
		s.manager.Add(s.project.MCP...)
	case never:
	case s.mode == "tui" && s.dialogs != nil:
		go s.askTrust(ctx)
	default:
		s.notify(fmt.Sprintf(
			"%s names MCP servers (%s), which are not started: look at them with agent trust, "+
				"and trust them with agent trust add", s.project.Path, names(s.project.MCP)),
			"warn")
	}
}

// notify notifies the user. It reports a connected server only on a screen.
func (s *mcpServers) notify(text, level string) {
	if level == "info" && s.mode != "tui" {
		return
	}
	s.program.Engine.Notices.Notify(nil, "mcp", engine.Notice{Text: strings.TrimPrefix(text,
		"mcp: "),
		Level: level})
}

// ready waits until each server has connected or failed, so that the first request has their tools.
func (s *mcpServers) ready(ctx context.Context) {
	if s.manager != nil {
		s.manager.Wait(ctx)
	}
}

func (s *mcpServers) close() {
	if s.manager != nil {
		s.manager.Close()
		s.stop()
	}
}

// askTrust asks the user whether to trust the project's servers.
func (s *mcpServers) askTrust(ctx context.Context) {
	answer, ok, err := s.dialogs.Select(ctx, &engine.Dialog{Kind: "select",
		Title: fmt.Sprintf("This project wants to start MCP servers: %d. Trust them?",
			len(s.project.MCP)), Detail: Description(s.project),
		Choices: []engine.Choice{{Value: "no", Label: "Not now",
			Description: "ask again next time"},
			{Value: "once", Label: "Start them now", Description: "and ask again next time"},
			{Value: "always", Label: "Trust these bytes", Description: "until the file changes"},
			{Value: "never", Label: "Never",
				Description: "do not ask again until the file changes"}}})
	if err != nil || !ok || answer == "no" {
		return
	}
	if answer != "once" {
		if err := TrustStore(s.home).Trust(Wish(s.project), answer == "never"); err != nil {
			s.notify("not remembered: "+plain.Error(err), "warn")
		}
	}
	if answer != "never" {
		s.manager.Add(s.project.MCP...)
	}
}

// TrustStore returns the user's decisions about the requests of projects.
func TrustStore(home string) *trust.Store {
	return trust.New(home)
}

// Wish returns the request in a project's file, as an item to trust.
func Wish(p *config.ProjectFile) trust.Item {
	i := trust.Item{Root: p.Root, Path: p.Path, SHA256: p.SHA256}
	for _, s := range p.MCP {
		i.Grants = append(i.Grants, "mcp:"+s.Name)
	}
	return i
}

func names(list []config.MCPServer) string {
	var out []string
	for _, s := range list {
		out = append(out, plain.Text(s.Name))
	}
	return strings.Join(out, ", ")
}

// Description lists a project's servers, each with its whole command line.
func Description(p *config.ProjectFile) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.Path)
	for _, s := range p.MCP {
		fmt.Fprintf(&b, "  %s: %s\n", plain.Text(s.Name), strings.Join(s.Lines(), "\n    "))
	}
	return strings.TrimRight(b.String(), "\n")
}

// Untrusting returns the error of an unusable trust store.
func Untrusting(err error) error {
	return fmt.Errorf("%w: nothing of a project is trusted; mend or remove the file", err)
}
