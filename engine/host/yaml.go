// This file holds ext.yaml: YAML as plain data.

package host

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// maxDocument is how long a text of YAML or TOML may be, in bytes: parsing it takes a good part
	// of the second that a script has.
	maxDocument = 1 << 20
	// maxNodes is how many values a text of YAML may expand to: aliases make many values from few
	// bytes.
	maxNodes = 200_000
)

func yamlEncode(c *engine.HostCall) (any, error) {
	v, err := value.JSONData("ext.yaml.encode: value", c.Args[0])
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err = enc.Encode(wholeNumbers(v)); err == nil {
		err = enc.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("ext.yaml.encode: value: %w", err)
	}
	return b.String(), nil
}

// wholeNumbers converts the whole numbers in v to integers: 1000000, not 1e+06.
func wholeNumbers(v any) any {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= most {
			return int64(v)
		}
	case []any:
		for i, e := range v {
			v[i] = wholeNumbers(e)
		}
	case map[string]any:
		for k, e := range v {
			v[k] = wholeNumbers(e)
		}
	}
	return v
}

func yamlDecode(c *engine.HostCall) (any, error) {
	v, err := readYAML(text(c.Args[0]))
	if err != nil {
		return nil, &fault.WorldError{Code: "invalid",
			Message: "ext.yaml.decode: " + plain.YAML(err.Error())}
	}
	return v, nil
}

func readYAML(s string) (v any, err error) {
	err = apart.Call(func() (err error) { // the library may panic on unusual input
		v, err = parseYAML(s)
		return err
	})
	if p := (*apart.PanicError)(nil); errors.As(err, &p) {
		return nil, errors.New("it cannot be parsed")
	}
	return v, err
}

func parseYAML(s string) (any, error) {
	if len(s) > maxDocument {
		return nil, fmt.Errorf("has %d bytes, at most %d are read", len(s), maxDocument)
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
	r := yamlReader{left: maxNodes}
	return r.value(&doc, 0)
}

// yamlReader makes plain data from nodes.
type yamlReader struct{ left int }

func (r *yamlReader) value(n *yaml.Node, depth int) (any, error) {
	if r.left--; r.left < 0 {
		return nil, fmt.Errorf("line %d: it expands to more than %d values", n.Line, maxNodes)
	}
	if depth > value.MaxDepth { // also for an alias of a node that contains it
		return nil, fmt.Errorf("line %d: nested deeper than %d levels", n.Line, value.MaxDepth)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return r.value(n.Content[0], depth)
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, e := range n.Content {
			v, err := r.value(e, depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case yaml.MappingNode:
		return r.mapping(n, depth)
	}
	return yamlScalar(n)
}

// mapping parses keys and values. Keys merged by << come after those of the mapping itself.
func (r *yamlReader) mapping(n *yaml.Node, depth int) (any, error) {
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
		v, err := r.value(value, depth+1)
		if err != nil {
			return nil, err
		}
		m[key.Value] = v
	}
	for _, from := range merged {
		if err := r.merge(m, from, depth); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// merge adds what << names to m: a mapping, or several, of which the first takes precedence.
func (r *yamlReader) merge(m map[string]any, from *yaml.Node, depth int) error {
	v, err := r.value(from, depth+1)
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

// yamlScalar parses a scalar. Dates, and scalars with a tag that YAML does not define, are text.
func yamlScalar(n *yaml.Node) (any, error) {
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
