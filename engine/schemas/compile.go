// This file compiles a JSON Schema: keywords become fields of a schema, and references become
// pointers. The schema has been surveyed before (survey.go), so each keyword has a value of the
// right shape.

package schemas

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/agentscripts/agent/engine/value"
)

// A schema is a compiled part of a JSON Schema. The zero value accepts everything.
type schema struct {
	never bool // accepts nothing: the schema false
	draft draft
	in    *resource
	cost  int // steps of one check

	types    typeSet // 0 = all
	constant *any
	enum     []any // nil = all
	format   *format

	ref, recursiveRef, dynamicRef *schema
	dynamicName                   string // the anchor that dynamicRef looks for
	dynamicAnchor                 string // the one of this schema

	allOf, anyOf, oneOf     []*schema
	not, when, then, orElse *schema

	text    textBounds
	number  numberBounds
	object  objectBounds
	array   arrayBounds
	unknown struct{ properties, items *schema } // unevaluatedProperties, unevaluatedItems
	// metaOf means that the value must be a schema of this draft.
	metaOf draft
}

type textBounds struct {
	min, max *int
	pattern  pattern
}

type numberBounds struct {
	min, max, above, below *float64
	multipleOf             *big.Rat
}

type objectBounds struct {
	min, max   *int
	properties map[string]*schema
	patterns   []patternSchema
	additional *schema
	names      *schema
	required   []string
	needs      []dependency
}

type patternSchema struct {
	pattern pattern
	schema  *schema
}

// dependency describes what an object with the property name needs: the properties in required, and
// to fit the schema.
type dependency struct {
	name     string
	required []string
	schema   *schema
}

type arrayBounds struct {
	min, max                 *int
	unique                   bool
	first                    []*schema // of the first items, one each
	rest                     *schema   // of the others
	contains                 *schema
	minContains, maxContains *int
}

// bounded reports whether a limits the list in any way.
func (a *arrayBounds) bounded() bool {
	return a.min != nil || a.max != nil || a.unique || a.first != nil || a.rest != nil ||
		a.contains != nil
}

// compiler compiles the schemas of one document.
type compiler struct {
	survey
	done map[string]*schema // by place
	// refers reports whether there are references: without them, the time of a check is linear in
	// the sizes of schema and arguments.
	refers bool
}

// compile surveys and compiles the document.
func (c *compiler) compile() (*schema, error) {
	if err := c.root(); err != nil {
		return nil, err
	}
	c.done = map[string]*schema{}
	return c.schemaAt("", c.doc), c.err
}

// schemaAt compiles the schema at a place in the document.
func (c *compiler) schemaAt(place string, v any) *schema {
	if s := c.done[place]; s != nil {
		return s
	}
	s := &schema{in: c.resourceAt(place)}
	s.draft = s.in.draft
	c.done[place] = s // before its parts: they may refer to it
	switch v := v.(type) {
	case bool:
		s.never = !v
	case map[string]any:
		p := &part{c, place, v, s}
		p.compile()
	}
	return s
}

// part is a schema that is being compiled.
type part struct {
	*compiler
	place string
	of    map[string]any
	to    *schema
}

func (p *part) compile() {
	s := p.to
	s.cost = cost(p.of)
	s.ref = p.reference("$ref")
	if s.ref != nil && s.draft < draft2019 {
		return // keywords beside it are ignored
	}
	s.types = typesOf(p.of["type"])
	if v, ok := p.of["const"]; ok && s.draft >= draft6 {
		s.constant = &v
	}
	s.enum, _ = p.of["enum"].([]any)
	if name, ok := p.of["format"].(string); ok && s.draft < draft2019 {
		s.format = formatOf(name) // later drafts only annotate with it
	}
	s.allOf, s.anyOf, s.oneOf = p.list("allOf"), p.list("anyOf"), p.list("oneOf")
	s.not = p.sub("not")
	if s.draft >= draft7 {
		if s.when = p.sub("if"); s.when != nil {
			s.then, s.orElse = p.sub("then"), p.sub("else")
		}
	}
	if s.draft >= draft2019 {
		s.unknown.properties = p.sub("unevaluatedProperties")
		s.unknown.items = p.sub("unevaluatedItems")
	}
	p.dynamic()
	p.bounds()
	p.compileObject()
	p.compileArray()
}

// dynamic compiles references whose target depends on the path of a check.
func (p *part) dynamic() {
	s := p.to
	if s.draft == draft2019 {
		if s.recursiveRef = p.reference("$recursiveRef"); s.recursiveRef != nil {
			p.roots()
		}
	}
	if s.draft < draft2020 {
		return
	}
	s.dynamicAnchor = value.Text(p.of, "$dynamicAnchor")
	if s.dynamicRef = p.reference("$dynamicRef"); s.dynamicRef == nil {
		return
	}
	_, fragment := splitReference(value.Text(p.of, "$dynamicRef"))
	if name := fragment; name != "" && name[0] != '/' {
		s.dynamicName = name
		p.anchors(name)
	}
}

// roots compiles the root of each resource that a $recursiveRef may refer to.
func (p *part) roots() {
	for _, r := range p.resources {
		if r.recursive && r.root == nil {
			r.root = p.at(r.place)
		}
	}
}

// anchors compiles each schema that a $dynamicRef to the anchor name may refer to.
func (p *part) anchors(name string) {
	for _, r := range p.resources {
		if place, ok := r.dynamic[name]; ok && r.dynamicSchemas[name] == nil {
			if r.dynamicSchemas == nil {
				r.dynamicSchemas = map[string]*schema{}
			}
			r.dynamicSchemas[name] = p.at(place)
		}
	}
}

func (p *part) bounds() {
	s := p.to
	s.text.min, s.text.max = p.count("minLength"), p.count("maxLength")
	if text, ok := p.of["pattern"].(string); ok {
		s.text.pattern = compilePattern(text)
	}
	n := &s.number
	n.min, n.max = p.number("minimum"), p.number("maximum")
	n.above, n.below = p.number("exclusiveMinimum"), p.number("exclusiveMaximum")
	if p.of["exclusiveMinimum"] == true { // draft 4
		n.min, n.above = nil, n.min
	}
	if p.of["exclusiveMaximum"] == true {
		n.max, n.below = nil, n.max
	}
	if f := p.number("multipleOf"); f != nil {
		n.multipleOf = decimal(*f)
	}
}

func (p *part) compileObject() {
	o := &p.to.object
	o.min, o.max = p.count("minProperties"), p.count("maxProperties")
	o.properties = p.named("properties")
	for _, name := range value.SortedKeys(objectIn(p.of, "patternProperties")) {
		o.patterns = append(o.patterns, patternSchema{compilePattern(name),
			p.subIn("patternProperties", name, objectIn(p.of, "patternProperties")[name])})
	}
	o.additional = p.sub("additionalProperties")
	o.required = texts(p.of["required"])
	if p.to.draft >= draft6 {
		o.names = p.sub("propertyNames")
	}
	p.needs("dependencies")
	if p.to.draft >= draft2019 {
		p.needs("dependentSchemas")
		p.needs("dependentRequired")
	}
}

// needs adds the dependencies under a keyword: lists of names, and schemas.
func (p *part) needs(keyword string) {
	all := objectIn(p.of, keyword)
	for _, name := range value.SortedKeys(all) {
		d := dependency{name: name}
		if list, ok := all[name].([]any); ok {
			d.required = texts(list)
		} else {
			d.schema = p.subIn(keyword, name, all[name])
		}
		p.to.object.needs = append(p.to.object.needs, d)
	}
}

func (p *part) compileArray() {
	a := &p.to.array
	a.min, a.max = p.count("minItems"), p.count("maxItems")
	a.unique = p.of["uniqueItems"] == true
	_, tuple := p.of["items"].([]any)
	switch {
	case p.to.draft >= draft2020:
		a.first, a.rest = p.list("prefixItems"), p.sub("items")
	case tuple:
		a.first, a.rest = p.list("items"), p.sub("additionalItems")
	default:
		a.rest = p.sub("items")
	}
	if p.to.draft >= draft6 {
		a.contains = p.sub("contains")
	}
	if p.to.draft >= draft2019 && a.contains != nil {
		a.minContains, a.maxContains = p.count("minContains"), p.count("maxContains")
	}
}

// at compiles the schema at any place of the document.
func (p *part) at(place string) *schema {
	v, err := p.lookup(place)
	if err == nil {
		err = p.surveyLate(place, v)
	}
	if err != nil {
		p.refuse(err)
		return nil
	}
	return p.schemaAt(place, v)
}

// sub compiles the schema under a keyword; nil = there is none.
func (p *part) sub(keyword string) *schema {
	v, ok := p.of[keyword]
	if !ok {
		return nil
	}
	return p.schemaAt(join(p.place, keyword), v)
}

// subIn compiles the schema called name in the table or list under a keyword.
func (p *part) subIn(keyword, name string, v any) *schema {
	return p.schemaAt(join(join(p.place, keyword), name), v)
}

func (p *part) list(keyword string) []*schema {
	list, _ := p.of[keyword].([]any)
	if list == nil {
		return nil
	}
	out := make([]*schema, len(list))
	for i, v := range list {
		out[i] = p.subIn(keyword, strconv.Itoa(i), v)
	}
	return out
}

func (p *part) named(keyword string) map[string]*schema {
	m := objectIn(p.of, keyword)
	if m == nil {
		return nil
	}
	out := make(map[string]*schema, len(m))
	for name, v := range m {
		out[name] = p.subIn(keyword, name, v)
	}
	return out
}

// reference compiles the schema that a keyword refers to.
func (p *part) reference(keyword string) *schema {
	ref, ok := p.of[keyword].(string)
	if !ok {
		return nil
	}
	p.refers = true
	place, meta, err := p.resolve(ref, p.to.in)
	if err != nil {
		p.refuse(fmt.Errorf("%s to %s: %w", keyword, ref, err))
		return nil
	}
	if meta != 0 {
		return &schema{metaOf: meta, in: p.to.in, draft: p.to.draft, cost: 1}
	}
	return p.at(place)
}

func (p *part) count(keyword string) *int {
	f, ok := p.of[keyword].(float64)
	if !ok {
		return nil
	}
	n := int(min(f, 1<<31-1))
	return &n
}

func (p *part) number(keyword string) *float64 {
	f, ok := p.of[keyword].(float64)
	if !ok {
		return nil
	}
	return &f
}

func objectIn(m map[string]any, key string) map[string]any {
	sub, _ := m[key].(map[string]any)
	return sub
}

func texts(v any) []string {
	list, _ := v.([]any)
	out := make([]string, 0, len(list))
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// cost returns the number of steps that the check of a schema may take.
func cost(of map[string]any) int {
	n := 1
	for _, v := range of {
		switch v := v.(type) {
		case map[string]any:
			n += len(v)
		case []any:
			n += len(v)
		}
	}
	return n
}
