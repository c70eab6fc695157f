// This file holds what the program provides for models to read.

package main

import (
	"github.com/agentscripts/agent/agent/skill"
	"github.com/agentscripts/agent/engine/spec"
)

// builtinSkills returns the skills that are part of the program.
func builtinSkills() []skill.Builtin {
	return []skill.Builtin{{Name: "agent-scripts", Text: spec.Guide,
		Description: "How to write a script for this program, agent: guards, tools, slash " +
			"commands and handlers of events, in one Lua or JavaScript file in ~/.agent/scripts. " +
			"It has the whole API. Read it before you write or change such a script."}}
}
