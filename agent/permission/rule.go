// This file parses rules.

package permission

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/shell"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/suggest"
)

// maxRule limits a rule, in bytes: it is shown in a dialog.
const maxRule = 1000

// rule is one rule.
type rule struct {
	text    string       // as written
	place   string       // where it is written, such as config.toml:3; "" = unknown
	tool    string       // a name, or a glob of names
	subject subject.Kind // the text in parentheses; "" = there are none
	// of a path: it matches every call that touches such a file; only writing
	everywhere, writes bool
	command            shell.CommandPattern
	pattern            string // of paths, in the syntax of engine/glob, absolute
	body               string // of a url or a name
	wild               bool   // it is invalid: it matches every call of its tool
}

// named returns the rule as written, and where.
func (r *rule) named() string {
	if r.place == "" {
		return r.text
	}
	return r.text + " of " + r.place
}

// places are the meanings of . and ~ in paths.
type places struct{ project, user string }

var toolName = lazyregexp.New(`^[A-Za-z0-9_.*?-]+$`)

// tools are the program's tools. Rules about them may have parentheses.
type tools []*engine.Tool

func declared() tools { return tool.Declared() }

// declared returns the subject that the program's tool of a name declares; never nil.
func (ts tools) declared(name string) *subject.Subject {
	for _, t := range ts {
		if t.Name == name {
			return t.Subject
		}
	}
	return &subject.Subject{}
}

// subject returns the subject of a tool's calls; it is never nil. A tool that replaces a built-in
// one and declares no subject has the subject of the built-in tool.
func (ts tools) subject(name string, t *engine.Tool) *subject.Subject {
	if t != nil && t.Subject != nil {
		return t.Subject
	}
	return ts.declared(name)
}

// names returns the names of the tools; with are those that allow parentheses.
func (ts tools) names() (all, with []string) {
	for _, t := range ts {
		if all = append(all, t.Name); t.Subject.Kind != "" {
			with = append(with, t.Name)
		}
	}
	return all, with
}

// parseRule parses a rule.
func (ts tools) parseRule(text string, at places) (rule, error) {
	text = strings.TrimSpace(text)
	r := rule{text: text}
	body, hasBody := "", false
	r.tool, body, hasBody = strings.Cut(text, "(")
	switch {
	case len(text) > maxRule:
		return r, fmt.Errorf("longer than %d bytes", maxRule)
	case !toolName().MatchString(r.tool):
		return r, fmt.Errorf(
			"got %q, want the name of a tool, such as bash(git push *), write(./src/**) or "+
				"mcp__docs__*", plain.Clip(text, shownRule))
	case ts.checkName(r.tool) != nil:
		return r, ts.checkName(r.tool)
	case !hasBody:
		return r, nil
	case !strings.HasSuffix(body, ")"):
		return r, fmt.Errorf("got %q, want a ) at the end", plain.Clip(text, shownRule))
	}
	body = strings.TrimSpace(strings.TrimSuffix(body, ")"))
	_, names := ts.names()
	about := ts.declared(r.tool)
	r.subject, r.everywhere, r.writes = about.Kind, about.Everywhere, about.Writes
	switch {
	case r.subject == "":
		return r, fmt.Errorf("%s: only %s take (...)%s; write the name alone",
			plain.Clip(r.tool, shownRule), strings.Join(names, ", "),
			suggest.DidYouMean(r.tool, names))
	case body == "":
		return r, fmt.Errorf("the parentheses are empty: %s alone matches every call of it",
			r.tool)
	case r.subject == subject.Command:
		r.command = shell.ReadCommandPattern(body)
	case r.subject == subject.Path:
		return r, r.setPath(body, at)
	case r.subject == subject.URL && !strings.Contains(body, "://") &&
		!strings.HasPrefix(body, "*"):
		return r, errors.New("want an address such as https://example.com/*")
	default:
		r.body = body
	}
	return r, nil
}

// checkName returns an error for a name that matches no tool because of its spelling, or because it
// is another host's name for a tool. A lower-case name may belong to a tool of a script or a
// server.
func (ts tools) checkName(tool string) error {
	known, _ := ts.names()
	if err := event.CheckToolFilter(tool); err != nil {
		return err
	}
	if err := event.CheckToolNames(tool, known, nil); err != nil &&
		(tool != strings.ToLower(tool) || event.OfServer(tool)) {
		return err
	}
	return nil
}

// unreadable replaces a rule that cannot be parsed.
func (ts tools) unreadable(text string) rule {
	known, _ := ts.names()
	tool, _, about := strings.Cut(strings.TrimSpace(text), "(")
	switch {
	case !toolName().MatchString(tool), ts.checkName(tool) != nil:
		tool = "*"
	// such rules are about files, which all tools touch
	case about && ts.declared(tool).Everywhere:
		tool = "*"
	// it was meant for a built-in tool
	case about && event.CheckToolNames(tool, known, known) != nil:
		tool = "*"
	}
	return rule{text: plain.Clip(text, shownRule) + " (which cannot be parsed)", tool: tool,
		wild: true}
}

// setPath makes a pattern from a path: it replaces . and ~, and only * and ? are special.
func (r *rule) setPath(body string, at places) error {
	base, rest, ok := glob.Base(body, at.project, at.user)
	first, _, _ := strings.Cut(filepath.ToSlash(body), "/")
	switch absolute := ok && base == ""; {
	case !absolute && first != "." && first != "~":
		return fmt.Errorf("got %q, want a path that begins with /, ./ (the project), ~/ or **/",
			plain.Clip(body, shownRule))
	case strings.Contains("/"+rest+"/", "/../"):
		return errors.New("a path with .. in it is none")
	case !ok: // no such folder, so it matches nothing
		r.pattern = nowhere
		return nil
	}
	r.pattern = cmp.Or(strings.TrimSuffix(glob.Join(base, plainSigns.Replace(rest)), "/"), "/")
	return glob.Check(r.pattern)
}

// nowhere is a pattern that matches no path.
const nowhere = "/\x00"

// shownRule is how many bytes of a rule an error shows.
const shownRule = 80

// plainSigns escapes the special characters of patterns that rules do not support.
var plainSigns = strings.NewReplacer(`\`, `\\`, "[", `\[`, "{", `\{`)

// covers reports whether the rule matches the name of the call's tool.
func (r *rule) covers(v *view) bool {
	if r.subject != "" {
		return v.tool == r.tool || v.about.RuledBy == r.tool
	}
	return glob.Text(r.tool, v.tool)
}
