// This file says which tools an agent may call.

package agent

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// names reports whether one of the patterns, names and globs of tools, matches; nil is every tool.
func names(patterns []string, tool string) bool {
	if patterns == nil {
		return true
	}
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, tool)
		return ok && err == nil
	})
}

// may reports whether a may call a tool: an agent may call what its kind and its task say, and
// never what its parent may not.
func (a *Agent) may(tool string) bool {
	for x := a; x != nil; x = x.parent {
		if k := x.kind.Load(); k != nil && (!names(k.tools, tool) || !names(k.only, tool)) {
			return false
		}
	}
	return true
}

// mayNot says why a may not call a tool, and how the call is skipped; cause is "" if it may. It is
// asked before the road: no handler can let a call pass that is not the agent's to make.
func (a *Agent) mayNot(ctx context.Context, tool string) (cause, why string) {
	t := a.engine.Snapshot().Tool(tool)
	switch {
	case a.may(tool):
		if t != nil {
			if script := a.engine.KeptBy(ctx, a.Envelope(), specOf(t)); script != "" {
				return "denied", fmt.Sprintf("refused: %s is not available now (%s)", tool, script)
			}
		}
		return "", ""
	case t == nil:
		return "unknown", fmt.Sprintf("unknown tool %q%s", tool,
			suggest.DidYouMeanFor(suggest.ForeignTool, tool, a.toolNames()))
	}
	mine := strings.Join(a.toolNames(), ", ")
	if mine == "" {
		mine = "no tool at all"
	}
	return "denied", fmt.Sprintf("refused: agent %s may not call %s; it may call %s",
		a.Envelope().Agent, tool, mine)
}

// toolNames lists the tools that a may call, of those there are now.
func (a *Agent) toolNames() []string {
	mine := []string{}
	for _, t := range a.engine.Snapshot().ToolNames() {
		if a.may(t) {
			mine = append(mine, t)
		}
	}
	return mine
}

// offer is what a's model is told of the tools: those that it may call. Of the agent tool it hears
// which kinds of agents there are, and nothing of it where sub-agents may not nest deeper.
func (a *Agent) offer(all []engine.ToolSpec) []engine.ToolSpec {
	mine := make([]engine.ToolSpec, 0, len(all))
	for _, t := range all {
		switch builtin := t.Kind == "agent" && t.Source == "builtin"; {
		case !a.may(t.Name), builtin && a.depth >= maxDepth:
			continue
		case builtin:
			t.Description += "\nKinds of agents: " + a.kindsLine()
		}
		mine = append(mine, t)
	}
	return mine
}

// checkTools checks names and globs of tools; a name must be that of a tool.
func (a *Agent) checkTools(patterns []string) error {
	all := a.engine.Snapshot().ToolNames()
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

// textList reads a list of texts.
func textList(v any) ([]string, error) {
	p, err := value.Plain(v)
	if err != nil {
		return nil, err
	}
	if m, ok := p.(map[string]any); ok && len(m) == 0 { // an empty table of Lua
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

func anyList(texts []string) []any {
	l := make([]any, len(texts))
	for i, t := range texts {
		l[i] = t
	}
	return l
}

// tools are the tools that the agent may call, as they are registered now, as a model is told of
// them.
func (a *Agent) tools(ctx context.Context) []engine.ToolSpec {
	snap := a.engine.Snapshot()
	var specs []engine.ToolSpec
	for _, name := range snap.ToolNames() {
		specs = append(specs, specOf(snap.Tool(name)))
	}
	return a.engine.Offered(ctx, a.report.Envelope(), a.offer(specs))
}

func specOf(t *engine.Tool) engine.ToolSpec {
	return engine.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema, Kind: t.Kind,
		ReadOnly: t.ReadOnly, Source: t.Source}
}
