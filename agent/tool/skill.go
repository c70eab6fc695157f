package tool

import (
	"context"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/subject"
)

// Skill returns the tool that returns the instructions of a skill by calling run.
func Skill(run func(context.Context, *engine.Use) (*engine.Result, error)) *engine.Tool {
	part := count("which part of long instructions; the first if absent")
	return &engine.Tool{
		Name: "skill", Kind: "read", ReadOnly: true, Source: "builtin",
		Description: "Returns the instructions of one of the listed skills, by name.",
		Schema: object(map[string]any{"name": property("string", "name of the skill"),
			"part": part}, "name"),
		Subject: &subject.Subject{Kind: subject.Name, Arg: "name", Verb: "Use the skill",
			Title: []subject.Phrase{{Arg: "name"}}},
		Aliases: &engine.Aliases{Names: map[string]string{"skill": "name", "skill_name": "name"}},
		Run:     run,
	}
}
