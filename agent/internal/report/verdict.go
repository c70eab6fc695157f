package report

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
)

// Reason says who refused or stopped, and why: "refused by guard.lua: too late".
func Reason(what string, v *engine.Verdict) string {
	by, why := "a script", "no reason given"
	if v.By != nil {
		by = v.By.ScriptName()
	}
	if v.Reason != "" {
		why = v.Reason
	}
	return what + " by " + by + ": " + why
}

// Rewriters lists the scripts that changed an event.
func Rewriters(v *engine.Verdict) string {
	var names, others []string
	for _, s := range v.Trail {
		switch {
		case s.Outcome == "rewrite" && !slices.Contains(names, s.Script):
			names = append(names, s.Script)
		case s.Outcome != "pass" && s.Outcome != "error" && !slices.Contains(others, s.Script):
			others = append(others, s.Script)
		}
	}
	return strings.Join(append(names, slices.DeleteFunc(others,
		func(s string) bool { return slices.Contains(names, s) })...), ", ")
}

// Merge returns the authors in both lists, each once.
func Merge(list, more []engine.Author) []engine.Author {
	for _, a := range more {
		if !slices.ContainsFunc(list, func(b engine.Author) bool {
			return a.Script == b.Script &&
				a.Line == b.Line
		}) {
			list = append(list, a)
		}
	}
	return list
}
