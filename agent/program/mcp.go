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
	"github.com/agentscripts/agent/agent/internal/mcp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/trust"
	"github.com/agentscripts/agent/engine/ui"
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
	project []*config.ProjectFile
	manager *mcp.Manager // nil = not started
	stop    context.CancelFunc
}

// newServers reads the project's requests. The warnings are about its files.
func newServers(p *Program, o *Options, settings *config.Config) (*mcpServers, []string) {
	s := &mcpServers{program: p, version: o.Agent.Version, mode: o.Agent.Mode, dir: o.Agent.Project,
		home: o.Agent.Home, user: settings.MCP, named: o.Servers}
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
	for _, p := range s.project {
		all = append(all, p.MCP...)
	}
	return config.Keys(all, os.LookupEnv)
}

// startServers connects to the servers in the background.
func (s *mcpServers) startServers() {
	if len(s.user)+len(s.named)+len(s.project) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	s.manager = mcp.Start(ctx, mcp.Options{Engine: s.program.Engine,
		Servers: slices.Concat(s.user, s.named), Dir: s.dir, Version: s.version, Notify: s.notify,
		Fence: s.program.o.Agent.Fence, Family: s.program.o.Agent.Family})
	for _, p := range s.project {
		s.startTrusted(p)
	}
}

// startTrusted starts the servers of a file of the project if the user trusts its bytes.
func (s *mcpServers) startTrusted(p *config.ProjectFile) {
	if len(p.MCP) == 0 {
		return
	}
	decided, err := trust.New(s.home, s.program.Keeper).Read()
	switch trusted, never := decided.Of(Wish(p)); {
	case err != nil:
		s.notify(Untrusting(err).Error(), "warn")
	case trusted:
		s.addServers(p.MCP)
	case never:
	case s.mode == "tui" && s.program.canAsk(): // see Review
	default:
		s.notify(fmt.Sprintf(
			"%s names MCP servers (%s), which are not started: look at them with agent trust, "+
				"and trust them with agent trust add", p.Path, names(p.MCP)),
			"warn")
	}
}

// addServers starts servers of the project.
func (s *mcpServers) addServers(servers []config.MCPServer) {
	if s.manager == nil {
		return
	}
	for _, one := range servers {
		full, err := one.Expanded(os.LookupEnv)
		if err != nil {
			s.notify(fmt.Sprintf("%s is not started: %s", plain.Text(one.Name), plain.Error(err)),
				"warn")
			continue
		}
		s.manager.Add(full)
	}
}

// notify notifies the user. It reports a connected server only on a screen.
func (s *mcpServers) notify(text, level string) {
	if level == "info" && s.mode != "tui" {
		return
	}
	s.program.Engine.Notices.Notify(nil, "mcp", ui.Notice{Text: strings.TrimPrefix(text,
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
