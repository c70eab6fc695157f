// This file holds the rows of the environment variables.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

var environment = []engine.APIRow{
	{
		Name: "env", Grant: "env", Narrow: "name", Result: "string?",
		Params: []value.Field{{Name: "name", Type: "string", Doc: "of a variable"}},
		Doc: "Returns an environment variable, nil if it is not set. If the name ends in KEY, " +
			"TOKEN, SECRET, PASSWORD or PASSWD, the value is masked in all output from now on, " +
			"as that of ext.secret.",
		Lua: `local editor = ext.env("EDITOR") or "vi"`,
		JS:  `const editor = ext.env("EDITOR") ?? "vi";`,
	},
	{
		Name: "secret", Codes: []string{"not_found"}, Grant: "env", Narrow: "name", Result: "any",
		Params: []value.Field{{Name: "name", Type: "string", Doc: "of a variable"},
			{Name: "format", Type: "string?",
				Doc: `text with %s for the value: "Bearer %s"`}},
		Doc: "Returns a handle for a secret environment variable, such as a key. The handle can " +
			"be given as a header of a request, but its value cannot be read. " +
			"Where it is shown, logged or written it is [secret NAME], and from now on its value " +
			"is masked in all output, if it has 8 bytes or more. " +
			`A variable that is not set or empty is an error of the world (code "not_found").`,
		Lua: `local token = ext.secret("GITHUB_TOKEN", "Bearer %s")`,
		JS:  `const token = ext.secret("GITHUB_TOKEN", "Bearer %s");`,
	},
}
