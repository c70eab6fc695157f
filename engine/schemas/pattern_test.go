package schemas_test

import (
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/schemas"
)

func TestPatternsOfSchemas(t *testing.T) {
	// as zod writes it
	const email = `^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]` +
		`@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`
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
		{`^(a+)+(?!x)$`, strings.Repeat("a", 60) + "b", false}, // never ends without a limit
		{`^(\p{Extended_Pictographic}|\p{Emoji_Component})+$`, "no engine here knows this", true},
	} {
		schema := map[string]any{"type": "object",
			"properties": map[string]any{"x": map[string]any{"type": "string",
				"pattern": tt.pattern}}}
		v, err := schemas.Compiler{}.Compile(schema)
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		if err := v.Validate(map[string]any{"x": tt.text}); (err == nil) != tt.fits {
			t.Errorf("%s of %q: got %v, want %v", tt.pattern, tt.text, err, tt.fits)
		}
	}
}

// TestSlowPatterns: arguments for which a pattern takes too long are refused.
func TestSlowPatterns(t *testing.T) {
	slow := map[string]any{"pattern": `^(a+)+(?!x)$`}
	text := strings.Repeat("a", 60) + "b"
	for name, part := range map[string]map[string]any{
		"pattern": slow, "not": {"not": slow}, "if": {"if": slow, "then": false},
		"oneOf": {"oneOf": []any{slow, true}},
		"$ref":  {"not": map[string]any{"$ref": "#/$defs/slow"}},
	} {
		v, err := schemas.Compiler{}.Compile(map[string]any{"type": "object",
			"properties": map[string]any{"x": part}, "$defs": map[string]any{"slow": slow}})
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Validate(map[string]any{"x": text}); err == nil {
			t.Errorf("%s: what cannot be told in time was let through", name)
		}
		if name == "not" {
			if err := v.Validate(map[string]any{"x": "b"}); err != nil {
				t.Errorf("after it: %v", err)
			}
		}
	}
}

// TestManySlowTexts: the time limit of patterns applies to the whole check. With a limit for each
// text this would take a quarter of an hour.
func TestManySlowTexts(t *testing.T) {
	v, err := schemas.Compiler{}.Compile(map[string]any{"type": "object",
		"additionalProperties": map[string]any{"items": map[string]any{
			"pattern": `^(a+)+(?!x)$`}}})
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]any, 10_000)
	for i := range texts {
		texts[i] = strings.Repeat("a", 60) + "b"
	}
	done := make(chan error, 1)
	go func() { done <- v.Validate(map[string]any{"x": texts}) }()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "takes too long to tell") {
			t.Errorf("got %v", err)
		}
	case <-time.After(5 * time.Minute): // it takes a tenth of a second
		t.Fatal("the check does not end")
	}
}
