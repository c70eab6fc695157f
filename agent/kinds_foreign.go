// This file reads what kinds of agents, and calls of the agent tool, say in the words of other
// programs.

package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/suggest"
)

// inherit is how Claude Code writes that a sub-agent has the model of its caller.
const inherit = "inherit"

// foreignGeneral is what Claude Code calls the general agent.
const foreignGeneral = "general-purpose"

// foreignModel reports whether a name of a model is one of Claude Code's short ones: they stand for
// no provider's model.
func foreignModel(name string) bool {
	return slices.Contains([]string{inherit, "sonnet", "opus", "haiku"}, name)
}

// callersModel says what became of a short name.
func callersModel(name string) string {
	return fmt.Sprintf("model: %q is no provider/id: it has the model of its caller", name)
}

// ownTools gives the tools of a kind the names that they have here: files that were written for
// another program say Read and Bash. notes name those that do not exist. all are the names of the
// tools that there are; those of MCP servers may come later.
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
		if strings.ContainsAny(t, `*?[\`) || strings.HasPrefix(t, "mcp__") ||
			slices.Contains(all, t) {
			add(t)
			continue
		}
		if ours := suggest.ForeignName(suggest.ForeignTool, t, all); ours != "" {
			add(ours)
			continue
		}
		add(t) // a script may bring it
		notes = append(notes, fmt.Sprintf("tools: unknown tool %q%s", clip(t, maxShown),
			suggest.DidYouMeanFor(suggest.ForeignTool, t, all)))
	}
	return own, notes
}
