// This file holds the rows of the facts.

package spec

import "github.com/agentscripts/agent/engine"

func fact(name, typ, doc string) engine.APIRow {
	return engine.APIRow{Name: name, Result: typ, Fact: true, Doc: doc,
		Lua: "local v = ext." + name, JS: "const v = ext." + name + ";"}
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
