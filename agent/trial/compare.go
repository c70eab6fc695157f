// This file compares what a test got with what it wants, and shows the difference.

package trial

import (
	"reflect"
	"strings"

	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/engine/plain"
)

// maxShown is how many lines of a difference are shown.
const maxShown = 60

// same reports whether two pieces of plain data are the same. An empty table is an empty list as
// well: Lua cannot tell them apart.
func same(a, b any) bool {
	if empty(a) && empty(b) {
		return true
	}
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !same(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

func empty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// pretty is data as JSON over several lines; a text of several lines is shown as it is.
func pretty(v any) string {
	if s, ok := v.(string); ok && strings.Contains(s, "\n") {
		return s
	}
	b, err := plain.JSON(v, "  ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// difference shows what is to go from got, and what is missing to want: "got" lines begin with "-",
// "want" lines with "+".
func difference(got, want string) string {
	if !strings.Contains(got+want, "\n") {
		return cut(strings.Split(indent("got  ", got)+"\n"+indent("want ", want), "\n"))
	}
	lines := []string{"- got", "+ want"}
	for line := range strings.Lines(diff.Unified(got+"\n", want+"\n")) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && line[0] != '@' && line[0] != '[' {
			line = line[:1] + " " + line[1:]
		}
		lines = append(lines, line)
	}
	return cut(lines)
}

func cut(lines []string) string {
	if len(lines) > maxShown {
		lines = append(lines[:maxShown:maxShown], "...")
	}
	return strings.Join(lines, "\n")
}

// indent puts a word before the first line of text, and spaces before the others.
func indent(word, text string) string {
	return word + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", len(word)))
}
