// This file reads [options.SCRIPT]: the user's values for options of scripts.

package config

import (
	"fmt"

	"github.com/agentscripts/agent/engine/value"
)

// Option is a value for an option of a script.
type Option struct {
	Script string // the file's name, with or without its extension
	Name   string
	Value  any
	Where  string // config.toml:3
}

func (r *reader) setOptions(v any) {
	all := r.table("options", v, "[options.SCRIPT] and below it the script's options")
	for _, script := range value.SortedKeys(all) {
		path := []string{"options", script}
		values, ok := all[script].(map[string]any)
		if !ok {
			r.warn(path, "options.%s: got %s, want a table: [options.%s] and below it the "+
				"options of the script", script, value.TypeName(all[script]), script)
			continue
		}
		for _, name := range value.SortedKeys(values) {
			plain, err := value.Plain(values[name])
			if err != nil { // a date
				r.warn(append(path, name), "options.%s.%s: %v", script, name, err)
				continue
			}
			r.Options = append(r.Options, Option{script, name, plain,
				fmt.Sprintf("%s:%d", file, line(r.source, append(path, name)))})
		}
	}
}
