// This file holds the rows of the API table.
package spec

import "github.com/agentscripts/agent/engine"

// API returns the rows of the API table in the order of the reference.
func API() []engine.APIRow {
	var rows []engine.APIRow
	for _, group := range [][]engine.APIRow{registration, output, waiting, data, between, ui, agent, session, state, llm, tools, facts} {
		rows = append(rows, group...)
	}
	return rows
}

func fact(name, typ, doc string) engine.APIRow {
	return engine.APIRow{Name: name, Result: typ, Fact: true, Doc: doc, Lua: "local v = ext." + name, JS: "const v = ext." + name + ";"}
}

var facts = []engine.APIRow{
	fact("version", "string", "Version of the program."),
	fact("api", "integer", "Version of this API."),
	fact("language", "string", "lua or js."),
	fact("mode", "string", "tui, print, json, rpc or acp."),
	fact("os", "string", "Operating system, as Go names it."),
	fact("arch", "string", "Processor, as Go names it."),
	fact("cwd", "string", "Working directory."),
	fact("model_id", "string", "provider/id of the current model, nil if there is none."),
	fact("script", "table", "{name, path, dir, generation} of this script."),
}
