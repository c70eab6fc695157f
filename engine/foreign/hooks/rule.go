// This file understands if: a permission rule that says which calls a hook is about.

package hooks

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/value"
)

// rule is a permission rule: Bash(git *). The hook runs for calls that it cannot judge.
type rule struct{ tool, pattern string }

// newRule parses a rule; nil if it is not understood.
func newRule(text string) *rule {
	tool, pattern, narrow := strings.Cut(strings.TrimSpace(text), "(")
	if narrow {
		var closed bool
		if pattern, closed = strings.CutSuffix(pattern, ")"); !closed {
			return nil
		}
	}
	if !toolWords().MatchString(strings.TrimSpace(tool)) || strings.ContainsRune(pattern, '|') {
		return nil
	}
	return &rule{strings.TrimSpace(tool), strings.TrimSpace(pattern)}
}

// toolWords matches the tool of a rule. A rule with another one is not understood.
var toolWords = lazyregexp.New(`^[A-Z][A-Za-z]*$|^mcp__[A-Za-z0-9_*-]+$|^[a-z0-9_-]*_[a-z0-9_-]*$`)

// covers are the tools besides its own that a rule for a tool is about.
var covers = map[string][]string{"Edit": {"Write", "NotebookEdit"},
	"Read": {"Grep", "Glob", "LS"}}

// fits reports whether a call may be one that the rule is about.
func (r *rule) fits(x *extension, run *engine.Run, tool string, in map[string]any,
	dir string) bool {
	names := claudeTools.names(tool)
	if !slices.ContainsFunc(names, func(name string) bool {
		return glob.Text(r.tool, name) || strings.HasPrefix(r.tool, "mcp__") &&
			strings.HasPrefix(name, r.tool+"__") || slices.Contains(covers[r.tool], name)
	}) {
		return false
	}
	if r.pattern == "" || r.pattern == "*" {
		return true
	}
	switch names[0] {
	case "Bash":
		return r.fitsLine(x, run, value.Text(in, "command"))
	case "WebFetch":
		domain, is := strings.CutPrefix(r.pattern, "domain:")
		u, err := url.Parse(value.Text(in, "url"))
		return !is || err != nil || glob.Text(strings.ToLower(domain),
			strings.TrimSuffix(strings.ToLower(u.Hostname()), "."))
	}
	file := value.Text(in, "file_path") + value.Text(in, "path")
	return file == "" || r.fitsFile(in, file, dir)
}

// fitsLine reports whether a command line may run what the rule is about.
func (r *rule) fitsLine(x *extension, run *engine.Run, line string) bool {
	pattern := r.pattern
	if p, ok := strings.CutSuffix(pattern, ":*"); ok {
		pattern = p + " *"
	}
	bare, ends := strings.CutSuffix(pattern, " *")
	first, _, _ := strings.Cut(pattern, " ")
	parsed, err := x.api.Invoke(run, "shell.parse", line)
	plain, wrong := value.Plain(parsed)
	m, _ := plain.(map[string]any)
	opaque, _ := m["opaque"].([]any)
	if err != nil || wrong != nil || m["ok"] != true || len(opaque) > 0 ||
		glob.Text(pattern, line) {
		return true
	}
	commands, _ := m["commands"].([]any)
	for _, c := range commands {
		command, _ := c.(map[string]any)
		name, known := command["name"].(string)
		if !known {
			return true
		}
		words, static := []string{name}, true
		argv, _ := command["argv"].([]any)
		for _, w := range argv[min(1, len(argv)):] {
			word, _ := w.(string)
			words = append(words, word)
		}
		list, _ := command["static"].([]any)
		for _, s := range list {
			static = static && s == true
		}
		text := strings.Join(words, " ")
		if glob.Text(pattern, text) || ends && text == bare || !static && glob.Text(first, name) {
			return true
		}
	}
	return false
}

// fitsFile reports whether the rule is about a file: its pattern is one of gitignore.
func (r *rule) fitsFile(in map[string]any, file, dir string) bool {
	pattern, name := r.pattern, filepath.ToSlash(file)
	switch {
	case strings.HasPrefix(pattern, "~"):
		return true // a home is not the same for all
	case strings.HasPrefix(pattern, "//"):
		pattern, name = pattern[1:], path.Clean(name)
	default:
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return true
		}
		name = filepath.ToSlash(rel)
		if !strings.Contains(strings.Trim(pattern, "/"), "/") && !strings.HasPrefix(pattern, "/") {
			pattern = "**/" + pattern
		}
		pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	}
	if glob.Check(pattern) != nil {
		return true
	}
	if r.tool == "Read" && !strings.HasPrefix(name, "..") && value.Text(in, "file_path") == "" {
		return true // a search in a folder may find it
	}
	for ; name != "." && name != "/"; name = path.Dir(name) { // a folder has what is in it
		if glob.Match(strings.TrimSuffix(pattern, "/"), name) {
			return true
		}
	}
	return false
}
