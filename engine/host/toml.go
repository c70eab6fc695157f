// This file holds ext.toml: TOML as plain data.

package host

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

func tomlEncode(c *engine.HostCall) (any, error) {
	v, err := value.JSONData("ext.toml.encode: value", c.Args[0])
	if err != nil {
		return nil, err
	}
	if l, ok := v.([]any); ok && len(l) == 0 {
		v = map[string]any{}
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf(
			"ext.toml.encode: value: got %s, want a table: TOML has one at the top",
			value.TypeName(v))
	}
	if at, found := nullIn(m); found {
		return nil, fmt.Errorf("ext.toml.encode: value%s: got null, which TOML does not have", at)
	}
	var b strings.Builder
	enc := toml.NewEncoder(&b)
	enc.Indent = ""
	if err := enc.Encode(wholeNumbers(m)); err != nil {
		return nil, fmt.Errorf("ext.toml.encode: value: %s",
			strings.TrimPrefix(err.Error(), "toml: "))
	}
	return b.String(), nil
}

// nullIn finds a null.
func nullIn(v any) (at string, found bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case map[string]any:
		for _, k := range value.SortedKeys(v) {
			if at, found := nullIn(v[k]); found {
				return "." + k + at, true
			}
		}
	case []any:
		for i, e := range v {
			if at, found := nullIn(e); found {
				return fmt.Sprintf("[%d]%s", i+1, at), true
			}
		}
	}
	return "", false
}

func tomlDecode(c *engine.HostCall) (any, error) {
	v, err := readTOML(text(c.Args[0]))
	if err != nil {
		return nil, &fault.WorldError{Code: "invalid",
			Message: "ext.toml.decode: " + plain.Ending(err.Error())}
	}
	return v, nil
}

func readTOML(s string) (any, error) {
	if len(s) > maxDocument {
		return nil, fmt.Errorf("has %d bytes, at most %d are read", len(s), maxDocument)
	}
	if tomlDepth(s) > value.MaxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", value.MaxDepth)
	}
	m := map[string]any{}
	if _, err := toml.Decode(s, &m); err != nil {
		var at toml.ParseError
		if errors.As(err, &at) {
			return nil, fmt.Errorf("line %d: %s", at.Position.Line, at.Message)
		}
		return nil, errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	return tomlValue(m, 0)
}

// tomlDepth returns how deep a text nests, by brackets or by the dots of a key. It must be checked
// before the library parses the text: the time to parse it grows faster than its depth, and a very
// deep text ends the process.
func tomlDepth(s string) (deepest int) {
	open, dots := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '#':
			i += lengthTo(s[i:], "\n") - 1
		case '"', '\'':
			i += tomlString(s[i:]) - 1
		case '[', '{':
			open, dots = open+1, 0
		case ']', '}':
			open, dots = max(open-1, 0), 0
		case '.':
			dots++
		case '=', ',', '\n':
			dots = 0
		}
		deepest = max(deepest, open+dots)
	}
	return deepest
}

// tomlString returns the length of the string at the beginning of s.
func tomlString(s string) int {
	end := s[:1]
	if triple := strings.Repeat(end, 3); strings.HasPrefix(s, triple) {
		end = triple
	}
	for i := len(end); i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], end):
			return i + len(end)
		case s[i] == '\\' && s[0] == '"':
			i++
		case s[i] == '\n' && len(end) == 1: // it is not terminated
			return i
		}
	}
	return len(s)
}

// lengthTo returns the length of s up to end, or the whole length.
func lengthTo(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i
	}
	return len(s)
}

// tomlValue makes plain data from the library's values. Dates and times are text.
func tomlValue(v any, depth int) (any, error) {
	if depth > value.MaxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", value.MaxDepth)
	}
	var err error
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if v[k], err = tomlValue(e, depth+1); err != nil {
				return nil, err
			}
		}
		return v, nil
	case []any:
		for i, e := range v {
			if v[i], err = tomlValue(e, depth+1); err != nil {
				return nil, err
			}
		}
		return v, nil
	case []map[string]any:
		list := make([]any, len(v))
		for i, e := range v {
			if list[i], err = tomlValue(e, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case int64:
		return float64(v), nil
	case time.Time:
		return tomlTime(v), nil
	}
	return v, nil
}

// tomlTime formats a time as TOML does. The library marks missing parts by the name of the zone.
func tomlTime(t time.Time) string {
	switch t.Location().String() {
	case "datetime-local":
		return t.Format("2006-01-02T15:04:05.999999999")
	case "date-local":
		return t.Format(time.DateOnly)
	case "time-local":
		return t.Format("15:04:05.999999999")
	}
	return t.Format(time.RFC3339Nano)
}
