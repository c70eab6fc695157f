// Package hooks runs the command hooks of Claude Code and docker-agent as scripts of the engine: a
// file hooks.json or agent.yaml that names, for each event, programs that read the event from their
// standard input and answer with their exit code or with JSON.
//
//	f := hooks.New("", extapi.Options{Data: folder})
//	engine.Options{Runtimes: []engine.Runtime{lua.New(), js.New(), f}}
//
// A table for each program (dialect) says which event here stands for one there, what hooks read of
// it, and what their answers mean. Hooks are registered, and run, through the functions of ext, so
// they are on the same road as the handlers of scripts, under the same order and policies, and
// their commands run as the programs of scripts do: in the sandbox of the agent, each in a process
// group of its own that ends with it.
//
// A hook of PreToolUse or PermissionRequest that cannot run, does not end in time, or whose answer
// is not understood, has failed: the policy of failures answers, and you are asked. Claude Code
// would let the call go on.
package hooks

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// manifestName is the name of the files with the hooks of plugins: in a folder hooks of the plugin,
// or in the plugin's folder.
const manifestName = "hooks.json"

// Format implements engine.Format.
type Format struct {
	*dialect
	file string
	// as in extapi.Options
	data, version string

	beside sync.WaitGroup // hooks for which nobody waits
	given  *given
	setups setups
}

// New returns the format of the files with a name, as engine.Format.Manifest; "" = hooks.json. In
// settings.json, hooks are one of many keys. YAML is of docker-agent; files of which there may be
// many have events at the top.
func New(file string, o extapi.Options) *Format {
	d := &claude
	if strings.HasSuffix(file, "ml") {
		d = &docker
	}
	return &Format{dialect: d, file: cmp.Or(file, manifestName), data: o.Data, version: o.Version,
		given: &given{}}
}

// Share makes the identical hooks of files in several formats run once for an event.
func Share(formats ...*Format) {
	for _, f := range formats {
		f.given = formats[0].given
	}
}

// Wait waits until no hook runs, but not for ever. All extensions must have been unloaded.
func (f *Format) Wait() {
	ended := make(chan struct{})
	go func() {
		f.beside.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(mostEnding): // a process that cannot be killed
	}
}

// mostEnding is how long Wait waits.
const mostEnding = 5 * time.Second

// plugin reports whether a file is that of a plugin, and nothing else.
func plugin(file string) bool { return path.Base(file) == manifestName }

// Language implements engine.Runtime.
func (f *Format) Language() string {
	if plugin(f.file) {
		return "hooks"
	}
	return "hooks of " + f.file
}

// Extensions implements engine.Runtime: only the name of the file tells an extension.
func (*Format) Extensions() []string { return nil }

// Manifest implements engine.Format.
func (f *Format) Manifest() string { return f.file }

// HasPlace reports whether it is a format of the files in docker-agent's own folder: see
// engine.HasPlace.
func (f *Format) HasPlace() bool { return f.dialect == &docker && strings.Contains(f.file, "/") }

// Header implements engine.Format.
func (f *Format) Header(src []byte) (scriptfile.Header, error) {
	s, err := f.read(f.dialect, f.file, src)
	h := scriptfile.Header{API: 1, Summary: s.about, Off: s.off}
	if err != nil {
		if s.unsure {
			h.Guards = []string{"*"}
		}
		for i := range f.rows {
			if f.rows[i].decides && bytes.Contains(src, []byte(f.rows[i].name)) {
				h.Guards = []string{"*"} // it may guard anything
			}
		}
		return h, err
	}
	var guards []*hook
	for _, x := range s.hooks {
		if x.row.decides {
			guards = append(guards, x)
		}
	}
	if h.Guards = f.toolsOf(guards); len(guards) > 0 && h.Guards == nil {
		h.Guards = []string{"*"}
	}
	h.Grants = s.grants()
	return h, nil
}

// Explain returns what of a file is used here, and what has no counterpart: a line each.
func (f *Format) Explain(src []byte) (uses, lacks []string) {
	s, err := f.read(f.dialect, f.file, src)
	if err != nil {
		return nil, nil
	}
	for _, h := range s.hooks {
		if h.wrong == nil {
			uses = append(uses, h.label())
		}
	}
	if s.status != nil {
		uses = append(uses, "the status line "+plain.Line(s.status.command, 80))
	}
	return uses, append(s.notes, s.unread...)
}

// toolsOf returns the tools that hooks are about; nil if they are not known by name.
func (d *dialect) toolsOf(hooks []*hook) (tools []string) {
	for _, h := range hooks {
		if h.matcher.names == nil {
			return nil
		}
		for _, name := range h.matcher.names {
			tool := d.tools.ownName(name)
			if event.CheckToolFilter(tool) != nil {
				return nil
			}
			tools = append(tools, tool)
		}
	}
	slices.Sort(tools)
	return slices.Compact(tools)
}

// grants returns what hooks need: to run, and for what they may answer.
func (s *settings) grants() scriptfile.Grants {
	text := ""
	if s.status != nil {
		text = " ui exec:" + s.status.shell
	}
	for _, h := range s.hooks {
		switch {
		case h.wrong != nil:
		case h.kind == "http":
			text += " net:" + hostOf(h.url)
		case h.kind == "prompt", h.kind == "model":
			text += " llm"
		case h.kind == "agent":
			text += " agent"
		case h.kind == "mcp_tool":
			text += " tools:" + h.command
		case h.kind == "builtin":
			if text += " " + h.builtin.needs; h.url != "" {
				text += " net:" + hostOf(h.url)
			}
		default:
			text += " exec:" + h.shell
		}
		for _, name := range h.variables() {
			text += " env:" + name
		}
		if h.row.decides {
			text += " permission.allow"
		}
		text += " " + h.row.needs
		if h.rewake {
			text += " agent"
		}
	}
	list := strings.Fields(text)
	slices.Sort(list)
	return slices.Compact(list)
}

// extension is a file of hooks in force. It implements engine.VM.
type extension struct {
	api    extapi.API
	format *Format
	s      settings
	ctx    context.Context // of hooks for which nobody waits
	cancel context.CancelFunc

	mu    sync.Mutex
	shows *event.Envelope   // of which the status line is to tell; nil = its command does not run
	calls []*row            // the events of calls, in the order in which hooks are asked
	going map[string]string // the prompt that a hook has continued last, by agent
	// of docker-agent: labels by call, and results by what was called
	labels   map[string]message
	results  map[string][32]byte
	redacts  bool // secrets
	labelled bool
	titled   bool            // it has set the title of the window
	told     map[string]bool // see tellOnce

	snaps sync.Mutex
	kept  map[string]*history // by file; nil = the builtin snapshot is not in force
	work  working
	slow  bool   // git is too slow for snapshots here
	why   string // none was taken, as it was told last

	judging sync.Mutex
	judges  map[string]bool // by id: sub-agents that decide for hooks
}

// Close implements engine.VM.
func (x *extension) Close() {
	x.format.given.forget()
	x.format.setups.count(x.api.Bind.Gen.Name, -1)
	x.cancel()
	if surface := x.api.Bind.Gen.Engine().Screen.Surface(); surface != nil && surface.Show != nil {
		x.setTitle(surface, "")
	}
}

// mostAgents is how many agents are remembered.
const mostAgents = 100

// continued reports whether a hook has continued the present prompt of an agent.
func (x *extension) continued(env *event.Envelope) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	id, ok := x.going[env.AgentID]
	return ok && id == env.PromptID
}

func (x *extension) setContinued(env *event.Envelope) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.going) >= mostAgents {
		clear(x.going)
	}
	x.going[env.AgentID] = env.PromptID
}

var _ engine.Format = (*Format)(nil)
