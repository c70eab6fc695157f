package agent

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/report"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/suggest"
)

// kindList knows the kinds of agents as their files are at each moment.
type kindList struct {
	home   string // the agent's own directory; "" = there is only the general kind
	engine *engine.Engine
	report *report.Reporter
}

// list reads the kinds of agents as their files are now. What is wrong with a file the user is
// told once.
func (l *kindList) list() []*kind {
	if l.home == "" {
		return []*kind{general()}
	}
	kinds, problems := readKinds(filepath.Join(l.home, "agents"))
	all := l.engine.Scripts.Snapshot().ToolNames()
	for _, k := range kinds {
		var notes []string
		k.tools, notes = ownTools(k.tools, all)
		for _, note := range notes {
			problems = append(problems, k.file+": "+note)
		}
	}
	for _, p := range problems {
		l.report.NotifyOnce("warn", p)
	}
	return kinds
}

// line lists the kinds of agents with what they are for, for a model.
func (l *kindList) line() string {
	var parts []string
	for _, k := range l.list() {
		parts = append(parts, k.name+": "+k.description)
	}
	return strings.Join(parts, "; ")
}

// find returns the kind of that name; "" is the general one.
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

// forTask is the kind of agent that a sub-agent is to be, with what is special about this one.
func (l *kindList) forTask(spec *engine.SpawnSpec) (*kind, error) {
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

// markdown is the kinds of agents as Markdown, with a mark at the one that the main agent is.
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
	line(mainKind, "the usual agent")
	for _, k := range l.list() {
		line(k.name, k.description)
	}
	if l.home != "" {
		b.WriteString("\n`/agent NAME` lets one of them go on in this conversation. A file " +
			filepath.Join(l.home, "agents", "NAME.md") + " makes another one.\n")
	}
	return b.String()
}

// translate takes what the agent tool is asked for in the words of Claude Code as it is meant here,
// and says what it did.
func (l *kindList) translate(spec *engine.SpawnSpec) (notes []string) {
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
