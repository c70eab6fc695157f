// Package option holds the options of scripts: what a user can set for a script.
//
//	o := &option.Option{Name: "cap", Type: "number"}
//	v, err := o.Read(option.Setting{Value: "3", Text: true, Where: "--set budget.cap"})
package option

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// Option is a setting of a script. Its value is determined while the script loads.
type Option struct {
	Name        string
	Description string
	Type        string // one of Types
	Default     any    // nil = none
	Value       any    // the value in force
	Where       string // where it was set; "" = nowhere, the default applies
	Line        int    // of the registering call
}

// Types are the types of options; the items of a list are strings.
func Types() []string { return []string{"string", "number", "integer", "boolean", "list"} }

// Setting is a value that a user has given to an option.
type Setting struct {
	Value any
	// the value is text, to be parsed by the option's type: from a variable or a flag
	Text  bool
	Where string // "--set budget.cap", "config.toml:3"
}

// Stem returns the name of a script in option names: its file name without the extension.
func Stem(script string) string {
	stem := script
	if i := strings.LastIndexByte(script, '.'); i > 0 {
		stem = script[:i]
	}
	return stem
}

// NamesScript reports whether the user's name for a script means this one: its file name, with or
// without the extension.
func NamesScript(called, script string) bool {
	return called == script || called == Stem(script)
}

// Variable returns the environment variable that sets an option of a script:
// AGENT_OPT_GIT_GUARD_MAX for max of git-guard.lua.
func Variable(script, name string) string {
	return "AGENT_OPT_" + plain.Variable(Stem(script)+"_"+name)
}

// Read converts a setting to the option's type. The error says what was expected.
func (o *Option) Read(s Setting) (any, error) {
	v := s.Value
	if text, ok := v.(string); ok && s.Text {
		return o.parseOption(text)
	}
	switch n, isNumber := value.Number(v); {
	case o.Type == "list":
		return o.texts(v)
	case isNumber && (o.Type == "number" || o.Type == "integer" && n == math.Trunc(n)):
		return n, nil
	case o.Type == "string" && value.TypeName(v) == "string", o.Type == "boolean" &&
		value.TypeName(v) == "boolean":
		return v, nil
	}
	return nil, fmt.Errorf("got %s, want %s", value.TypeName(v), o.Type)
}

func (o *Option) texts(v any) (any, error) {
	list, ok := v.([]any)
	if m, isMap := v.(map[string]any); isMap && len(m) == 0 { // an empty table of Lua
		list, ok = []any{}, true
	}
	if !ok {
		return nil, fmt.Errorf("got %s, want a list of texts", value.TypeName(v))
	}
	for i, e := range list {
		if _, ok := e.(string); !ok {
			return nil, fmt.Errorf("[%d]: got %s, want string", i+1, value.TypeName(e))
		}
	}
	return list, nil
}

// parseOption parses text by the option's type: list items are separated by commas.
func (o *Option) parseOption(text string) (any, error) {
	word := strings.TrimSpace(text)
	switch o.Type {
	case "boolean":
		switch strings.ToLower(word) {
		case "true", "yes", "on", "1":
			return true, nil
		case "false", "no", "off", "0":
			return false, nil
		}
		return nil, fmt.Errorf("got %.80q, want true or false", text)
	case "number", "integer":
		n, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || o.Type == "integer" &&
			n != math.Trunc(n) {
			return nil, fmt.Errorf("got %.80q, want %s", text, o.Type)
		}
		return n, nil
	case "list":
		list := []any{}
		for _, part := range strings.Split(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
		return list, nil
	}
	return text, nil
}
