// This file has the templates in the prompts of docker-agent's hooks: those of Go, as far as they
// put in what a hook reads.

package hooks

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
)

// fill puts what a hook reads into a template: {{.Field}}, {{toJSON .Field}} or {{truncate N
// .Field}}. If in is nil, it only reports what is wrong with the template.
func fill(template string, in message) (text string, err error) {
	for i, part := range strings.Split(template, "{{") {
		if i == 0 {
			text = part
			continue
		}
		action, after, closes := strings.Cut(part, "}}")
		words := strings.Fields(action)
		most := 0
		if len(words) == 3 && words[0] == "truncate" {
			most, _ = strconv.Atoi(words[1]) // 0 otherwise
			words = words[2:]
			closes = closes && most > 0
		}
		asJSON := len(words) == 2 && words[0] == "toJSON"
		if asJSON {
			words = words[1:]
		}
		if !closes || len(words) != 1 || words[0][0] != '.' {
			return "", fmt.Errorf("{{%s: want {{.Field}}, {{toJSON .Field}} or "+
				"{{truncate N .Field}}", plain.Line(part, 40))
		}
		if in == nil && !isField(words[0]) {
			return "", fmt.Errorf("{{%s}}: no event has this", action)
		}
		text += valueAt(in, words[0], asJSON, most) + after
	}
	return text, nil
}

// fieldOf returns the name by which hooks read a field of a template.
func fieldOf(name string) string {
	field := ""
	for i := range len(name) {
		if i > 0 && name[i] <= 'Z' && name[i-1] > 'Z' {
			field += "_"
		}
		field += strings.ToLower(name[i : i+1])
	}
	return field
}

// isField reports whether an event has a field: ".ToolInput.path".
func isField(path string) bool {
	known := " = session_id= cwd= agent_name= hook_event_name= tool_name= tool_input="
	for i := range dockerRows {
		known += " " + dockerRows[i].in
	}
	name, _, _ := strings.Cut(path[1:], ".")
	return strings.Contains(known, " "+fieldOf(name)+"=")
}

// valueAt returns what a hook reads at a path as text.
func valueAt(in message, path string, asJSON bool, most int) string {
	var v any = in
	for i, name := range strings.Split(path[1:], ".") {
		if name == "" {
			continue
		}
		if i == 0 {
			name = fieldOf(name)
		}
		m, _ := v.(message)
		v = m[name]
	}
	text, isText := v.(string)
	if asJSON || !isText && v != nil {
		b, _ := plain.JSON(v, "") // it is plain data
		text = string(b)
	}
	if most > 0 {
		text = plain.Chars(text, most)
	}
	return text
}
