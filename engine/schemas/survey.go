// This file examines a JSON Schema before it is compiled: it checks the shapes of the keywords'
// values, and collects the names that references use.

package schemas

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// A draft is a version of JSON Schema.
type draft int

const (
	draft4 draft = iota + 4
	draft6
	draft7
	draft2019
	draft2020
)

// draftOf returns the draft that a $schema names; 0 if it is unknown.
func draftOf(name string) draft {
	name = strings.TrimSuffix(name, "#")
	_, name, _ = strings.Cut(name, "://")
	switch name {
	case "json-schema.org/draft-04/schema":
		return draft4
	case "json-schema.org/draft-06/schema":
		return draft6
	case "json-schema.org/draft-07/schema":
		return draft7
	case "json-schema.org/draft/2019-09/schema":
		return draft2019
	case "json-schema.org/draft/2020-12/schema", "json-schema.org/schema":
		return draft2020
	}
	return 0
}

// A resource is a document, or a part of it with a URL of its own. References are relative to that
// URL.
type resource struct {
	place     string
	url       *url.URL
	draft     draft
	anchors   map[string]string // places by name
	dynamic   map[string]string // those of a $dynamicAnchor
	recursive bool              // $recursiveAnchor

	root           *schema
	dynamicSchemas map[string]*schema
}

// survey holds the names and places in a document.
type survey struct {
	doc       any
	resources map[string]*resource // by place
	seen      map[string]bool      // places of schemas
	faults    []fault
	err       error // the first one
}

// documentURL returns the URL of a document that has no other.
func documentURL() *url.URL { return &url.URL{Scheme: "schema", Path: "/"} }

// root surveys the whole document.
func (s *survey) root() error {
	s.resources = map[string]*resource{"": {url: documentURL(), draft: draft2020}}
	s.seen = map[string]bool{}
	return s.surveyLate("", s.doc)
}

// surveyLate surveys a schema at a place where none was expected, but to which something refers.
func (s *survey) surveyLate(place string, v any) error {
	if s.seen[place] {
		return nil
	}
	s.inspect(place, v, s.resourceAt(place))
	if len(s.faults) > 0 {
		return faultsError(s.faults)
	}
	return s.err
}

// inspect surveys a schema, in r, and all schemas in it.
func (s *survey) inspect(place string, v any, r *resource) {
	s.seen[place] = true
	m, ok := v.(map[string]any)
	if !ok {
		want := typeBoolean | typeObject
		if r.draft == draft4 {
			want = typeObject
		}
		if kind := kindOf(v); kind&want == 0 {
			s.fault(place, wrongType(v, want))
		}
		return
	}
	r = s.name(place, m, r)
	for keyword, v := range m {
		s.keyword(place, keyword, v, r)
	}
	if r.draft == draft4 {
		s.needs(place, m, "exclusiveMaximum", "maximum")
		s.needs(place, m, "exclusiveMinimum", "minimum")
	}
}

func (s *survey) needs(place string, m map[string]any, keyword, needed string) {
	if m[keyword] != nil && m[needed] == nil {
		s.fault(place, fmt.Sprintf("properties '%s' required, if '%s' exists", needed, keyword))
	}
}

func (s *survey) fault(place, text string) { s.faults = append(s.faults, fault{place, text}) }

// refuse records why the document is refused.
func (s *survey) refuse(err error) {
	if s.err == nil {
		s.err = err
	}
}

// name records the names of a schema. It returns the resource that contains the schema.
func (s *survey) name(place string, m map[string]any, r *resource) *resource {
	d := r.draft
	if name, ok := m["$schema"].(string); ok {
		if d = draftOf(name); d == 0 {
			s.fault(join(place, "$schema"),
				quote(name)+" is not known; leave it out for draft 2020-12")
			d = draft2020
		}
	}
	id := idOf(m, d)
	if id == "" && place != "" {
		d = r.draft // $schema counts only where a resource begins
		id = idOf(m, d)
	}
	base, fragment := splitReference(id)
	if place == "" || base != "" {
		r = s.resource(place, base, d, r)
	}
	if fragment != "" && fragment[0] != '/' {
		r.anchor(fragment, place)
	}
	if r.draft >= draft2019 {
		if fragment != "" {
			s.fault(join(place, "$id"),
				"got "+quote(id)+", want a URL without #: $anchor gives a name")
		}
		if name, ok := m["$anchor"].(string); ok {
			r.anchor(name, place)
		}
	}
	if name, ok := m["$dynamicAnchor"].(string); ok && r.draft >= draft2020 {
		r.anchor(name, place)
		if r.dynamic == nil {
			r.dynamic = map[string]string{}
		}
		r.dynamic[name] = place
	}
	if r.place == place && r.draft == draft2019 && m["$recursiveAnchor"] == true {
		r.recursive = true
	}
	return r
}

// idOf returns the URL of a schema.
func idOf(m map[string]any, d draft) string {
	if _, ok := m["$ref"]; ok && d < draft2019 {
		return "" // keywords beside $ref are ignored
	}
	keyword := "$id"
	if d == draft4 {
		keyword = "id"
	}
	id, _ := m[keyword].(string)
	return id
}

// resource records that a resource begins at a place.
func (s *survey) resource(place, id string, d draft, outer *resource) *resource {
	u, err := outer.url.Parse(id)
	if err != nil {
		s.refuse(fmt.Errorf("%s: %w", strings.TrimPrefix(join(place, "$id"), "/"), err))
		u = outer.url
	}
	r := &resource{place: place, url: u, draft: d}
	for _, other := range s.resources {
		if other.place != place && other.url.String() == u.String() {
			s.refuse(fmt.Errorf("$id %s is there twice", id))
		}
	}
	s.resources[place] = r
	return r
}

func (r *resource) anchor(name, place string) {
	if r.anchors == nil {
		r.anchors = map[string]string{}
	}
	r.anchors[name] = place
}

// resourceAt returns the resource that contains a place.
func (s *survey) resourceAt(place string) *resource {
	for len(s.resources) > 1 {
		if r := s.resources[place]; r != nil {
			return r
		}
		place = place[:strings.LastIndexByte(place, '/')]
	}
	return s.resources[""]
}

// errElsewhere is why a reference is refused.
var errElsewhere = errors.New("only references within the schema are allowed")

// resolve returns the place that a reference in r refers to. meta is the draft, if the reference is
// to its meta-schema.
func (s *survey) resolve(ref string, r *resource) (place string, meta draft, err error) {
	base, fragment := splitReference(ref)
	if base != "" {
		u, err := r.url.Parse(base)
		if err != nil {
			return "", 0, err
		}
		if r = s.resourceOf(u); r == nil {
			if d := draftOf(u.String()); d != 0 && fragment == "" {
				return "", d, nil
			}
			return "", 0, errElsewhere
		}
	}
	if fragment, err = url.PathUnescape(fragment); err != nil {
		return "", 0, err
	}
	if fragment == "" || fragment[0] == '/' {
		return r.place + fragment, 0, nil
	}
	place, ok := r.anchors[fragment]
	if !ok {
		return "", 0, fmt.Errorf("no part of the schema has this name")
	}
	return place, 0, nil
}

func (s *survey) resourceOf(u *url.URL) *resource {
	name := u.String()
	for _, r := range s.resources {
		if r.url.String() == name {
			return r
		}
	}
	return nil
}

// lookup returns the value at a place.
func (s *survey) lookup(place string) (any, error) {
	v := s.doc
	for _, key := range strings.Split(place, "/")[1:] {
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		ok := false
		switch in := v.(type) {
		case map[string]any:
			v, ok = in[key]
		case []any:
			if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(in) {
				v, ok = in[i], true
			}
		}
		if !ok {
			return nil, fmt.Errorf("$ref to #%s: there is nothing", place)
		}
	}
	return v, nil
}

// splitReference splits a reference at its fragment.
func splitReference(ref string) (base, fragment string) {
	base, fragment, _ = strings.Cut(ref, "#")
	return base, fragment
}

// join returns the place of key in place.
func join(place, key string) string {
	if strings.ContainsAny(key, "~/") {
		key = strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
	}
	return place + "/" + key
}
