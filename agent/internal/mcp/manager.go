package mcp

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/process"
)

// Options configures a Manager. Engine is required.
type Options struct {
	Engine  *engine.Engine
	Servers []config.MCPServer
	// the project: where servers run, and their root; "" = the working directory
	Dir     string
	Version string // of the program, for servers
	// LookupEnv reads the agent's environment. nil: os.LookupEnv.
	LookupEnv func(name string) (value string, ok bool)
	// Notify notifies the user: level is info (a server is connected) or warn. It may be nil.
	Notify func(text, level string)
	// Fence confines servers that are started; nil = they are not confined.
	Fence *fence.Fence
	// Family keeps track of what servers that are started leave running; may be nil.
	Family *process.Family
}

// Manager keeps servers connected. Its methods are safe for concurrent use.
type Manager struct {
	o       Options
	ctx     context.Context // ends with the manager
	cancel  context.CancelFunc
	work    sync.WaitGroup
	command *engine.Installed

	mu      sync.Mutex
	closed  bool
	servers []*server // in the order in which they were added
}

// closeWait is how long Close waits for servers to end: longer than they are given, see
// stdio.Program.End.
const closeWait = 3 * time.Second

// Start connects to the servers in the background, and registers the command /mcp. Close or the end
// of ctx disconnects them.
func Start(ctx context.Context, o Options) *Manager {
	if o.LookupEnv == nil {
		o.LookupEnv = os.LookupEnv
	}
	if o.Notify == nil {
		o.Notify = func(string, string) {}
	}
	if o.Dir == "" {
		o.Dir, _ = os.Getwd()
	}
	m := &Manager{o: o}
	m.ctx, m.cancel = context.WithCancel(ctx)
	in, err := o.Engine.Scripts.Install(engine.Plugin{Name: "mcp",
		Commands: []*engine.Command{m.slashCommand()}})
	if err == nil { // the definition is valid
		m.command = in
	}
	m.Add(o.Servers...)
	return m
}

// Add connects to more servers. It skips one whose name is taken, and notifies the user.
func (m *Manager) Add(servers ...config.MCPServer) {
	for _, name := range m.addServers(servers) {
		m.o.Notify(plain.Line("mcp: "+name+
			": left out: there is a server of this name already", maxNotice), "warn")
	}
}

// addServers returns the names of the skipped servers.
func (m *Manager) addServers(servers []config.MCPServer) (left []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range servers {
		if m.closed {
			continue
		}
		if m.findServer(c.Name) != nil {
			left = append(left, c.Name)
			continue
		}
		var taken []string
		for _, s := range m.servers {
			taken = append(taken, s.prefix)
		}
		s := newServer(m, c, prefixOf(c.Name, taken))
		m.servers = append(m.servers, s)
		if !c.Disabled {
			m.work.Add(1)
			go func() {
				defer m.work.Done()
				s.keepConnected(m.ctx)
			}()
		}
	}
	return left
}

// findServer returns a server by name, nil if there is none. Called under m.mu.
func (m *Manager) findServer(name string) *server {
	if i := slices.IndexFunc(m.servers,
		func(s *server) bool { return s.cfg.Name == name }); i >= 0 {
		return m.servers[i]
	}
	return nil
}

func (m *Manager) list() []*server {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.servers)
}

// Wait waits until every server has connected or failed, each within its startup timeout, or until
// ctx ends.
func (m *Manager) Wait(ctx context.Context) {
	for _, s := range m.list() {
		select {
		case <-s.settled:
		case <-ctx.Done():
			return
		}
	}
}

// Close removes the tools and ends the servers; when it returns their processes are gone, with all
// children in their process groups.
func (m *Manager) Close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.cancel()
	if m.command != nil {
		m.command.Remove()
	}
	within(closeWait, m.work.Wait)
}

// within waits for f to return, but not longer than d.
func within(d time.Duration, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	}
}
