// Package schemas reads JSON Schemas, and the short form of scripts, and checks arguments of tools
// against them.
//
//	full, err := schemas.Full(map[string]any{"city": "string", "days": "integer?"})
//	validator, err := schemas.Compiler{}.Compile(full)
//	err = validator.Validate(args) // city: got number, want string
//
// It supports all validation keywords of the drafts 4 to 2020-12; formats are checked for drafts
// before 2019-09, as the specification says. The work is bounded for every schema: patterns have a
// time limit, and schemas with references a limit of steps. Nothing is loaded from elsewhere.
package schemas

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// Compiler compiles JSON Schemas (draft 2020-12 unless $schema names an older one). It loads
// nothing from files or the network: a $ref must stay within its schema.
type Compiler struct{}

// Compile implements engine.Schema. The error lists every place where the schema is invalid.
func (Compiler) Compile(schema map[string]any) (engine.Validator, error) {
	doc, err := value.Plain(schema)
	if err != nil {
		return nil, err
	}
	c := &compiler{survey: survey{doc: doc}}
	root, err := c.compile()
	if err != nil {
		return nil, err
	}
	return &validator{root, c.refers}, nil
}

type validator struct {
	schema *schema
	refers bool // has references: the effort of a check is limited
}

// Validate implements engine.Validator: the error lists every place and what is wrong there.
func (v *validator) Validate(x any) error {
	c := checker{bounded: v.refers, effort: mostEffort, dynamic: v.refers}
	ok := c.fits(v.schema, x, nil)
	switch {
	case c.failed != nil:
		return c.failed
	case !ok:
		return faultsError(c.faults)
	}
	return nil
}

// listKeywords are keywords whose value is a list: an empty Lua table there is an empty list.
var listKeywords = map[string]bool{"required": true, "enum": true, "anyOf": true, "oneOf": true,
	"allOf": true, "prefixItems": true, "examples": true}

// namedKeywords are keywords whose value maps names to schemas: the names are not keywords.
var namedKeywords = map[string]bool{"properties": true, "patternProperties": true,
	"dependentSchemas": true, "$defs": true, "definitions": true}

// Full returns the JSON Schema of a tool: nil takes no arguments, a schema with type = "object" is
// used as it is, everything else is the short form {city = "string: name of the city", days =
// "integer?"}.
func Full(m map[string]any) (map[string]any, error) {
	if m == nil {
		return map[string]any{"type": "object", "properties": map[string]any{}}, nil
	}
	if m["type"] == "object" {
		return lists(m), nil
	}
	return shortObject(m)
}

// lists returns a schema in which empty tables become lists where lists are required.
func lists(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		sub, isTable := v.(map[string]any)
		switch {
		case isTable && len(sub) == 0 && listKeywords[k]:
			v = []any{}
		case isTable && namedKeywords[k]:
			named := make(map[string]any, len(sub))
			for name, s := range sub {
				named[name] = inSchema(s)
			}
			v = named
		default:
			v = inSchema(v)
		}
		out[k] = v
	}
	return out
}

// inSchema is like lists, for any value in a schema.
func inSchema(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return lists(v)
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = inSchema(x)
		}
		return out
	}
	return v
}

func shortObject(m map[string]any) (map[string]any, error) {
	props, required := map[string]any{}, []any{}
	for _, key := range value.SortedKeys(m) {
		var p map[string]any
		var optional bool
		var err error
		switch v := m[key].(type) {
		case string:
			p, optional, err = ShortType(v)
		case map[string]any:
			p, err = nested(v)
		default:
			err = fmt.Errorf("got %s, want text like \"string: what it is\"", value.TypeName(v))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		props[key] = p
		if !optional {
			required = append(required, key)
		}
	}
	return map[string]any{"type": "object", "properties": props, "required": required,
		"additionalProperties": false}, nil
}

// nested parses a table in the short form: a JSON Schema if its type is one of JSON's, otherwise
// the short form of an object.
func nested(m map[string]any) (map[string]any, error) {
	switch t := m["type"].(type) {
	case string:
		if t != "any" && slices.Contains(jsonTypes, t) || t == "array" || t == "null" {
			return lists(m), nil
		}
	case []any: // several types
		return lists(m), nil
	}
	if m["enum"] != nil || m["anyOf"] != nil || m["oneOf"] != nil || m["$ref"] != nil {
		return lists(m), nil
	}
	return shortObject(m)
}

var (
	shortForm = lazyregexp.New(`^\s*([^:?\[\]]+?)\s*(\[\])?\s*(\?)?\s*(?::\s*([\s\S]*))?$`)
	jsonTypes = []string{"string", "integer", "number", "boolean", "object", "any"}
	// otherNames maps names of types in other languages to JSON's.
	otherNames = map[string]string{"str": "string", "text": "string", "int": "integer",
		"float": "number", "bool": "boolean", "table": "object", "array": "string[]",
		"list": "string[]"}
)

// ShortType parses "integer?: how many", "c|f?: scale", "string[]".
func ShortType(s string) (schema map[string]any, optional bool, err error) {
	m := shortForm().FindStringSubmatch(s)
	if m == nil {
		return nil, false,
			fmt.Errorf("got %q, want text like \"string: what it is\", \"integer?\", "+
				"\"string[]\" or \"a|b\"", s)
	}
	schema = map[string]any{}
	switch name := m[1]; {
	case name == "any":
	case slices.Contains(jsonTypes, name):
		schema["type"] = name
	case strings.Contains(name, "|"):
		if schema, err = alternatives(strings.Split(name, "|")); err != nil {
			return nil, false, fmt.Errorf("got %q: %w", name, err)
		}
	default:
		hint := suggest.DidYouMean(name, jsonTypes)
		if other := otherNames[strings.ToLower(name)]; other != "" {
			hint = fmt.Sprintf("; did you mean %q?", other)
		}
		return nil, false, fmt.Errorf("unknown type %q%s; types: %s", name, hint,
			strings.Join(jsonTypes, ", "))
	}
	if m[2] != "" {
		schema = map[string]any{"type": "array", "items": schema}
	}
	if doc := strings.TrimSpace(m[4]); doc != "" {
		schema["description"] = doc
	}
	return schema, m[3] != "", nil
}

// alternatives parses values between bars, "kind|rude", or types, "string|number".
func alternatives(words []string) (map[string]any, error) {
	var values []any
	types := 0
	for _, w := range words {
		w = strings.TrimSpace(w)
		switch {
		case w == "":
			return nil, errors.New("a value is empty")
		case slices.Contains(values, any(w)):
			return nil, fmt.Errorf("%q is there twice", w)
		case slices.Contains(jsonTypes, w) && w != "any":
			types++
		}
		values = append(values, w)
	}
	switch types {
	case 0:
		return map[string]any{"type": "string", "enum": values}, nil
	case len(values):
		return map[string]any{"type": values}, nil
	}
	return nil, errors.New(
		"want either values, a|b, or types, string|number; for more write JSON Schema: {type = " +
			"\"object\", properties = ...}")
}
