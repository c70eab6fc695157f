// Package canonical converts the arguments of a tool call to the form that the tool's schema asks
// for, if their meaning is unambiguous.
//
//	args, notes := canonical.Args(tool.Schema, tool.Aliases, call.Args)
//
// It does not change the map that it gets.
package canonical

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/value"
)

// Aliases are names that models use for a tool's arguments instead of those of its schema.
type Aliases struct {
	Names map[string]string // "file_path": "path"
	// List is an argument that is a list of objects; "" = none. If it is absent, fields of its
	// objects among the arguments become its only object.
	List  string
	Items map[string]string // other names of fields of these objects: "old_string": "old"
	// Idle are arguments of other programs' tools without an effect, such as a description of the
	// call: they are removed.
	Idle []string
}

// Args returns the arguments in the form of schema, a JSON Schema of an object, and a note for each
// change: "took file_path as path". It does not change arguments that fit or are ambiguous. aliases
// may be nil.
func Args(schema map[string]any, aliases *Aliases, args map[string]any) (map[string]any, []string) {
	c := canon{}
	properties, _ := schema["properties"].(map[string]any)
	if aliases != nil && unknown(args, properties) {
		args = c.gather(c.rename(c.drop(args, properties, aliases.Idle), properties, aliases.Names),
			properties, aliases)
	}
	args = c.object(args, properties, "")
	if aliases != nil && aliases.List != "" {
		list, _ := args[aliases.List].([]any)
		if renamed := c.items(list, properties[aliases.List], aliases); renamed != nil {
			args = maps.Clone(args)
			args[aliases.List] = renamed
		}
	}
	if len(c.notes) == 0 {
		return args, nil
	}
	slices.Sort(c.notes)
	return args, slices.Compact(c.notes)
}

// unknown reports whether there are arguments that the schema does not have.
func unknown(args, properties map[string]any) bool {
	for name := range args {
		if _, ok := properties[name]; !ok {
			return true
		}
	}
	return false
}

// canon collects notes.
type canon struct{ notes []string }

func (c *canon) note(text string) { c.notes = append(c.notes, "took "+text) }

// drop removes the named arguments that the schema does not have.
func (c *canon) drop(args, properties map[string]any, names []string) map[string]any {
	out := args
	for _, name := range names {
		if _, had := args[name]; !had || properties[name] != nil {
			continue
		}
		if sameMap(out, args) {
			out = maps.Clone(args)
		}
		delete(out, name)
		c.notes = append(c.notes, "left out "+name+", which has no effect here")
	}
	return out
}

// rename replaces aliases by the names of the schema.
func (c *canon) rename(args, properties map[string]any, names map[string]string) map[string]any {
	out := args
	for _, name := range slices.Sorted(maps.Keys(args)) {
		own := names[name]
		if _, known := properties[name]; own == "" || known {
			continue
		}
		value, had := out[own]
		if had && !reflect.DeepEqual(value, args[name]) { // ambiguous
			continue
		}
		if sameMap(out, args) {
			out = maps.Clone(args)
		}
		delete(out, name)
		out[own] = args[name]
		c.note(name + " as " + own)
	}
	return out
}

// sameMap reports whether a and b are the same map.
func sameMap(a, b map[string]any) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// gather moves fields of aliases.List among the arguments into a new object of that list.
func (c *canon) gather(args, properties map[string]any, aliases *Aliases) map[string]any {
	if _, had := args[aliases.List]; aliases.List == "" || had {
		return args
	}
	fields := itemProperties(properties[aliases.List])
	item := map[string]any{}
	for name, value := range args {
		_, field := fields[name]
		_, own := properties[name]
		if (field || aliases.Items[name] != "") && !own {
			item[name] = value
		}
	}
	if len(item) == 0 {
		return args
	}
	out := maps.Clone(args)
	for name := range item {
		delete(out, name)
	}
	out[aliases.List] = []any{item}
	c.note(strings.Join(slices.Sorted(maps.Keys(item)), ", ") + " as " + aliases.List)
	return out
}

func itemProperties(schema any) map[string]any {
	list, _ := schema.(map[string]any)
	items, _ := list["items"].(map[string]any)
	properties, _ := items["properties"].(map[string]any)
	return properties
}

// items replaces aliases in the objects of a list; it returns nil if there are none.
func (c *canon) items(list []any, schema any, aliases *Aliases) []any {
	fields := itemProperties(schema)
	var out []any
	for i, x := range list {
		item, ok := x.(map[string]any)
		if !ok {
			continue
		}
		renamed := c.object(c.rename(item, fields, aliases.Items), fields, aliases.List)
		if sameMap(renamed, item) {
			continue
		}
		if out == nil {
			out = slices.Clone(list)
		}
		out[i] = renamed
	}
	return out
}

// object converts values to the types of their schemas. in is the argument that holds them; "" =
// they are arguments.
func (c *canon) object(args, properties map[string]any, in string) map[string]any {
	out := args
	for name, value := range args {
		schema, ok := properties[name].(map[string]any)
		if !ok {
			continue
		}
		if in != "" {
			name = in + "." + name
		}
		better, how := convert(schema, value)
		if how == "" {
			continue
		}
		if sameMap(out, args) {
			out = maps.Clone(args)
		}
		out[strings.TrimPrefix(name, in+".")] = better
		c.note(name + ", " + how)
	}
	return out
}

// decimal is a number as JSON writes it without an exponent.
var decimal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?$`)
})

// convert converts a value to the type of a schema, if it has one type. how describes the
// conversion; "" = none.
func convert(schema map[string]any, value any) (better any, how string) {
	wanted, _ := schema["type"].(string)
	text, isText := value.(string)
	switch {
	case (wanted == "integer" || wanted == "number") && isText:
		n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !decimal().MatchString(strings.TrimSpace(text)) || wanted == "integer" &&
			n != float64(int64(n)) {
			return nil, ""
		}
		return n, "which was a string, as a number"
	case wanted == "boolean" && (value == "true" || value == "false"):
		return value == "true", "which was a string, as a boolean"
	case wanted == "object" && isText:
		if object, ok := parsed(text).(map[string]any); ok {
			return object, "which was JSON in a string, as an object"
		}
	case wanted == "array" && isText:
		switch v := parsed(text).(type) {
		case []any:
			return v, "which was JSON in a string, as a list"
		case map[string]any:
			if ofObjects(schema) {
				return []any{v}, "which was JSON in a string, as a list of one"
			}
		}
	case wanted == "array":
		if object, ok := value.(map[string]any); ok && ofObjects(schema) {
			return []any{object}, "which was not a list, as a list of one"
		}
	}
	return nil, ""
}

// ofObjects reports whether a schema describes a list of objects.
func ofObjects(schema map[string]any) bool {
	items, _ := schema["items"].(map[string]any)
	return items["type"] == "object"
}

// parsed decodes JSON text of a list or an object; nil if it is something else.
func parsed(text string) any {
	if text = strings.TrimSpace(text); !strings.HasPrefix(text, "[") &&
		!strings.HasPrefix(text, "{") {
		return nil
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return nil
	}
	v, err := value.Plain(v)
	if err != nil {
		return nil
	}
	return v
}
