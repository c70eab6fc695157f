package scripttest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/option"
)

// readSettings parses the values that a case's input sets for options.
func readSettings(t *testing.T, input string) func(script, name string) (option.Setting, bool) {
	set := map[string]option.Setting{}
	for _, line := range strings.Split(input, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		name, value, _ := strings.Cut(rest, " ")
		switch word {
		case "set":
			set[name] = option.Setting{Value: value, Text: true, Where: "--set case." + name}
		case "config":
			var v any
			if err := json.Unmarshal([]byte(value), &v); err != nil {
				t.Fatalf("input: %s: %v", line, err)
			}
			set[name] = option.Setting{Value: v, Where: "config.toml:1"}
		}
	}
	return func(_, name string) (option.Setting, bool) {
		s, ok := set[name]
		return s, ok
	}
}
