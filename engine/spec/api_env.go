// This file holds the rows of the environment.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

var environment = []engine.APIRow{
	{
		Name: "env", Grant: "env", Narrow: "name", Result: "string?",
		Params: []value.Field{{Name: "name", Type: "string", Doc: "of a variable"}},
		Doc:    "A variable of the environment, nil if it is not set.",
		Lua:    `local editor = ext.env("EDITOR") or "vi"`,
		JS:     `const editor = ext.env("EDITOR") ?? "vi";`,
	},
	{
		Name: "secret", Codes: []string{"not_found"}, Grant: "env", Narrow: "name", Result: "any",
		Params: []value.Field{{Name: "name", Type: "string", Doc: "of a variable"},
			{Name: "format", Type: "string?",
				Doc: `a text in which %s stands for the value: "Bearer %s"`}},
		Doc: "A variable of the environment that nobody may see, such as a key: a handle that " +
			"can be given as a header of a request and not be read. " +
			"Where it is shown, logged or written it is [secret NAME], and its value is masked " +
			"in all output from now on, if it has 8 bytes or more. " +
			`That it is not set, or empty, is an error of the world (code "not_found").`,
		Lua: `local token = ext.secret("GITHUB_TOKEN", "Bearer %s")`,
		JS:  `const token = ext.secret("GITHUB_TOKEN", "Bearer %s");`,
	},
}
