// Package yamltext reads YAML as plain data.
//
//	v, err := yamltext.Decode(text, nil)
package yamltext

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// MaxBytes is how long a text may be: parsing it takes a good part of the second that a script
	// has.
	MaxBytes = 1 << 20
	// maxNodes is how many values a text may expand to: aliases make many values from few bytes.
	maxNodes = 200_000
)

// Mark is called with the place of each value, "hooks.stop[0]", and its line.
type Mark = func(place string, line int)

// Decode parses a text with one document. Errors have the words of the library: see plain.YAML.
// mark may be nil.
func Decode(text string, mark Mark) (v any, err error) {
	err = apart.Call(func() (err error) { // the library may panic on unusual input
		v, err = parseDocument(text, mark)
		return err
	})
	if p := (*apart.PanicError)(nil); errors.As(err, &p) {
		return nil, errors.New("it cannot be parsed")
	}
	return v, err
}

func parseDocument(s string, mark Mark) (any, error) {
	if len(s) > MaxBytes {
		return nil, fmt.Errorf("has %d bytes, at most %d are read", len(s), MaxBytes)
	}
	var doc, more yaml.Node
	dec := yaml.NewDecoder(strings.NewReader(s))
	if err := dec.Decode(&doc); err != nil {
		if err.Error() == "EOF" {
			return nil, nil
		}
		return nil, err
	}
	if dec.Decode(&more) == nil {
		return nil, fmt.Errorf("line %d: a second document begins, want one", more.Line)
	}
	r := reader{left: maxNodes, mark: mark}
	return r.value(&doc, "", 0)
}

// reader makes plain data from nodes.
type reader struct {
	left int
	mark Mark
}

// inner returns the place of a value in another one; "" if no one wants it.
func (r *reader) inner(place, format string, key any) string {
	if r.mark == nil {
		return ""
	}
	return strings.TrimPrefix(fmt.Sprintf(format, place, key), ".")
}

func (r *reader) value(n *yaml.Node, place string, depth int) (any, error) {
	if r.left--; r.left < 0 {
		return nil, fmt.Errorf("line %d: it expands to more than %d values", n.Line, maxNodes)
	}
	if depth > value.MaxDepth { // also for an alias of a node that contains it
		return nil, fmt.Errorf("line %d: nested deeper than %d levels", n.Line, value.MaxDepth)
	}
	if place != "" {
		r.mark(place, n.Line)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return r.value(n.Content[0], place, depth)
	case yaml.AliasNode:
		return r.value(n.Alias, place, depth+1)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, e := range n.Content {
			v, err := r.value(e, r.inner(place, "%s[%d]", i), depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case yaml.MappingNode:
		return r.mapping(n, place, depth)
	}
	return scalar(n)
}

// mapping parses keys and values. Keys merged by << come after those of the mapping itself.
func (r *reader) mapping(n *yaml.Node, place string, depth int) (any, error) {
	m := make(map[string]any, len(n.Content)/2)
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("line %d: a key is a list or a mapping, want text", key.Line)
		}
		if key.ShortTag() == "!!merge" {
			merged = append(merged, value)
			continue
		}
		if _, ok := m[key.Value]; ok {
			return nil, fmt.Errorf("line %d: duplicate key %q", key.Line, key.Value)
		}
		inner := r.inner(place, "%s.%v", key.Value)
		v, err := r.value(value, inner, depth+1)
		if err != nil {
			return nil, err
		}
		if m[key.Value] = v; inner != "" {
			r.mark(inner, key.Line)
		}
	}
	for _, from := range merged {
		if err := r.merge(m, from, place, depth); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// merge adds what << names to m: a mapping, or several, of which the first takes precedence.
func (r *reader) merge(m map[string]any, from *yaml.Node, place string, depth int) error {
	v, err := r.value(from, place, depth+1)
	if err != nil {
		return err
	}
	sources, ok := v.([]any)
	if !ok {
		sources = []any{v}
	}
	for _, s := range sources {
		t, ok := s.(map[string]any)
		if !ok {
			return fmt.Errorf("line %d: << got %s, want a mapping", from.Line, value.TypeName(s))
		}
		for k, e := range t {
			if _, ok := m[k]; !ok {
				m[k] = e
			}
		}
	}
	return nil
}

// scalar parses a scalar. Dates, and scalars with a tag that YAML does not define, are text.
func scalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null", "!!bool", "!!int", "!!float":
		var v any
		if err := n.Decode(&v); err != nil {
			return nil, err
		}
		if number, ok := value.Number(v); ok {
			return number, nil
		}
		if u, ok := v.(uint64); ok {
			return float64(u), nil
		}
		return v, nil
	}
	return n.Value, nil
}
