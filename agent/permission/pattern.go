// This file finds the rule that "always" stores: wide enough to be useful, and no wider.

package permission

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/subject"
)

// Pattern implements engine.Rules.
func (r *Rules) Pattern(c *engine.Call, t *engine.Tool) string {
	if r.o.Home == "" || t == nil {
		return ""
	}
	text := ""
	switch v := r.view(c, t); {
	case v.about.Kind == subject.Command:
		text = about(v.tool, v.script().Pattern())
	case v.about.Kind == subject.Path && v.about.Writes:
		text = about(cmp.Or(v.about.RuledBy, v.tool), r.written(v))
	case v.about.Kind == subject.URL:
		if scheme, rest, ok := strings.Cut(v.url, "://"); ok {
			host, _, _ := strings.Cut(rest, "/")
			text = about(v.tool, scheme+"://"+host+"/*")
		}
	case t.Server != "":
		text = v.tool
	}
	one, err := r.tools.parseRule(text, places{r.o.Project, r.o.User})
	if text == "" || err != nil {
		return ""
	}
	if _, ok := allowed([]rule{one}, r.view(c, t)); !ok { // it must allow this call
		return ""
	}
	return text
}

// CheckAllow implements engine.Rules.
func (r *Rules) CheckAllow(text string, c *engine.Call, t *engine.Tool) error {
	one, err := r.tools.parseRule(text, places{r.o.Project, r.o.User})
	if err != nil {
		return err
	}
	// other rules may allow the other parts of a command
	all := slices.Concat([]rule{one}, r.always(), r.session(), r.allow)
	if _, ok := allowed(all, r.view(c, t)); !ok {
		return errors.New("the rule does not let this call pass: it would ask again")
	}
	return nil
}

// about returns a rule about a tool; "" if there is no pattern.
func about(tool, pattern string) string {
	if pattern == "" {
		return ""
	}
	return tool + "(" + pattern + ")"
}

// written returns the rule pattern for a file that is written. It returns "" if the file is not in
// the project or is hidden, as files in .git and .github are, since those decide what runs.
func (r *Rules) written(v *view) string {
	root, _ := realpath.Of(r.o.Project)
	writes := v.touched().Writes()
	if len(writes) == 0 {
		return ""
	}
	real := writes[len(writes)-1]
	rel, ok := realpath.Below(root, real)
	if !ok || strings.ContainsAny(rel, "*?()\n") {
		return ""
	}
	for part := range strings.SplitSeq(rel, "/") {
		if strings.HasPrefix(part, ".") { // .git/hooks, .agent, .github
			return ""
		}
	}
	return "./" + rel
}
