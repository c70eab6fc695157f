// This file holds calls against rules.

package permission

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/shell"
)

// view is what rules look at in a call.
type view struct {
	tool   string
	raw    string // the command, address or name
	path   string // absolute, as it was given
	real   string // where that leads
	url    string // in its usual form; "" = it is none
	bare   string // the same without what makes no difference: the usual port, the dot behind a host
	parsed *shell.Script
}

// script is what a command of bash runs, read when a rule first asks; nil for other tools.
func (v *view) script() *shell.Script {
	if v.parsed == nil && v.tool == "bash" {
		v.parsed = shell.Parse(v.raw)
	}
	return v.parsed
}

// view reads a call.
func (r *Rules) view(c *engine.Call) *view {
	v := &view{tool: c.Tool}
	switch c.Tool {
	case "bash":
		v.raw = engine.Text(c.Args, "command")
	case "fetch":
		v.raw = engine.Text(c.Args, "url")
		v.url, v.bare = address(v.raw)
	case "skill":
		v.raw = engine.Text(c.Args, "name")
	case "read", "write", "edit", "ls", "grep", "glob":
		p := engine.Text(c.Args, "path")
		if rest, ok := strings.CutPrefix(p, "~"); ok && r.o.User != "" && (rest == "" || rest[0] == '/') {
			p = r.o.User + rest
		}
		if !filepath.IsAbs(p) {
			dir := r.o.Project
			if c.Env != nil && c.Env.CWD != "" {
				dir = c.Env.CWD
			}
			p = filepath.Join(dir, p)
		}
		v.path = filepath.Clean(p)
		v.real = real(v.path)
	}
	return v
}

// real is where a path leads: what is there of it is followed, the rest is as it is.
func real(p string) string {
	rest := ""
	for dir := p; ; dir = filepath.Dir(dir) {
		if found, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(found, rest)
		}
		if dir == filepath.Dir(dir) {
			return p
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// address is an address in its usual form, without what stands before the host; and bare, without what makes no difference.
func address(raw string) (usual, bare string) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Host == "" {
		return "", ""
	}
	p := u.EscapedPath()
	if clean := path.Clean("/" + p); p == "" || p[0] != '/' || strings.Contains(p, "/../") || strings.HasSuffix(p, "/..") {
		p = clean
	}
	if u.RawQuery != "" {
		p += "?" + u.RawQuery
	}
	scheme, host, port := strings.ToLower(u.Scheme)+"://", strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" && port != map[string]string{"http://": "80", "https://": "443"}[scheme] {
		host += ":" + port
	}
	return scheme + strings.ToLower(u.Host) + p, scheme + host + p
}

// touches reports whether a call is, or may be, what the rule denies or asks about.
func (r *rule) touches(v *view) bool {
	if !r.covers(v.tool) {
		return false
	}
	switch {
	case r.about == "" || r.wild:
		return true
	case r.about == "command" && v.tool == "bash":
		return slices.ContainsFunc(v.script().Commands, r.runs)
	case r.about == "path":
		return r.lies(v.path) || r.lies(v.real)
	case r.about == "url":
		return glob(r.body, v.url) || glob(r.body, v.bare) || glob(r.body, v.raw) || v.url == "" && v.raw != ""
	}
	return glob(r.body, v.raw)
}

// lies reports whether a path fits; a folder is below itself.
func (r *rule) lies(p string) bool {
	p = filepath.ToSlash(p)
	for _, re := range r.paths {
		if re.MatchString(p) || re.MatchString(strings.TrimSuffix(p, "/")+"/") {
			return true
		}
	}
	return false
}

// runs reports whether a command is one that the rule denies or asks about, however its program is written, and whatever flags
// stand before the first word: git -C /x push.
func (r *rule) runs(c shell.Command) bool {
	if len(c.Argv) == 0 {
		return false
	}
	for _, name := range []string{c.Argv[0], c.Name, strings.ToLower(c.Name)} {
		for i := 1; ; i++ {
			argv := append([]string{name}, c.Argv[min(i, len(c.Argv)):]...)
			if r.fits(argv) || glob(strings.Join(r.words, " "), strings.Join(argv, " ")) {
				return true
			}
			flag := i < len(c.Argv) && strings.HasPrefix(c.Argv[i], "-")
			value := i > 1 && i < len(c.Argv) && strings.HasPrefix(c.Argv[i-1], "-")
			if !flag && !value {
				break
			}
		}
	}
	return false
}

// fits reports whether words fit those of the rule: * alone is any words, none too.
func (r *rule) fits(words []string) bool {
	p, t, star, from := 0, 0, -1, 0
	for t < len(words) {
		switch {
		case p < len(r.words) && r.words[p] == "*":
			star, from = p, t
			p++
		case p < len(r.words) && glob(r.words[p], words[t]):
			p++
			t++
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	for p < len(r.words) && r.words[p] == "*" {
		p++
	}
	return p == len(r.words)
}

// hinted reports whether a command may be what the rule is about: it cannot be read, or what it runs is known only when it
// runs; or it hides what it does, and its text names what the rule is about; or it may run that among its words.
func (r *rule) hinted(v *view) bool {
	if r.about == "url" && v.tool == "fetch" { // letters that look up as others
		return strings.ContainsFunc(v.raw, func(c rune) bool { return c > unicode.MaxASCII }) && r.covers(v.tool)
	}
	if v.tool != "bash" || r.about != "command" || !r.covers(v.tool) {
		return false
	}
	s := v.script()
	if s.Err != nil {
		return true
	}
	hides := false
	for i := range s.Commands {
		c := &s.Commands[i]
		if c.Hides == "dynamic" || slices.ContainsFunc(c.Carried(), func(one shell.Command) bool { return len(one.Argv) == 0 && one.Hides != "" || r.runs(one) }) {
			return true
		}
		hides = hides || c.Hides != ""
	}
	return hides && r.named(v.raw)
}

// named reports whether a text names what the rule is about.
func (r *rule) named(text string) bool {
	i := slices.IndexFunc(r.words, func(w string) bool { return !strings.ContainsAny(w, "*?") }) // the program, mostly
	if i < 0 {
		return true
	}
	name := path.Base(r.words[i])
	bare := strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(text)
	return slices.ContainsFunc(strings.FieldsFunc(bare, func(c rune) bool {
		return !(c == '-' || c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c > 127)
	}), func(word string) bool { return strings.TrimLeft(word, "-.") == strings.TrimLeft(name, "-.") })
}

// allowed reports whether the rules cover all of a call, and names one of them.
func allowed(rules []rule, v *view) (text string, ok bool) {
	for i := range rules {
		r := &rules[i]
		switch {
		case !r.covers(v.tool) || r.about == "command":
		case r.about == "", r.about == "path" && r.lies(v.real), r.about == "url" && v.url != "" && glob(r.body, v.url), r.about == "name" && glob(r.body, v.raw):
			return r.text, true
		}
	}
	if v.tool != "bash" || !slices.ContainsFunc(rules, func(r rule) bool { return r.about == "command" }) {
		return "", false
	}
	s := v.script()
	if s.Err != nil {
		return "", false
	}
	for _, to := range s.Redirects {
		if to.Writes && to.Path != "/dev/null" || to.Path == "" {
			return "", false
		}
	}
	for i := range s.Commands {
		r := allowing(rules, s.Commands, i)
		if r == nil {
			return "", false
		}
		text = r.text
	}
	return text, text != ""
}

// allowing is the rule that allows command i; nil if none does.
func allowing(rules []rule, all []shell.Command, i int) *rule {
	c := &all[i]
	if c.Hides == "dynamic" || len(c.Argv) == 0 || slices.ContainsFunc(c.Assign, shell.Changes) || slices.Contains(c.Static, false) {
		return nil
	}
	for j := range rules {
		r := &rules[j]
		if r.about == "command" && r.fits(c.Argv) && (!shell.Wraps(c.Name) || r.words[0] == c.Argv[0]) {
			return r
		}
	}
	if len(c.Via) == 0 {
		return nil
	}
	// What runs it may be allowed together with it: timeout * go test *.
	for j := i - 1; j >= 0; j-- {
		by := &all[j]
		if len(by.Via) >= len(c.Via) || by.Name != c.Via[len(c.Via)-1] {
			continue
		}
		for k := range rules {
			r := &rules[k]
			if r.about == "command" && r.fits(by.Argv) && r.words[0] == by.Argv[0] && slices.Contains(r.words[1:], c.Argv[0]) {
				return r
			}
		}
		return nil
	}
	return nil
}
