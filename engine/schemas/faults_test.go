package schemas_test

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/schemas"
	"github.com/agentscripts/agent/engine/scripttest"
)

type object = map[string]any

// TestFaults: an error names each position, and the expected value.
func TestFaults(t *testing.T) {
	const draft7 = "http://json-schema.org/draft-07/schema#"
	long := strings.Repeat("x", 5_000)
	for _, tt := range []struct {
		schema object
		v      any
		want   string // "" = it fits
	}{
		{object{"type": []any{"string", "null"}}, 1.0, "got number, want null or string"},
		{object{"type": "integer"}, 1.5, "got number, want integer"},
		{object{"type": "integer"}, 2.0, ""},
		{object{"const": nil}, 1.0, "value must be null"},
		{object{"enum": []any{"a", 1.0, nil}}, "b", "value must be one of 'a', 1, null"},
		{object{"anyOf": []any{object{"type": "string"}, object{"required": []any{"x", "y"}}}},
			object{"x": 1.0}, "got object, want string; missing property 'y'"},
		{object{"oneOf": []any{true, object{"minimum": 1.0}}}, 2.0,
			"'oneOf' failed, subschemas 0, 1 matched"},
		{object{"pattern": "^a"}, long, "'" + long[:200] + "…' does not match pattern '^a'"},
		{object{"multipleOf": 0.1}, 0.3, ""},
		{object{"multipleOf": 0.1}, 0.35, "got 0.35, want a multiple of 0.1"},
		{object{"maximum": 5.0}, 1e6, "got 1000000, want at most 5"},
		{object{"uniqueItems": true}, []any{1.0, "1", 1.0}, "items at 0 and 2 are equal"},
		{object{"items": object{"type": "string"}, "minItems": 3.0}, []any{"a", 2.0},
			"got a list of 2, want at least 3; 1: got number, want string"},
		{object{"properties": object{"a/b": object{"type": "string"}, "": false}},
			object{"a/b": 1.0, "": 1.0}, ": no value is allowed here; a~1b: got number, want " +
				"string"},
		{object{"propertyNames": object{"maxLength": 2.0}}, object{"abc": 1.0},
			"property name 'abc': maxLength: got 3, want 2"},
		{object{"unevaluatedProperties": false, "allOf": []any{
			object{"properties": object{"a": true}}}}, object{"a": 1.0, "b": 2.0},
			"b: no value is allowed here"},
		{object{"$schema": draft7, "format": "email"}, "x", "'x' is not valid email"},
		{object{"format": "email"}, "x", ""},
		{object{"properties": object{"s": object{"$ref": draft7}}},
			object{"s": object{"properties": object{"x": object{"type": "text"}}}},
			"s/properties/x/type: value must be one of 'array', 'boolean', 'integer', 'null', " +
				"'number', 'object', 'string'"},
		{object{"items": object{"type": "string"}}, []any{1.0, 1.0, 1.0, 1.0, 1.0, 1.0},
			"0: got number, want string; 1: got number, want string; 2: got number, want string; " +
				"3: got number, want string; 4: got number, want string"},
	} {
		v, err := schemas.Compiler{}.Compile(tt.schema)
		if err != nil {
			t.Errorf("%v: %v", tt.schema, err)
			continue
		}
		got := ""
		if err := v.Validate(tt.v); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%v: got %s\nwant %s", tt.schema, got, tt.want)
		}
	}
}

// TestWrongSchemas: an invalid schema is reported with all its errors and their positions.
func TestWrongSchemas(t *testing.T) {
	for want, schema := range map[string]object{
		"properties/a/minLength: got -1, want at least 0; properties/b: got number, want boolean " +
			"or object; required/1: got number, want string": {"required": []any{"a", 1.0},
			"properties": object{"a": object{"minLength": -1.0}, "b": 5.0}},
		"properties/a/enum: got string, want array": {"properties": object{"a": object{
			"enum": "x"}}},
		"$schema: 'https://example.org/mine' is not known; leave it out for draft 2020-12": {
			"$schema": "https://example.org/mine"},
		"$ref to #/$defs/x: there is nothing": {"$ref": "#/$defs/x"},
		"$ref to other.json#/x: only references within the schema are allowed": {
			"$ref": "other.json#/x"},
		"$ref to #name: no part of the schema has this name": {"$ref": "#name"},
		"definitions/a: got boolean, want object": {
			"$schema": "http://json-schema.org/draft-04/schema#", "definitions": object{"a": true}},
	} {
		if _, err := (schemas.Compiler{}).Compile(schema); err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// TestAnswersThatRefer: the schema of an answer may refer to its own parts.
func TestAnswersThatRefer(t *testing.T) {
	e := scripttest.NewEngine(t, engine.Options{Schema: schemas.Compiler{}})
	schema := object{"type": "array", "items": object{"$ref": "#/$defs/name"},
		"$defs": object{"name": object{"type": "string"}}}
	if err := e.Fits([]any{"x"}, schema); err != nil {
		t.Error(err)
	}
	const want = "0: got number, want string"
	if err := e.Fits([]any{1.0}, schema); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
