// This file compares the actual and the wanted value of a test, and shows the difference.

package trial

import (
	"reflect"
	"strings"

	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/engine/plain"
)

// maxShown is how many lines of a difference are shown.
const maxShown = 60

// same reports whether two pieces of plain data are equal. An empty table equals an empty list,
// because Lua does not distinguish them.
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

// pretty formats data as JSON on several lines; a text of several lines is shown unchanged.
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

// difference shows the difference of two texts: lines only in got begin with "-", lines only in
// want with "+".
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
