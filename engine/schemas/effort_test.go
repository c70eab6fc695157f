package schemas_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/schemas"
)

// doubling is a schema with n parts, each of which refers to the next one several times.
func doubling(n, times int) map[string]any {
	defs := map[string]any{fmt.Sprint("a", n): map[string]any{"type": "string"}}
	for i := range n {
		var all []any
		for range times {
			all = append(all, map[string]any{"$ref": fmt.Sprint("#/$defs/a", i+1)})
		}
		defs[fmt.Sprint("a", i)] = map[string]any{"allOf": all}
	}
	return map[string]any{"type": "object",
		"properties": map[string]any{"x": map[string]any{"$ref": "#/$defs/a0"}}, "$defs": defs}
}

// TestSchemaWithoutEnd: every check ends, for any schema of a server or a script.
func TestSchemaWithoutEnd(t *testing.T) {
	for name, schema := range map[string]map[string]any{
		"deep": doubling(40, 2),
		"wide": doubling(4, 400),
		"draft 7": func() map[string]any {
			s := doubling(40, 2)
			s["$schema"] = "http://json-schema.org/draft-07/schema#"
			return s
		}(),
	} {
		for _, x := range []any{"text", 1.0} {
			t.Run(fmt.Sprint(name, x), func(t *testing.T) {
				v, err := schemas.Compiler{}.Compile(schema)
				if err != nil {
					t.Fatal(err)
				}
				done := make(chan error, 1)
				go func() { done <- v.Validate(map[string]any{"x": x}) }()
				select {
				case err := <-done:
					if err == nil || !strings.Contains(err.Error(), "takes too long to check") {
						t.Errorf("got %v", err)
					}
				// seconds, without other work and a race detector
				case <-time.After(5 * time.Minute):
					t.Fatal("the check does not end")
				}
				if err := v.Validate(map[string]any{}); err != nil {
					t.Errorf("the next check: got %v", err)
				}
			})
		}
	}
}

// TestSchemaThatRefers: harmless references are checked.
func TestSchemaThatRefers(t *testing.T) {
	tree := map[string]any{"type": "object", "required": []any{"name"},
		"properties": map[string]any{"name": map[string]any{"type": "string"},
			"children": map[string]any{"type": "array", "items": map[string]any{"$ref": "#"}}}}
	v, err := schemas.Compiler{}.Compile(tree)
	if err != nil {
		t.Fatal(err)
	}
	var children []any
	for range 10_000 {
		children = append(children, map[string]any{"name": "x",
			"children": []any{map[string]any{"name": "y"}}})
	}
	if err := v.Validate(map[string]any{"name": "root", "children": children}); err != nil {
		t.Error(err)
	}
	children[7] = map[string]any{}
	if err := v.Validate(map[string]any{"name": "root", "children": children}); err == nil ||
		!strings.Contains(err.Error(), "children/7: missing property 'name'") {
		t.Errorf("got %v", err)
	}
}

// TestSchemaThatIsItself: circular references end.
func TestSchemaThatIsItself(t *testing.T) {
	loop := map[string]any{"$ref": "#/$defs/a"}
	for name, part := range map[string]map[string]any{"$ref": loop, "not": {"not": loop},
		"anyOf": {"anyOf": []any{loop, true}}, "if": {"if": loop, "then": false}} {
		v, err := schemas.Compiler{}.Compile(map[string]any{"type": "object",
			"properties": map[string]any{"x": part}, "$defs": map[string]any{
				"a": map[string]any{"$ref": "#/$defs/b"},
				"b": map[string]any{"allOf": []any{map[string]any{"$ref": "#/$defs/a"}}}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Validate(map[string]any{"x": 1.0}); err == nil ||
			!strings.Contains(err.Error(), "takes too long to check") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
