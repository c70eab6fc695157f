package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/schemas"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// drafts are the values of $schema that are compared. Without one it is draft 2020-12.
var drafts = []any{nil, "http://json-schema.org/draft-04/schema#",
	"http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-07/schema#",
	"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema"}

// TestCompare makes schemas and data at random. Both validators must accept the same schemas, and
// find the same data right.
func TestCompare(t *testing.T) {
	const schemaCount, dataCount = 20_000, 10
	compiled, fit, unfit := 0, 0, 0
	for seed := range uint64(schemaCount) {
		g := &generator{rand.New(rand.NewPCG(seed, 1)), drafts[seed%uint64(len(drafts))]}
		doc := g.document()
		ours, err := schemas.Compiler{}.Compile(doc)
		theirs, theirErr := compile(doc)
		if elsewhere(err) { // theirs takes some that are no URL for the document
			continue
		}
		if (err == nil) != (theirErr == nil) {
			t.Fatalf("%s:\nours   %v\ntheirs %v", text(doc), err, theirErr)
		}
		if err != nil {
			continue
		}
		compiled++
		for range dataCount {
			v := g.value(3)
			err, theirErr := ours.Validate(v), theirs.Validate(v)
			if slowCheck(err) { // theirs never ends such a check, or calls it a fault
				continue
			}
			if (err == nil) != (theirErr == nil) {
				t.Fatalf("%s\nwith %s:\nours   %v\ntheirs %v", text(doc), text(v), err, theirErr)
			}
			if err == nil {
				fit++
			} else {
				unfit++
			}
		}
	}
	t.Logf("%d schemas; %d values fit, %d do not", compiled, fit, unfit)
	if compiled < schemaCount/4 || fit < schemaCount || unfit < schemaCount {
		t.Errorf("%d schemas, %d values that fit and %d that do not are too few", compiled, fit,
			unfit)
	}
}

// TestCompareSuite runs the schemas and data of the test suite under every draft.
func TestCompareSuite(t *testing.T) {
	for _, folder := range []string{"draft2020-12", "draft7"} {
		for name, cases := range readSuite(t, folder) {
			for _, c := range cases {
				object, ok := c.Schema.(map[string]any)
				if !ok {
					continue
				}
				for _, draft := range drafts[1:] {
					object["$schema"] = draft
					compareCase(t, name, object, c)
				}
			}
		}
	}
}

func compareCase(t *testing.T, name string, schema map[string]any, c suiteCase) {
	ours, err := schemas.Compiler{}.Compile(schema)
	theirs, theirErr := compile(schema)
	if elsewhere(err) { // in a draft that does not know $id or $defs
		return
	}
	if (err == nil) != (theirErr == nil) {
		t.Errorf("%s: %s: %s\nours   %v\ntheirs %v", name, c.Description, text(schema), err,
			theirErr)
	}
	if err != nil || theirErr != nil {
		return
	}
	for _, tt := range c.Tests {
		err, theirErr := ours.Validate(tt.Data), theirs.Validate(tt.Data)
		if (err == nil) != (theirErr == nil) {
			t.Errorf("%s: %s: %s\nwith %s\nours   %v\ntheirs %v", name, c.Description, text(schema),
				text(tt.Data), err, theirErr)
		}
	}
}

// elsewhere reports whether a schema was refused because it refers to another document.
func elsewhere(err error) bool {
	return err != nil && strings.Contains(err.Error(), "only references within the schema")
}

func slowCheck(err error) bool {
	return err != nil && strings.Contains(err.Error(), "takes too long to check")
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) { return nil, errors.New("not loaded: " + url) }

// compile compiles a schema with the other validator.
func compile(doc any) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource("tool:schema", doc); err != nil {
		return nil, err
	}
	return c.Compile("tool:schema")
}

// generator makes schemas and values at random.
type generator struct {
	*rand.Rand
	draft any
}

func (g *generator) document() map[string]any {
	doc := g.object(4)
	if g.draft != nil {
		doc["$schema"] = g.draft
	}
	defs := map[string]any{}
	for i := range g.IntN(3) {
		defs[fmt.Sprint("d", i)] = g.schema(2)
	}
	doc["definitions"] = defs
	return doc
}

func (g *generator) schema(depth int) any {
	if g.IntN(12) == 0 {
		return g.IntN(3) > 0
	}
	return g.object(depth)
}

var keywords = []string{"type", "type", "properties", "properties", "required", "enum", "const",
	"additionalProperties", "items", "prefixItems", "additionalItems", "minItems", "maxItems",
	"uniqueItems", "contains", "minContains", "maxContains", "minimum", "maximum",
	"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
	"patternProperties", "propertyNames", "minProperties", "maxProperties", "dependencies",
	"dependentRequired", "dependentSchemas", "allOf", "anyOf", "oneOf", "not", "if", "$ref",
	"unevaluatedProperties", "unevaluatedItems", "title", "default", "format"}

func (g *generator) object(depth int) map[string]any {
	m := map[string]any{}
	for range 1 + g.IntN(4) {
		keyword := keywords[g.IntN(len(keywords))]
		if g.IntN(150) == 0 {
			m[keyword] = g.value(1) // mostly wrong
			continue
		}
		if v := g.keyword(keyword, depth); v != nil {
			m[keyword] = v
		}
	}
	if m["$ref"] != nil && g.old() {
		return map[string]any{"$ref": m["$ref"]} // theirs looks at some of what stands beside it
	}
	if _, ok := m["if"].(map[string]any); ok { // theirs leaves out a branch that is never taken
		m["then"], m["else"] = g.schema(1), g.schema(1)
	}
	return m
}

// old reports whether the draft is older than 2019-09.
func (g *generator) old() bool { return slices.Contains(drafts[1:4], g.draft) }

var types = []any{"null", "boolean", "number", "integer", "string", "array", "object"}

func (g *generator) keyword(keyword string, depth int) any {
	switch keyword {
	case "type":
		if g.IntN(3) == 0 {
			i := g.IntN(len(types) - 1)
			return []any{types[i], types[i+1]}
		}
		return types[g.IntN(len(types))]
	case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties",
		"minContains", "maxContains":
		return float64(g.IntN(4))
	case "minimum", "maximum":
		return g.number()
	case "exclusiveMinimum", "exclusiveMaximum":
		if g.draft == drafts[1] {
			return g.IntN(2) == 0
		}
		return g.number()
	case "multipleOf":
		return []any{0.1, 0.5, 2.0, 3.0}[g.IntN(4)]
	case "uniqueItems":
		return g.IntN(4) > 0
	case "pattern":
		return g.pattern()
	case "format":
		return formats[g.IntN(len(formats))]
	case "title":
		return "a title"
	case "default", "const":
		return g.value(1)
	case "enum":
		return []any{g.value(1), g.value(1), g.value(0)}
	case "required":
		return g.names()
	case "dependentRequired":
		return map[string]any{g.name(): g.names()}
	}
	if depth == 0 {
		return nil
	}
	return g.nested(keyword, depth-1)
}

func (g *generator) nested(keyword string, depth int) any {
	switch keyword {
	case "properties", "dependentSchemas":
		return map[string]any{g.name(): g.schema(depth), g.name(): g.schema(depth)}
	case "patternProperties":
		return map[string]any{g.pattern(): g.schema(depth)}
	case "dependencies":
		return map[string]any{g.name(): g.schema(depth), g.name(): g.names()}
	case "items":
		if g.IntN(3) == 0 && g.draft != nil && g.draft != drafts[5] {
			return []any{g.schema(depth), g.schema(depth)}
		}
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return []any{g.schema(depth), g.schema(depth)}[:1+g.IntN(2)]
	case "$ref":
		return []any{"#", "#/definitions/d0", "#/definitions/d1", "#/properties/a", "#/definitions",
			"http://json-schema.org/draft-07/schema#"}[g.IntN(6)]
	}
	return g.schema(depth)
}

var formats = []any{"email", "uri", "date", "date-time", "ipv4", "uuid", "nothing"}

func (g *generator) pattern() string {
	return []string{"^a", "b$", "^[a-c]*$", "."}[g.IntN(4)]
}

func (g *generator) number() float64 {
	return []float64{0, 1, 2, -1, 0.3, 0.5, 3, 1e6}[g.IntN(8)]
}

func (g *generator) name() string { return []string{"a", "b", "c", "ab", "x/y~"}[g.IntN(5)] }

func (g *generator) names() []any { return []any{g.name(), g.name()}[:1+g.IntN(2)] }

// value makes plain data.
func (g *generator) value(depth int) any {
	n := 9
	if depth == 0 {
		n = 5
	}
	switch g.IntN(n) {
	case 0:
		return nil
	case 1:
		return g.IntN(2) == 0
	case 2, 3:
		return g.number()
	case 4:
		return []any{"", "a", "b", "abc", "x@example.org", "http://example.org/", "2024-02-30",
			"2024-01-02T03:04:05Z", "127.0.0.1", "ünï"}[g.IntN(10)]
	case 5:
		list := make([]any, g.IntN(4))
		for i := range list {
			list[i] = g.value(depth - 1)
		}
		return list
	}
	m := map[string]any{}
	for range g.IntN(4) {
		m[g.name()] = g.value(depth - 1)
	}
	return m
}
