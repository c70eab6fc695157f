// Package slash tells slash commands from other texts, and reads, describes and completes their
// arguments.
package slash

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// Param is one argument of a command: "n integer?: how many".
type Param struct {
	Name, Type, Doc string
	Optional        bool
	Values          []string // the permitted ones; nil = any
	List            bool     // it takes all further words
}

// Parse parses the rest of a command line: it returns the raw rest if params is nil, or a table by
// params. The last string parameter takes the rest of the line. Errors end with usage.
func Parse(params []Param, rest, usage string) (any, error) {
	rest = strings.TrimSpace(rest)
	if params == nil {
		return rest, nil
	}
	args := map[string]any{}
	for i, p := range params {
		if p.List {
			if err := p.parseWords(rest, usage, args); err != nil {
				return nil, err
			}
			return args, nil
		}
		var word string
		if i == len(params)-1 && p.Type == "string" && p.Values == nil {
			word, rest = rest, ""
		} else {
			end := strings.IndexFunc(rest, unicode.IsSpace)
			if end < 0 {
				end = len(rest)
			}
			word, rest = rest[:end], strings.TrimSpace(rest[end:])
		}
		if word == "" {
			if p.Optional {
				continue
			}
			return nil, fmt.Errorf("%s is missing; usage: %s", p.Name, usage)
		}
		v, err := p.parseWord(word)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; usage: %s", p.Name, err, usage)
		}
		args[p.Name] = v
	}
	if rest != "" {
		return nil, fmt.Errorf("too many arguments; usage: %s", usage)
	}
	return args, nil
}

// parseWords parses all words of rest into the list p.
func (p Param) parseWords(rest, usage string, args map[string]any) error {
	list := []any{}
	for _, word := range strings.Fields(rest) {
		v, err := p.parseWord(word)
		if err != nil {
			return fmt.Errorf("%s: %w; usage: %s", p.Name, err, usage)
		}
		list = append(list, v)
	}
	if len(list) == 0 && !p.Optional {
		return fmt.Errorf("%s is missing; usage: %s", p.Name, usage)
	}
	if len(list) > 0 {
		args[p.Name] = list
	}
	return nil
}

// parseWord parses one word as a value of p.
func (p Param) parseWord(word string) (any, error) {
	if p.Values != nil && !slices.Contains(p.Values, word) {
		return nil, fmt.Errorf("got %q, want one of %s%s", word, strings.Join(p.Values, ", "),
			suggest.DidYouMean(word, p.Values))
	}
	switch p.Type {
	case "boolean":
		b, err := strconv.ParseBool(word)
		if err != nil {
			return nil, fmt.Errorf("got %q, want true or false", word)
		}
		return b, nil
	case "number", "integer":
		n, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || p.Type == "integer" &&
			n != math.Trunc(n) {
			return nil, fmt.Errorf("got %q, want %s", word, p.Type)
		}
		return n, nil
	}
	return word, nil
}

// Usage returns the usage line of a command: /greet NAME [TIMES]. hint describes a raw rest.
func Usage(name, hint string, params []Param) string {
	s := "/" + name
	if hint != "" {
		s += " " + hint
	}
	for _, p := range params {
		arg := strings.ToUpper(p.Name)
		if p.Values != nil {
			arg = strings.Join(p.Values, "|")
		}
		if p.List {
			arg += "..."
		}
		if p.Optional {
			s += " [" + arg + "]"
		} else {
			s += " " + arg
		}
	}
	return s
}

// Typed returns the arguments of the command name, as Parse returns them, with their shape.
func Typed(name string, params []Param, args any) any {
	if params == nil {
		return args
	}
	shape := value.NewShape("args of /"+name, suggest.ForeignArg)
	for _, p := range params {
		shape.Add(p.Name, nil)
	}
	return value.Typed{Value: args, Shape: shape}
}
