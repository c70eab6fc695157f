// This file finds the paths among the arguments of a tool: the one that its Subject names, and
// those of a tool without a Subject, such as that of an MCP server.

package touch

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/shell"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/value"
)

// arguments adds the paths among the arguments of a tool to what a call touches.
type arguments struct {
	t      *Touched
	tool   string
	writes bool // the tool may write them
}

// addArguments adds the paths among arguments, at any depth: "command" and those of subject.IsPath
// have a known meaning, and other texts may be paths.
func (a arguments) addArguments(args map[string]any) {
	for _, key := range value.SortedKeys(args) {
		a.addArgument(key, args[key])
	}
}

// addArgument adds the paths in one argument.
func (a arguments) addArgument(key string, v any) {
	if !a.t.disk.spend(1) {
		a.t.why.markUnknown(shell.Doubt{Cause: shell.TooMany, Word: key, By: a.tool, Reads: true,
			Writes: a.writes})
		return
	}
	switch v := v.(type) {
	case string:
		a.addText(key, v)
	case []any:
		if key == command {
			a.addWords(v)
			key = ""
		}
		for _, one := range v {
			a.addArgument(key, one)
		}
	case map[string]any:
		for _, name := range value.SortedKeys(v) { // {"files": {"a.txt": "text"}}
			a.addText("", name)
		}
		a.addArguments(v)
	}
}

// addWords adds the paths that a command touches, if it is a list of words.
func (a arguments) addWords(list []any) {
	var words []string
	for _, one := range list {
		word, ok := one.(string)
		if !ok {
			return
		}
		words = append(words, word)
	}
	if line, err := shell.Quote(words); err == nil {
		a.t.addCommand(line)
	}
}

// command is the name of an argument with a command line.
const command = "command"

// addText adds the paths in a text.
func (a arguments) addText(key, text string) {
	switch {
	case key == command:
		a.t.addCommand(text)
	case subject.IsPath(key):
		name := shell.WithoutScheme(text)
		a.t.why.now = origin{by: a.tool, word: name}
		a.t.addPath(name, false)
		before := len(a.t.writes)
		a.t.addPath(name, a.writes)
		a.t.fills = append(a.t.fills, a.t.writes[before:]...)
	default:
		for _, m := range shell.Spellings(strings.TrimSpace(text)) {
			m.By, m.Writes = a.tool, a.writes
			a.t.addMaybe(m, false)
		}
	}
}

// addSubject adds the path that the subject names.
func (t *Touched) addSubject(s *subject.Subject, args map[string]any) {
	name := cmp.Or(value.Text(args, s.Arg), s.Absent)
	if s.Within != "" {
		switch below, _ := glob.Split(filepath.ToSlash(value.Text(args, s.Within))); {
		case filepath.IsAbs(below):
			name = below
		case below != ".":
			name += "/" + below
		}
	}
	t.why.now.word = name
	if s.Reads {
		t.addPath(name, false)
	}
	if s.Writes {
		t.addPath(name, true)
		t.fills = t.writes
	}
	if !s.Below {
		return
	}
	n := len(t.readsDeep)
	t.addFolder(name, false)
	if fits, err := glob.Filter(value.Text(args, s.Filter)); s.Filter != "" && err == nil {
		for i := range t.readsDeep[n:] {
			t.readsDeep[n+i].fits = fits
		}
	}
}
