// This file orders the functions as the reference shows them.

package spec

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/ui"
)

// Group is a page of the reference.
type Group struct {
	Name  string // of the page
	Title string
	Doc   string
	Rows  []engine.APIRow
}

// Groups returns all functions in groups, in the order of the reference.
func Groups() []Group {
	return []Group{
		{"registration", "Registration",
			"What a script registers while its file loads. A later call is an error; nothing is " +
				"unregistered by hand: a reload replaces all of it at once.", registration},
		{"output", "Log and notices", "What a script tells people.", output},
		{"waiting", "Waiting and failing",
			"What waits looks synchronous in Lua, wherever it is called: in pcall, coroutines, " +
				"metamethods, what table.sort and gsub call. In JavaScript it is a promise, " +
				"which must be awaited, " +
				"returned or chained before the handler ends: else the handler has failed, with " +
				"the " +
				"line. Other handlers of the script run meanwhile. A promise belongs to the " +
				"handler that made it and never settles when that is " +
				"cancelled, so keep values for the next handler, not promises. A script may " +
				"await at " +
				"its top level unless it has import or export; then it does so in `export " +
				"default async (ext) => { ... }`.", waiting},
		{"timers", "Timers",
			"What runs by the clock. Timers go with the script: at a reload the new version " +
				"starts its own.", timers},
		{"data", "Data", "Plain data, and how it is written down.", data},
		{"text", "Patterns, texts, bytes, times, paths",
			"What is computed: no grant, no waiting, and the same in both languages.", texts},
		{"shell", "Command lines",
			"What a command line of bash would run, without running it. Nothing here needs a " +
				"grant, and nothing waits.", shells},
		{"between", "Between scripts", "Scripts tell each other.", between},
		{"ui", "The screen", "Styles of spans: " + strings.Join(ui.Styles(), ", ") + ".\n\n" +
			screenModes, append(slices.Clip(dialogs), screen...)},
		{"agent", "The agent", "What the agent does for a script.", agent},
		{"session", "The session", "The conversation, as it is written down.", session},
		{"state", "State",
			"What a script keeps in the session: it survives a reload, and follows resume and " +
				"fork.", state},
		{"store", "Store",
			"What a script keeps for good, on this machine: one file of its own in ~/.agent/store.",
			durable},
		{"llm", "Models", "Questions to a model, beside the conversation.", llm},
		{"tools", "Tools", "Calls of tools: all of them take the same road, guards included.",
			tools},
		{"fs", "Files", filesDoc, filesystem},
		{"exec", "Programs",
			"Other programs, run as they are: no shell, no keys in their environment, and none " +
				"that outlives its handler.", programs},
		{"http", "Requests", "HTTP, to granted hosts.", requests},
		{"env", "The environment",
			"What a script may know of the variables of the environment, and the keys among them.",
			environment},
		{"facts", "Facts", "What a script can know at any time, also while it loads.", facts},
	}
}

// API returns the rows of the API table in the order of the reference.
func API() []engine.APIRow {
	var rows []engine.APIRow
	for _, g := range Groups() {
		rows = append(rows, g.Rows...)
	}
	return rows
}
