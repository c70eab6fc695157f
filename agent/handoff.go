// This file finds kinds of agents by name, and lets the main agent become one.

package agent

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/suggest"
)

// handoff is what the main agent was before it became another kind of agent.
type handoff struct {
	mu    sync.Mutex // one at a time
	model string     // as it was set then
}

// kinds reads the kinds of agents as their files are now. What is wrong with a file the user is
// told once.
func (a *Agent) kinds() []*kind {
	if a.o.Home == "" {
		return []*kind{general()}
	}
	kinds, problems := readKinds(filepath.Join(a.o.Home, "agents"))
	all := a.engine.Snapshot().ToolNames()
	for _, k := range kinds {
		var notes []string
		k.tools, notes = ownTools(k.tools, all)
		for _, note := range notes {
			problems = append(problems, k.file+": "+note)
		}
	}
	for _, p := range problems {
		a.report.NotifyOnce("warn", p)
	}
	return kinds
}

// kindsLine lists the kinds of agents with what they are for, for a model.
func (a *Agent) kindsLine() string {
	var parts []string
	for _, k := range a.kinds() {
		parts = append(parts, k.name+": "+k.description)
	}
	return strings.Join(parts, "; ")
}

// findKind returns the kind of that name; "" is the general one.
func (a *Agent) findKind(name string) (*kind, error) {
	var known []string
	for _, k := range a.kinds() {
		if k.name == name || name == "" && k.name == generalKind {
			return k, nil
		}
		known = append(known, k.name)
	}
	return nil, refusal("not_found", "unknown agent %q%s; there is %s", name,
		suggest.DidYouMean(name, known), strings.Join(known, ", "))
}

// kindOf is the kind of agent that a sub-agent is to be, with what is special about this one.
func (a *Agent) kindOf(spec *engine.SpawnSpec) (*kind, error) {
	found, err := a.findKind(spec.Agent)
	if err != nil {
		return nil, err
	}
	k := *found
	if spec.System != "" {
		k.system = spec.System
	}
	if spec.Model != "" {
		if err := engine.CheckModelName(spec.Model); err != nil {
			return nil, refusal("invalid", "model%v", err)
		}
		k.model = spec.Model
	}
	if err := a.checkTools(spec.Tools); err != nil {
		return nil, refusal("invalid", "tools: %v", err)
	}
	k.only = spec.Tools
	return &k, nil
}

// handOver changes who the main agent is: name is a kind of agent, "main" for none. It holds at
// once: from the next request to a model, and the next tool call, on; the system prompt from the
// next prompt on.
func (a *Agent) handOver(name string) error {
	var k *kind
	if name != mainKind {
		var err error
		if k, err = a.findKind(name); err != nil {
			return err
		}
	}
	a.handoff.mu.Lock()
	defer a.handoff.mu.Unlock()
	from, was := a.Envelope(), a.kind.Load()
	if from.Agent == name && k == nil {
		return nil
	}
	if was == nil {
		a.handoff.model = a.settings.wanted()
	}
	model := a.handoff.model
	if k != nil && k.model != "" {
		model = k.model
		if err := a.shared.catalog.Check(model); err != nil {
			return refusal("not_found", "agent %s: %v", name, err)
		}
	}
	a.kind.Store(k)
	if was != nil && was.model != "" || k != nil && k.model != "" {
		a.settings.setModel(model, "user")
	}
	to := a.report.Change(func(env *engine.Envelope) { env.Agent = name })
	a.switched(from, to, "handoff")
	return nil
}

// kindsText is the kinds of agents as Markdown, with a mark at the one that the main agent is.
func (a *Agent) kindsText() string {
	var b strings.Builder
	now := a.Envelope().Agent
	line := func(name, text string) {
		b.WriteString("- `" + name + "`: " + text)
		if name == now {
			b.WriteString(" (now)")
		}
		b.WriteByte('\n')
	}
	line(mainKind, "the usual agent")
	for _, k := range a.kinds() {
		line(k.name, k.description)
	}
	if a.o.Home != "" {
		b.WriteString("\n`/agent NAME` lets one of them go on in this conversation. A file " +
			filepath.Join(a.o.Home, "agents", "NAME.md") + " makes another one.\n")
	}
	return b.String()
}
