// This file holds the list of the kinds of agents: it finds them by name, turns the main agent into
// one, and translates the terms of other programs in them and in calls of the agent tool.

package agent

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/agent/internal/frontmatter"
	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/models"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/suggest"
)

// kindList lists the kinds of agents from the current files.
type kindList struct {
	home    string // the agent's own directory; "" = none
	user    string // the user's home directory; "" = none
	project string // the project's root; "" = none
	engine  *engine.Engine
	report  *report.Reporter
}

// list reads the kinds of agents from the current files. It reports each problem in a file to the
// user once.
func (l *kindList) list() []*kind {
	kinds, problems := l.readFiles()
	all := l.engine.Scripts.Snapshot().ToolNames()
	for _, k := range kinds {
		var notes, more []string
		k.tools, notes = ownTools(k.tools, all)
		k.not, more = ownTools(k.not, all)
		for _, note := range append(notes, more...) {
			problems = append(problems, k.file+": "+note)
		}
	}
	for _, p := range problems {
		l.report.NotifyOnce("warn", p)
	}
	return kinds
}

// readFiles reads the kinds of agents: the user's own have priority over those of the project.
func (l *kindList) readFiles() (kinds []*kind, problems []string) {
	r := newKindReader()
	for _, folder := range frontmatter.Folders("agents", l.home, l.user, l.project) {
		r.lenient = filepath.Dir(folder.Path) != filepath.Clean(l.home) || l.home == ""
		r.readFolder(folder)
	}
	if text := r.ignored.Text(); text != "" {
		r.problems = append(r.problems, "kinds of agents: "+text)
	}
	return r.kinds, r.problems
}

// line lists the kinds of agents with their descriptions, for a model.
func (l *kindList) line() string {
	var parts []string
	for _, k := range l.list() {
		parts = append(parts, k.name+": "+k.description)
	}
	return strings.Join(parts, "; ")
}

// find returns the kind of that name; "" means the general one.
func (l *kindList) find(name string) (*kind, error) {
	var known []string
	for _, k := range l.list() {
		if k.name == name || name == "" && k.name == generalKind {
			return k, nil
		}
		known = append(known, k.name)
	}
	return nil, refusal("not_found", "unknown agent %q%s; there is %s", name,
		suggest.DidYouMean(name, known), strings.Join(known, ", "))
}

// forTask returns the kind of a new sub-agent, adapted to its task.
func (l *kindList) forTask(spec *service.SpawnSpec) (*kind, error) {
	found, err := l.find(spec.Agent)
	if err != nil {
		return nil, err
	}
	k := *found
	if spec.System != "" {
		k.system = spec.System
	}
	if spec.Model != "" {
		if err := chat.CheckModelName(spec.Model); err != nil {
			return nil, refusal("invalid", "model%v", err)
		}
		k.model = spec.Model
	}
	if err := checkTools(l.engine, spec.Tools); err != nil {
		return nil, refusal("invalid", "tools: %v", err)
	}
	k.only = spec.Tools
	return &k, nil
}

const usualAgent = "the usual agent"

// markdown lists the kinds of agents in Markdown and marks the main agent's current one.
func (l *kindList) markdown() string {
	var b strings.Builder
	now := l.report.Envelope().Agent
	line := func(name, text string) {
		b.WriteString("- `" + name + "`: " + text)
		if name == now {
			b.WriteString(" (now)")
		}
		b.WriteByte('\n')
	}
	line(mainKind, usualAgent)
	for _, k := range l.list() {
		line(k.name, k.description)
	}
	if l.home != "" {
		b.WriteString("\n`/agent NAME` switches this conversation to one of them. A file " +
			filepath.Join(l.home, "agents", "NAME.md") + " adds another one.\n")
	}
	return b.String()
}

// translate replaces names of Claude Code in a request to the agent tool by those of this program,
// and returns notes about what it replaced.
func (l *kindList) translate(spec *service.SpawnSpec) (notes []string) {
	if foreignModel(spec.Model) {
		if spec.Model != inherit {
			notes = append(notes, callersModel(spec.Model))
		}
		spec.Model = ""
	}
	if spec.Agent == foreignGeneral {
		if _, err := l.find(spec.Agent); err != nil {
			spec.Agent = generalKind
			notes = append(notes, fmt.Sprintf("took agent %s as %s", foreignGeneral, generalKind))
		}
	}
	for i, t := range spec.Tools {
		all := l.engine.Scripts.Snapshot().ToolNames()
		if ours := suggest.ForeignName(suggest.ForeignTool, t, all); ours != "" &&
			!slices.Contains(all, t) {
			spec.Tools[i] = ours
			notes = append(notes, fmt.Sprintf("took tool %s as %s", t, ours))
		}
	}
	return notes
}

// handoff turns an agent into another kind of agent, and back into the main agent.
type handoff struct {
	report   *report.Reporter
	catalog  *models.Catalog
	settings *settings
	tools    *toolset

	mu    sync.Mutex // one handoff at a time
	model string     // as set before the handoff
}

// to changes the kind of the main agent: name is a kind, "main" for none. It takes effect with the
// next model call and the next tool call; the system prompt changes with the next prompt.
func (h *handoff) to(name string) error {
	var k *kind
	if name != mainKind {
		var err error
		if k, err = h.tools.kinds.find(name); err != nil {
			return err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	from, was := h.report.Envelope(), h.tools.kind.Load()
	if from.Agent == name && k == nil {
		return nil
	}
	if was == nil {
		h.model = h.settings.wanted()
	}
	model := h.model
	if k != nil && k.model != "" {
		model = k.model
		if err := h.catalog.Check(model); err != nil {
			return refusal("not_found", "agent %s: %v", name, err)
		}
	}
	h.tools.kind.Store(k)
	if was != nil && was.model != "" || k != nil && k.model != "" {
		h.settings.setModel(model, "user")
	}
	to := h.report.Change(func(env *event.Envelope) { env.Agent = name })
	tellSwitch(h.report, from, to, "handoff")
	return nil
}

// inherit is Claude Code's model name for the caller's model.
const inherit = "inherit"

// foreignGeneral is Claude Code's name for the general agent.
const foreignGeneral = "general-purpose"

// foreignModel reports whether a model name is one of Claude Code's short ones, which belong to no
// provider.
func foreignModel(name string) bool {
	return slices.Contains([]string{inherit, "sonnet", "opus", "haiku"}, name)
}

// callersModel returns a note on how a short name was replaced.
func callersModel(name string) string {
	return fmt.Sprintf("model: %q is no provider/id: it has the model of its caller", name)
}

// ownTools replaces other programs' tool names in a kind, such as Read and Bash, by the names here.
// notes lists those that do not exist. all are the names of the existing tools; those of MCP
// servers may be added later.
func ownTools(tools, all []string) (own, notes []string) {
	if tools == nil {
		return nil, nil
	}
	own = []string{}
	add := func(t string) {
		if !slices.Contains(own, t) {
			own = append(own, t)
		}
	}
	for _, t := range tools {
		if strings.ContainsAny(t, `*?[\`) || event.OfServer(t) || slices.Contains(all, t) {
			add(t)
			continue
		}
		if ours := suggest.ForeignName(suggest.ForeignTool, t, all); ours != "" {
			add(ours)
			continue
		}
		add(t) // a script may define it later
		notes = append(notes, fmt.Sprintf("tools: unknown tool %q%s", clip(t, maxShown),
			suggest.DidYouMeanFor(suggest.ForeignTool, t, all)))
	}
	return own, notes
}
