// This file groups and orders the functions for the reference.

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
			"Registrations, which are only possible while the file loads: a later call is an " +
				"error. A reload replaces all of them at once.", registration},
		{"output", "Log and notices", "Texts for the user and for logs.", output},
		{"waiting", "Waiting and failing",
			"Functions that wait look synchronous in Lua, wherever they are called: in pcall, " +
				"coroutines, metamethods, functions called by table.sort and gsub. In JavaScript " +
				"they return a promise, which must be awaited, returned or chained before the " +
				"handler ends: otherwise the handler fails, with " +
				"the " +
				"line. Meanwhile other handlers of the script run. A promise belongs to the " +
				"handler that created it, and never settles if the handler is cancelled, so " +
				"keep values for later handlers, not promises. A script may use await at its " +
				"top level unless it has import or export; then use `export " +
				"default async (ext) => { ... }`.", waiting},
		{"timers", "Timers",
			"Timers stop when the script is unloaded. After a reload, the new version starts " +
				"its own.", timers},
		{"data", "Data", "Plain data and its formats.", data},
		{"text", "Patterns, texts, bytes, times, paths",
			"Pure functions: they need no grant, do not wait, and are the same in both " +
				"languages.", texts},
		{"shell", "Command lines",
			"Analysis of bash command lines, without running them. These functions need no " +
				"grant and do not wait.", shells},
		{"between", "Between scripts", "Communication between scripts.", between},
		{"ui", "The screen", "Styles of spans: " + strings.Join(ui.Styles(), ", ") + ".\n\n" +
			screenModes, append(slices.Clip(dialogs), screen...)},
		{"agent", "The agent", "Control of the agent.", agent},
		{"session", "The session", "The stored conversation.", session},
		{"state", "State",
			"Values that a script stores in the session. They survive a reload, and follow " +
				"resume and " +
				"fork.", state},
		{"store", "Store",
			"Values that a script stores permanently on this machine, in its own file in " +
				"~/.agent/store.",
			durable},
		{"llm", "Models", "Model requests outside of the conversation.", llm},
		{"tools", "Tools", "Calls of tools, which run all handlers and guards.",
			tools},
		{"fs", "Files", filesDoc, filesystem},
		{"exec", "Programs",
			"Running programs: without a shell, without keys in their environment, and none " +
				"outlives its handler.", programs},
		{"http", "Requests", "HTTP requests to granted hosts.", requests},
		{"env", "The environment",
			"Access to environment variables and secrets.",
			environment},
		{"facts", "Facts", "Facts, available at any time, also while the script loads.", facts},
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
