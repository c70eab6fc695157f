// This file decides which tools an agent may call.

package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// names reports whether one of the patterns, names and globs of tools, matches; nil matches every
// tool.
func names(patterns []string, tool string) bool {
	if patterns == nil {
		return true
	}
	return slices.ContainsFunc(patterns, func(p string) bool { return event.FitsTool(p, tool) })
}

// toolset decides which tools an agent may call. Its methods are safe for concurrent use.
type toolset struct {
	engine *engine.Engine
	report *report.Reporter
	kinds  *kindList
	parent *toolset             // of the parent agent; nil = the main agent
	depth  int                  // the parent's + 1
	kind   atomic.Pointer[kind] // the agent's kind; nil = none
}

// allows reports whether the agent may call a tool: one that its kind and its task allow, and its
// parent may call.
func (t *toolset) allows(tool string) bool {
	for x := t; x != nil; x = x.parent {
		if k := x.kind.Load(); k != nil && (!names(k.tools, tool) || !names(k.only, tool) ||
			k.not != nil && names(k.not, tool)) {
			return false
		}
	}
	return true
}

// whyNot says why the agent may not call a tool, and the cause with which the call is skipped; "" =
// it may. It is checked before the call is dispatched: no handler can allow such a call.
func (t *toolset) whyNot(ctx context.Context, tool string) (cause, why string) {
	known := t.engine.Scripts.Snapshot().Tool(tool)
	switch {
	case t.allows(tool):
		if known != nil {
			script := t.engine.Scripts.WithheldBy(ctx, t.report.Envelope(), specOf(known))
			if script != "" {
				return "denied", fmt.Sprintf("refused: %s is not available now (%s)", tool, script)
			}
		}
		return "", ""
	case known == nil:
		return "unknown", fmt.Sprintf("unknown tool %q%s", tool,
			suggest.DidYouMeanFor(suggest.ForeignTool, tool, t.names()))
	}
	mine := strings.Join(t.names(), ", ")
	if mine == "" {
		mine = "no tool at all"
	}
	return "denied", fmt.Sprintf("refused: agent %s may not call %s; it may call %s",
		t.report.Envelope().Agent, tool, mine)
}

// names lists the existing tools that the agent may call.
func (t *toolset) names() []string {
	mine := []string{}
	for _, name := range t.engine.Scripts.Snapshot().ToolNames() {
		if t.allows(name) {
			mine = append(mine, name)
		}
	}
	return mine
}

// offer returns the descriptions, for the agent's model, of the tools that it may call. That of the
// agent tool lists the kinds of agents; it is left out if sub-agents may not nest deeper.
func (t *toolset) offer(all []chat.ToolSpec) []chat.ToolSpec {
	mine := make([]chat.ToolSpec, 0, len(all))
	for _, one := range all {
		switch builtin := one.Kind == "agent" && one.Source == "builtin"; {
		case !t.allows(one.Name), builtin && t.depth >= maxDepth:
			continue
		case builtin:
			one.Description += "\nKinds of agents: " + t.kinds.line()
		}
		mine = append(mine, one)
	}
	return mine
}

// checkTools validates names and globs of tools; a name must be that of an existing tool.
func checkTools(e *engine.Engine, patterns []string) error {
	all := e.Scripts.Snapshot().ToolNames()
	for _, p := range patterns {
		if err := checkPattern(p); err != nil {
			return err
		}
		if !strings.ContainsAny(p, `*?[\`) && !slices.Contains(all, p) {
			return fmt.Errorf("unknown tool %q%s", p,
				suggest.DidYouMeanFor(suggest.ForeignTool, p, all))
		}
	}
	return nil
}

// textList converts a list of texts.
func textList(v any) ([]string, error) {
	p, err := value.Plain(v)
	if err != nil {
		return nil, err
	}
	if m, ok := p.(map[string]any); ok && len(m) == 0 { // an empty Lua table
		return []string{}, nil
	}
	l, ok := p.([]any)
	if !ok {
		return nil, fmt.Errorf("got %s, want a list of texts", value.TypeName(p))
	}
	texts := make([]string, len(l))
	for i, x := range l {
		if texts[i], ok = x.(string); !ok {
			return nil, fmt.Errorf("[%d]: got %s, want a text", i+1, value.TypeName(x))
		}
	}
	return texts, nil
}

// specs returns the descriptions, for a model, of the registered tools that the agent may call.
func (t *toolset) specs(ctx context.Context) []chat.ToolSpec {
	snap := t.engine.Scripts.Snapshot()
	var specs []chat.ToolSpec
	for _, name := range snap.ToolNames() {
		specs = append(specs, specOf(snap.Tool(name)))
	}
	return t.engine.Scripts.Offered(ctx, t.report.Envelope(), t.offer(specs))
}

func specOf(t *engine.Tool) chat.ToolSpec {
	return chat.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema, Kind: t.Kind,
		ReadOnly: t.ReadOnly, Source: t.Source}
}
