// This file knows which values the keywords of JSON Schema accept, according to the meta-schemas of
// the drafts. The meta-schemas themselves are not read: that would take longer than everything else
// in this package.

package schemas

import "strconv"

// A shape is the required form of a keyword's value.
type shape int

const (
	shapeAny shape = iota
	shapeSchema
	shapeSchemas      // a list of them
	shapeNamedSchemas // in an object
	shapeItems        // one, or a list
	shapeDependencies // in an object: each a schema or a list of names
	shapeBool
	shapeText
	shapeReference // a URL, which may be relative
	shapeNumber
	shapePositive
	shapeCount // 0, 1, 2 ...
	shapeList
	shapeValues     // a list of at least one
	shapeNames      // a list of texts
	shapeNamedNames // in an object
	shapeType
	shapeBoolOrSchema
)

// shapeOf returns the shape of the value of a keyword in a draft. Words that are not keywords may
// have any value.
func shapeOf(keyword string, d draft) shape {
	switch keyword {
	case "$ref":
		if d >= draft6 {
			return shapeReference
		}
		return shapeText
	case "$schema", "title", "description", "pattern", "format":
		return shapeText
	case "type":
		return shapeType
	case "properties", "patternProperties", "definitions":
		return shapeNamedSchemas
	case "allOf", "anyOf", "oneOf":
		return shapeSchemas
	case "not":
		return shapeSchema
	case "additionalProperties", "additionalItems":
		return shapeOfAdditional(keyword, d)
	case "items":
		if d >= draft2020 {
			return shapeSchema
		}
		return shapeItems
	case "enum":
		if d >= draft2019 {
			return shapeList
		}
		return shapeValues
	case "required":
		return shapeNames
	case "dependencies":
		return shapeDependencies
	case "uniqueItems":
		return shapeBool
	case "minimum", "maximum":
		return shapeNumber
	case "exclusiveMinimum", "exclusiveMaximum":
		if d == draft4 {
			return shapeBool
		}
		return shapeNumber
	case "multipleOf":
		return shapePositive
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return shapeCount
	}
	return shapeOfNewer(keyword, d)
}

func shapeOfAdditional(keyword string, d draft) shape {
	switch {
	case d == draft4:
		return shapeBoolOrSchema
	case keyword == "additionalItems" && d >= draft2020:
		return shapeAny
	}
	return shapeSchema
}

// shapeOfNewer is like shapeOf, for keywords that draft 4 did not have.
func shapeOfNewer(keyword string, d draft) shape {
	since, shape := draft2020, shapeAny
	switch keyword {
	case "id":
		if d == draft4 {
			return shapeText
		}
	case "$id":
		since, shape = draft6, shapeReference
	case "contains", "propertyNames":
		since, shape = draft6, shapeSchema
	case "examples":
		since, shape = draft6, shapeList
	case "if", "then", "else":
		since, shape = draft7, shapeSchema
	case "$comment", "contentMediaType", "contentEncoding":
		since, shape = draft7, shapeText
	case "readOnly", "writeOnly":
		since, shape = draft7, shapeBool
	case "$defs", "dependentSchemas":
		since, shape = draft2019, shapeNamedSchemas
	case "dependentRequired":
		since, shape = draft2019, shapeNamedNames
	case "unevaluatedProperties", "unevaluatedItems", "contentSchema":
		since, shape = draft2019, shapeSchema
	case "minContains", "maxContains":
		since, shape = draft2019, shapeCount
	case "$anchor":
		since, shape = draft2019, shapeText
	case "$recursiveRef":
		since, shape = draft2019, shapeReference
	case "$recursiveAnchor", "deprecated":
		since, shape = draft2019, shapeBool
	case "prefixItems":
		shape = shapeSchemas
	case "$dynamicRef":
		shape = shapeReference
	case "$dynamicAnchor":
		shape = shapeText
	}
	if d < since {
		return shapeAny
	}
	return shape
}

// keyword checks the value of a keyword, and surveys the schemas in it.
func (s *survey) keyword(place, keyword string, v any, r *resource) {
	shape := shapeOf(keyword, r.draft)
	if shape == shapeAny {
		return
	}
	s.value(join(place, keyword), shape, v, r)
}

func (s *survey) value(place string, want shape, v any, r *resource) {
	switch want {
	case shapeSchema:
		s.inspect(place, v, r)
	case shapeBoolOrSchema:
		if _, ok := v.(bool); !ok {
			s.inspect(place, v, r)
		}
	case shapeItems:
		if _, ok := v.([]any); ok {
			want = shapeSchemas
		} else {
			want = shapeSchema
		}
		s.value(place, want, v, r)
	case shapeSchemas:
		if list := s.list(place, v, 1); list != nil {
			s.each(place, list, shapeSchema, r)
		}
	case shapeNamedSchemas:
		s.named(place, v, func(any) shape { return shapeSchema }, r)
	case shapeNamedNames:
		s.named(place, v, func(any) shape { return shapeNames }, r)
	case shapeDependencies:
		s.named(place, v, func(v any) shape {
			if _, ok := v.([]any); ok {
				return shapeNames
			}
			return shapeSchema
		}, r)
	case shapeNames:
		s.names(place, v, r)
	case shapeType:
		s.typeNames(place, v)
	default:
		s.plain(place, want, v)
	}
}

// plain checks values that contain no schemas.
func (s *survey) plain(place string, want shape, v any) {
	switch want {
	case shapeBool:
		s.is(place, v, typeBoolean)
	case shapeText:
		s.is(place, v, typeString)
	case shapeReference:
		if s.is(place, v, typeString) && !isReference(v.(string)) {
			s.fault(place, quote(v.(string))+" is not valid uri-reference")
		}
	case shapeNumber:
		s.is(place, v, typeNumber)
	case shapePositive:
		if s.is(place, v, typeNumber) && v.(float64) <= 0 {
			s.fault(place, outside(v.(float64), "more than", 0))
		}
	case shapeCount:
		if s.is(place, v, typeInteger) && v.(float64) < 0 {
			s.fault(place, outside(v.(float64), "at least", 0))
		}
	case shapeList:
		s.list(place, v, 0)
	case shapeValues:
		s.unique(place, s.list(place, v, 1))
	}
}

// is reports whether v is of a type, and records an error if not.
func (s *survey) is(place string, v any, want typeSet) bool {
	if want.takes(v) {
		return true
	}
	s.fault(place, wrongType(v, want))
	return false
}

// list returns v if it is a list with at least the given number of items; otherwise it returns nil
// and records an error.
func (s *survey) list(place string, v any, least int) []any {
	if !s.is(place, v, typeArray) {
		return nil
	}
	list := v.([]any)
	if len(list) < least {
		s.fault(place, shortList(len(list), least))
		return nil
	}
	return list
}

func (s *survey) unique(place string, list []any) {
	if i, j := duplicates(list); j > 0 {
		s.fault(place, equalItems(i, j))
	}
}

func (s *survey) each(place string, list []any, want shape, r *resource) {
	for i, v := range list {
		s.value(join(place, strconv.Itoa(i)), want, v, r)
	}
}

func (s *survey) named(place string, v any, shapeOf func(any) shape, r *resource) {
	if !s.is(place, v, typeObject) {
		return
	}
	for name, v := range v.(map[string]any) {
		s.value(join(place, name), shapeOf(v), v, r)
	}
}

func (s *survey) names(place string, v any, r *resource) {
	least := 0
	if r.draft == draft4 {
		least = 1
	}
	list := s.list(place, v, least)
	s.each(place, list, shapeText, r)
	s.unique(place, list)
}

// typeNames checks the value of type: the name of a type, or a list of them.
func (s *survey) typeNames(place string, v any) {
	if list, ok := v.([]any); ok {
		if s.list(place, v, 1) != nil {
			for i, name := range list {
				s.typeName(join(place, strconv.Itoa(i)), name)
			}
			s.unique(place, list)
		}
		return
	}
	s.typeName(place, v)
}

func (s *survey) typeName(place string, v any) {
	if name, ok := v.(string); !ok || typeNamed(name) == 0 {
		s.fault(place, "value must be one of 'array', 'boolean', 'integer', 'null', 'number', "+
			"'object', 'string'")
	}
}
