package host_test

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/host"
)

func TestPatternsOfSchemas(t *testing.T) {
	const email = `^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$` // as zod writes it
	for _, tt := range []struct {
		pattern, text string
		fits          bool
	}{
		{`^[a-z]+$`, "abc", true},
		{`^[a-z]+$`, "ABC", false},
		{email, "a.b@example.org", true},
		{email, "a..b@example.org", false},
		{`^P(?!$)(\d+D)?$`, "P3D", true},
		{`^P(?!$)(\d+D)?$`, "P", false},
		{`^(a+)+(?!x)$`, strings.Repeat("a", 60) + "b", false}, // goes on for ever, if it may
		{`^(\p{Extended_Pictographic}|\p{Emoji_Component})+$`, "no engine here knows this", true},
	} {
		schema := map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"type": "string", "pattern": tt.pattern}}}
		v, err := host.Schemas{}.Compile(schema)
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		if err := v.Validate(map[string]any{"x": tt.text}); (err == nil) != tt.fits {
			t.Errorf("%s of %q: got %v, want %v", tt.pattern, tt.text, err, tt.fits)
		}
	}
}
