// This file translates the terms of other programs in kinds of agents and in calls of the agent
// tool.

package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/suggest"
)

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
		if strings.ContainsAny(t, `*?[\`) || strings.HasPrefix(t, "mcp__") ||
			slices.Contains(all, t) {
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
