package host

import (
	"regexp"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/internal/yamltext"
	"github.com/agentscripts/agent/engine/plain"
)

// TestYAMLMistakes: errors name the line and describe the mistake in plain words.
func TestYAMLMistakes(t *testing.T) {
	library := regexp.MustCompile(`yaml:|did not|could not|found |not allowed|EOF`)
	for text, want := range map[string]string{
		"a: b: c":         `got ": " within a value: put the value in quotes`,
		"\t- x":           "got a tab",
		"a: 1\n\tb: 2":    "got a tab",
		"a: @x":           "got a tab, or a character that begins no value",
		"a: [1,\nb: 2":    `want "," or "]"`,
		"a: {b: 1\nc: 2":  `want "," or "}"`,
		"a: 'x":           "the text ends within quotes",
		`a: "\q"`:         "got an escape that YAML does not know",
		"- a\nb: 1":       `want "- " here`,
		"a: b\nc\nd: e":   `want ": " after the key`,
		"a: 'b' c":        "want a key here",
		"a: - b":          `got "- " within a value`,
		"a: 1\n   b: 2\n": `got ": " within a value`,
		"a: ]":            "want a value here",
	} {
		_, err := yamltext.Decode(text, nil)
		if err == nil {
			t.Errorf("%q is valid", text)
			continue
		}
		if got := plain.YAML(err.Error()); !strings.Contains(got, want) ||
			library.MatchString(got) {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
