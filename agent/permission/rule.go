// This file reads rules.

package permission

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/shell"
	"github.com/agentscripts/agent/engine/suggest"
)

// maxRule bounds a rule, in bytes: it is shown in a dialog.
const maxRule = 1000

// rule is one rule.
type rule struct {
	text    string             // as it is written
	tool    string             // a name, or a glob of names
	subject engine.SubjectKind // the text in parentheses; "" = there are none
	// of a path: it is about every call that touches such a file; about writing it
	everywhere, writes bool
	command            shell.CommandPattern
	pattern            string // of paths, as engine/glob reads it, from the root
	body               string // of a url or a name
	wild               bool   // it could not be read: it is about every call of its tool
}

// places are what . and ~ stand for in paths.
type places struct{ project, user string }

var toolName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_.*?-]+$`)
})

// tools are the tools that the program brings. Rules about them may say more in parentheses.
type tools []*engine.Tool

func declared() tools { return tool.Declared() }

// declared returns what the program's tool of a name says of its calls; never nil.
func (ts tools) declared(name string) *engine.Subject {
	for _, t := range ts {
		if t.Name == name {
			return t.Subject
		}
	}
	return &engine.Subject{}
}

// subject returns the subject of a tool's calls; it is never nil. A tool that replaces a built-in
// one and declares no subject has the subject of the built-in tool.
func (ts tools) subject(name string, t *engine.Tool) *engine.Subject {
	if t != nil && t.Subject != nil {
		return t.Subject
	}
	return ts.declared(name)
}

// names are those of the tools; with are the ones that take parentheses.
func (ts tools) names() (all, with []string) {
	for _, t := range ts {
		if all = append(all, t.Name); t.Subject.Kind != "" {
			with = append(with, t.Name)
		}
	}
	return all, with
}

// parseRule reads a rule.
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
		return r, fmt.Errorf("nothing stands in the parentheses: %s alone is every call of it",
			r.tool)
	case r.subject == engine.SubjectCommand:
		r.command = shell.ReadCommandPattern(body)
	case r.subject == engine.SubjectPath:
		return r, r.setPath(body, at)
	case r.subject == engine.SubjectURL && !strings.Contains(body, "://") &&
		!strings.HasPrefix(body, "*"):
		return r, errors.New("want an address such as https://example.com/*")
	default:
		r.body = body
	}
	return r, nil
}

// checkName reports a name that fits no tool because it is spelled in another way, or is what
// another host calls a tool. In lower case it may be that of a tool which a script or a server
// brings.
func (ts tools) checkName(tool string) error {
	known, _ := ts.names()
	if err := event.CheckToolFilter(tool); err != nil {
		return err
	}
	if err := event.CheckToolNames(tool, known, nil); err != nil &&
		(tool != strings.ToLower(tool) || strings.HasPrefix(tool, "mcp__")) {
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
	// those are about files, which all tools touch
	case about && ts.declared(tool).Everywhere:
		tool = "*"
	// it is meant for a built-in tool
	case about && event.CheckToolNames(tool, known, known) != nil:
		tool = "*"
	}
	return rule{text: plain.Clip(text, shownRule) + " (which cannot be read)", tool: tool,
		wild: true}
}

// setPath makes a pattern of a path: . and ~ are replaced, and of the signs of patterns only * and
// ? have a meaning.
func (r *rule) setPath(body string, at places) error {
	base, rest := "", filepath.ToSlash(body)
	switch {
	case rest == "." || strings.HasPrefix(rest, "./"):
		base, rest = at.project, rest[1:]
	case rest == "~" || strings.HasPrefix(rest, "~/"):
		base, rest = at.user, rest[1:]
	case filepath.IsAbs(body), strings.HasPrefix(rest, "/"), strings.HasPrefix(rest, "**"):
	default:
		return fmt.Errorf("got %q, want a path that begins with /, ./ (the project), ~/ or **/",
			plain.Clip(body, shownRule))
	}
	if strings.Contains("/"+rest+"/", "/../") {
		return errors.New("a path with .. in it is none")
	}
	if base == "" && rest != filepath.ToSlash(body) { // no such folder, so no files
		r.pattern = nowhere
		return nil
	}
	r.pattern = strings.TrimSuffix(glob.Escape(filepath.ToSlash(base))+plainSigns.Replace(rest),
		"/")
	if r.pattern == "" {
		r.pattern = "/"
	}
	return glob.Check(r.pattern)
}

// nowhere is a pattern that no path fits.
const nowhere = "/\x00"

// shownRule is how many bytes of a rule an error shows.
const shownRule = 80

// plainSigns takes the meaning from the signs of patterns that rules do not have.
var plainSigns = strings.NewReplacer(`\`, `\\`, "[", `\[`, "{", `\{`)

// covers reports whether the rule is about a call by the tool's name.
func (r *rule) covers(v *view) bool {
	if r.subject != "" {
		return v.tool == r.tool || v.about.RuledBy == r.tool
	}
	return glob.Text(r.tool, v.tool)
}
