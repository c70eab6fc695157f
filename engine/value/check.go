// This file checks arguments of API functions by their rows.

package value

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/suggest"
)

// CheckArgs checks args against params and returns one value per parameter, nil for absent optional
// ones. An optional parameter in the middle may be left out: the next argument then takes its place
// if its type fits only there. A last one with Rest gets a list. Errors read `ext.tool: schema: got
// string, want table`.
func CheckArgs(name string, params []Field, args []any) ([]any, error) {
	out := make([]any, len(params))
	next := 0
	for i, p := range params {
		if p.Rest {
			rest, err := checkRest(name, p, args[min(next, len(args)):])
			if err != nil {
				return nil, err
			}
			out[i], next = rest, len(args)
			break
		}
		if next < len(args) && optional(p.Type) && i+1 < len(params) && !fits(p, args[next]) &&
			fits(params[i+1], args[next]) &&
			len(args)-next <= len(params)-i-1 {
			continue // left out
		}
		var v any
		if next < len(args) {
			v = args[next]
			next++
		}
		c, err := Check(p, v)
		if err != nil {
			at := p.Name + err.Error()
			// the table is the only thing one gives: its key says it all
			if strings.HasPrefix(err.Error(), ".") {
				at = err.Error()[1:]
			}
			return nil, fmt.Errorf("%s: %s", name, at)
		}
		out[i] = c
	}
	if next < len(args) && !allNil(args[next:]) {
		return nil, fmt.Errorf("%s: got %d arguments, want at most %d", name, len(args),
			len(params))
	}
	return out, nil
}

// checkRest checks the arguments that the last parameter takes.
func checkRest(name string, p Field, args []any) ([]any, error) {
	rest := make([]any, len(args))
	for i, v := range args {
		c, err := Check(p, v)
		if err != nil {
			return nil, fmt.Errorf("%s: %s %d%s", name, p.Name, i+1, err)
		}
		rest[i] = c
	}
	return rest, nil
}

func allNil(vs []any) bool {
	for _, v := range vs {
		if v != nil {
			return false
		}
	}
	return true
}

func optional(typ string) bool { return strings.HasSuffix(typ, "?") }

func fits(p Field, v any) bool {
	_, err := CheckType(p.Type, v)
	return err == nil && v != nil
}

// checkValue checks one value; the error begins with ": " or ".key: ".
func Check(p Field, v any) (any, error) {
	v, err := CheckType(p.Type, v)
	if err != nil {
		return nil, fmt.Errorf(": %w%s", err, keysWanted(p.Fields))
	}
	if s, ok := v.(string); ok && len(p.Values) > 0 && !slices.Contains(p.Values, s) {
		return nil, fmt.Errorf(": got %q, want one of %s%s", s, strings.Join(p.Values, ", "),
			suggest.DidYouMean(s, p.Values))
	}
	m, ok := v.(map[string]any)
	if !ok || len(p.Fields) == 0 {
		return v, nil
	}
	out := make(map[string]any, len(m))
	for _, k := range SortedKeys(m) {
		f, ok := FieldNamed(p.Fields, k)
		if !ok {
			return nil, fmt.Errorf(": unknown key %q%s", k,
				suggest.OrAll(suggest.ForeignKey, k, fieldNames(p.Fields)))
		}
		if m[k] == nil && optional(f.Type) {
			continue
		}
		c, err := Check(f, m[k])
		if err != nil {
			return nil, KeyError(k, err)
		}
		out[k] = c
	}
	for _, f := range p.Fields {
		if _, ok := out[f.Name]; !ok && !optional(f.Type) {
			return nil, KeyError(f.Name, fmt.Errorf(": got nil, want %s", f.Type))
		}
	}
	return out, nil
}

// keysWanted names the keys that a table must have, as in " {name, run}"; "" if there are none.
func keysWanted(fields []Field) string {
	var must []string
	for _, f := range fields {
		if !optional(f.Type) {
			must = append(must, f.Name)
		}
	}
	if must == nil {
		return ""
	}
	return " {" + strings.Join(must, ", ") + "}"
}

func KeyError(key string, err error) error { return fmt.Errorf(".%s%w", key, err) }

// CheckType checks v against a type; an empty table is an empty list where a list is wanted.
func CheckType(typ string, v any) (any, error) {
	want := strings.TrimSuffix(typ, "?")
	if v == nil {
		if optional(typ) || want == "any" {
			return nil, nil
		}
		return nil, fmt.Errorf("got nil, want %s", want)
	}
	for _, w := range strings.Split(want, "|") {
		if c, ok := asType(w, v); ok {
			return c, nil
		}
	}
	return nil, fmt.Errorf("got %s, want %s", TypeName(v), want)
}

func asType(want string, v any) (any, bool) {
	switch want {
	case "any":
		return v, true
	case "string":
		_, ok := v.(string)
		return v, ok
	case "boolean":
		_, ok := v.(bool)
		return v, ok
	case "number", "integer":
		n, ok := Number(v)
		return n, ok && !math.IsNaN(n) && !math.IsInf(n, 0) &&
			(want == "number" || n == math.Trunc(n))
	case "function":
		_, ok := v.(Function)
		return v, ok
	case "table":
		switch v := v.(type) {
		case map[string]any:
			return v, true
		case Object:
			p, err := Plain(v)
			return p, err == nil
		}
	case "list":
		switch v := v.(type) {
		case []any:
			return v, true
		case List:
			p, err := Plain(v)
			return p, err == nil
		case map[string]any:
			return []any{}, len(v) == 0
		}
	}
	return nil, false
}

func FieldNamed(fields []Field, name string) (Field, bool) {
	for _, f := range fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

func fieldNames(fields []Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}
