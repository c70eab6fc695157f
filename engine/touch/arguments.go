// This file finds the paths among the arguments of a tool without a Subject, such as that of an MCP
// server.

package touch

import (
	"strings"

	"github.com/agentscripts/agent/engine/shell"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/value"
)

// addArguments adds the paths among arguments, at any depth: "command" and those of subject.IsPath
// have a known meaning, and other texts may be paths.
func (t *Touched) addArguments(tool string, args map[string]any, writes bool) {
	for _, key := range value.SortedKeys(args) {
		t.addArgument(key, args[key], tool, writes)
	}
}

// addArgument adds the paths in one argument.
func (t *Touched) addArgument(key string, v any, tool string, writes bool) {
	if !t.work.spend(1) {
		t.markUnknown(writes)
		return
	}
	switch v := v.(type) {
	case string:
		t.addText(key, v, tool, writes)
	case []any:
		if key == command {
			t.addWords(v)
			key = ""
		}
		for _, one := range v {
			t.addArgument(key, one, tool, writes)
		}
	case map[string]any:
		for _, name := range value.SortedKeys(v) { // {"files": {"a.txt": "text"}}
			t.addText("", name, tool, writes)
		}
		t.addArguments(tool, v, writes)
	}
}

// addWords adds the paths that a command touches, if it is a list of words.
func (t *Touched) addWords(list []any) {
	var words []string
	for _, one := range list {
		word, ok := one.(string)
		if !ok {
			return
		}
		words = append(words, word)
	}
	if line, err := shell.Quote(words); err == nil {
		t.addCommand(line)
	}
}

// command is the name of an argument with a command line.
const command = "command"

// addText adds the paths in a text.
func (t *Touched) addText(key, text, tool string, writes bool) {
	switch {
	case key == command:
		t.addCommand(text)
	case subject.IsPath(key):
		name := shell.WithoutScheme(text)
		t.addPath(name, false)
		t.addPath(name, writes)
	default:
		for _, m := range shell.Spellings(strings.TrimSpace(text)) {
			m.By, m.Writes = tool, writes
			t.addMaybe(m, false)
		}
	}
}
