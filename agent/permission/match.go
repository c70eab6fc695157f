// This file matches calls with rules. Package engine/shell analyses commands, engine/touch finds
// the files that calls touch.

package permission

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/shell"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/touch"
	"github.com/agentscripts/agent/engine/value"
)

// view is the part of a call that rules see.
type view struct {
	call  engine.Call
	spec  *engine.Tool
	tool  string
	about *subject.Subject // of the tool; never nil
	raw   string           // the command, address or name
	url   string           // in its normal form; "" = it is not one
	// url without irrelevant parts: the default port, the dot after a host
	bare   string
	finder touch.Finder
	// decided returns the files that the engine has determined, for all that is decided about the
	// call; nil = it has not.
	decided func() engine.Touched

	parsed *shell.Script
	files  *touch.Touched
}

// script returns the parsed command, which is parsed when a rule first needs it; nil for other
// calls.
func (v *view) script() *shell.Script {
	if v.parsed != nil || v.about.Kind != subject.Command {
		return v.parsed
	}
	if t := v.touched(); t != nil {
		v.parsed = t.Script()
	}
	return v.parsed
}

// touched returns the files that the call touches, which are determined when a rule first needs
// them.
func (v *view) touched() *touch.Touched {
	if v.files != nil {
		return v.files
	}
	spec := v.spec
	// the tool itself opens only these
	if v.decided != nil && (v.about.Kind == "" || spec != nil && spec.Subject != nil) {
		v.files, _ = v.decided().(*touch.Touched)
	}
	if v.files == nil {
		if v.about.Kind != "" && (spec == nil || spec.Subject == nil) {
			spec = &engine.Tool{Subject: v.about}
		}
		v.files, _ = v.finder.Call(&v.call, spec).(*touch.Touched)
	}
	return v.files
}

// view returns the view of a call.
func (r *Rules) view(c *engine.Call, t *engine.Tool) *view {
	v := &view{call: *c, spec: t, tool: c.Tool, about: r.tools.subject(c.Tool, t),
		finder: r.finder}
	env := event.Envelope{}
	if c.Env != nil {
		env = *c.Env
	}
	if env.CWD == "" {
		env.CWD = r.o.Project
	}
	v.call.Env = &env
	if v.about.Kind != subject.Path {
		v.raw = value.Text(c.Args, v.about.Arg)
	}
	if v.about.Kind == subject.URL {
		v.url, v.bare = address(v.raw)
	}
	return v
}

// address returns an address in its normal form, without the user name before the host; and bare,
// without irrelevant parts.
func address(raw string) (usual, bare string) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Host == "" {
		return "", ""
	}
	p := u.EscapedPath()
	if clean := path.Clean("/" + p); p == "" || p[0] != '/' || strings.Contains(p, "/../") ||
		strings.HasSuffix(p, "/..") {
		p = clean
	}
	if u.RawQuery != "" {
		p += "?" + u.RawQuery
	}
	scheme, host, port := strings.ToLower(u.Scheme)+"://",
		strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" && port != map[string]string{"http://": "80", "https://": "443"}[scheme] {
		host += ":" + port
	}
	return scheme + strings.ToLower(u.Host) + p, scheme + host + p
}

// about reports whether the rule, a deny or an ask, matches a call, and if not, why it may; "" = it
// does not. It ignores commands.
func (r *rule) about(v *view) (is bool, doubt string) {
	switch {
	case r.subject == subject.Path && !r.wild:
		return r.touches(v)
	case !r.covers(v):
		return false, ""
	case r.subject == "" || r.wild:
		return true, ""
	case r.subject == subject.URL:
		if glob.Text(r.body, v.url) || glob.Text(r.body, v.bare) || glob.Text(r.body, v.raw) ||
			v.url == "" && v.raw != "" {
			return true, ""
		}
		if strings.ContainsFunc(v.raw, func(c rune) bool { return c > unicode.MaxASCII }) {
			return false, "letters of the address may look up as others"
		}
	case r.subject == subject.Name:
		return glob.Text(r.body, v.raw), ""
	}
	return false, ""
}

// touches reports whether a call of any tool, including a command, touches a file that the rule
// matches.
func (r *rule) touches(v *view) (is bool, doubt string) {
	if !r.everywhere && v.tool != r.tool {
		return false, ""
	}
	named, below, sure := v.touched().Find(r.access(), r.pattern)
	switch {
	case v.about.Names:
		return named, ""
	case v.about.Below && below:
		return named, "it searches a folder with such files"
	}
	if !sure && !(r.everywhere && v.holds(r)) {
		doubt = "the files that the call touches are unknown"
	}
	return named || below, doubt
}

// holds reports whether the sandbox keeps the call's program from all files that the rule matches.
func (v *view) holds(r *rule) bool {
	return v.spec.Holds(v.call.Args, r.access(), v.touched().Rooted(r.pattern))
}

// access returns the kind of access that a rule about paths matches.
func (r *rule) access() string {
	if r.writes {
		return "writes"
	}
	return "reads"
}

// doubt returns why the user is asked about a call that a rule may match: the program that may
// touch a file that the rule names, if only that is known, otherwise the rule and the reason.
func (r *rule) doubt(v *view, decision, why string) string {
	if r.subject != "path" {
		return r.named() + " (" + why + ")"
	}
	who := v.touched().Perhaps(r.access(), r.pattern)
	switch {
	case who == "":
		return r.named() + " (" + why + ")"
	case decision == "deny":
		return "(" + who + ", which the rule " + r.named() + " denies)"
	}
	return "(" + who + ", which the rule " + r.named() + " asks about)"
}

// because says why the call touches or may touch a file that the rule matches, if it names files
// otherwise than by a path of its own; otherwise it returns "".
func (r *rule) because(v *view) string {
	if r.subject != subject.Path || r.wild || v.about.Kind == subject.Path {
		return ""
	}
	return v.touched().Why(r.access(), r.pattern)
}

// commands returns the verdict of the rules about commands on a command line.
func (r *Rules) commands(v *view) shell.Verdict {
	if len(r.shell.Deny)+len(r.shell.Ask) == 0 || v.script() == nil {
		return shell.Verdict{}
	}
	verdict := v.script().Check(&r.shell)
	if verdict.Doubt {
		rule := cmp.Or(verdict.Reason, slices.Concat(r.shell.Deny, r.shell.Ask)[0].Reason)
		verdict.Reason = rule + " (it is unknown whether the command does that)"
	}
	return verdict
}

// allowed reports whether the rules cover all of a call, and returns one of them.
func allowed(rules []rule, v *view) (text string, ok bool) {
	var commands []shell.CommandPattern
	var texts []string
	for i := range rules {
		r := &rules[i]
		switch {
		case !r.covers(v):
		case r.subject == subject.Command:
			commands, texts = append(commands, r.command), append(texts, r.named())
		case r.subject == "",
			r.subject == subject.Path && v.touched().Only("writes", r.pattern),
			r.subject == subject.URL && v.url != "" && glob.Text(r.body, v.url),
			r.subject == subject.Name && glob.Text(r.body, v.raw):
			return r.named(), true
		}
	}
	if len(commands) == 0 || v.script() == nil {
		return "", false
	}
	which, ok := v.script().Allowed(commands)
	if !ok {
		return "", false
	}
	return texts[which], true
}
