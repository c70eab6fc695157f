package scripttest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
)

// readSettings reads what a case's input sets for options.
func readSettings(t *testing.T, input string) func(script, name string) (engine.Setting, bool) {
	set := map[string]engine.Setting{}
	for _, line := range strings.Split(input, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		name, value, _ := strings.Cut(rest, " ")
		switch word {
		case "set":
			set[name] = engine.Setting{Value: value, Text: true, Where: "--set case." + name}
		case "config":
			var v any
			if err := json.Unmarshal([]byte(value), &v); err != nil {
				t.Fatalf("input: %s: %v", line, err)
			}
			set[name] = engine.Setting{Value: v, Where: "config.toml:1"}
		}
	}
	return func(_, name string) (engine.Setting, bool) {
		s, ok := set[name]
		return s, ok
	}
}
