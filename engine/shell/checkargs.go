// This file matches the arguments of commands against globs, and distinguishes certain matches from
// possible ones.

package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/lazyregexp"
)

// touches reports whether an argument matches one of the rule's globs.
func (r *Rule) touches(c *Command, a *args) (best answer) {
	for i := 1; i < len(c.Argv); i++ {
		for _, g := range r.Args {
			best = max(best, argument{c, i, a}.fits(g))
		}
		if best == yes {
			return yes
		}
	}
	if c.Open {
		return max(best, maybe)
	}
	return best
}

// argument is a word of a command that a rule is checked against.
type argument struct {
	c *Command
	i int   // its place in Argv
	a *args // of c
}

// fits reports whether the word, or something named in it, matches a glob.
func (x argument) fits(g string) answer {
	c, i, a := x.c, x.i, x.a
	w := c.Argv[i]
	if c.Static[i] {
		for _, one := range parts(w, a) {
			if glob.Match(g, one) || glob.Match(g, path.Clean(one)) {
				return yes
			}
		}
		if !c.info[i].glob {
			return x.elsewhere(g)
		}
	}
	// Its known beginning matches that of the glob.
	begins, fixed := c.info[i].prefix, g
	if at := strings.IndexAny(g, `*?[{\`); at >= 0 {
		fixed = g[:at]
	}
	if c.info[i].splits {
		return maybe
	}
	if shapes := c.info[i].shapes; shapes != nil {
		return meets(shapes, a, g)
	}
	for _, p := range parts(begins, a) {
		if strings.HasPrefix(p, fixed) || strings.HasPrefix(fixed, p) ||
			strings.Contains(p, "..") || strings.Contains(p, "//") || strings.Contains(p, "/./") {
			return maybe
		}
	}
	return no
}

// meets reports whether a word of which parts are unknown may match a glob. The names of git begin
// with a letter, usually: docs/shell.md.
func meets(shapes []string, a *args, g string) answer {
	for _, shape := range shapes {
		for _, p := range parts(shape, a) {
			if p == gitName && strings.ContainsAny(g[:min(1, len(g))], "-+:./~") {
				continue
			}
			if glob.Meets(g, strings.ReplaceAll(p, gitName, glob.Unknown)) {
				return maybe
			}
		}
	}
	return no
}

// elsewhere reports whether the word may match a glob because its path leaves the directory, or
// because the line has changed the directory: rm ../../etc/passwd; cd /etc; rm passwd.
func (x argument) elsewhere(g string) answer {
	c, i, a := x.c, x.i, x.a
	if !strings.Contains(g, "/") {
		return no
	}
	for _, one := range parts(c.Argv[i], a) {
		if rooted(one) || one[0] == '-' {
			continue
		}
		if rest, up := above(one); up && (glob.Match(g, "/"+rest) || glob.Match(g, "~/"+rest)) {
			return maybe
		}
		if c.in == nil {
			continue
		}
		if c.in.lost || anyOf(c.in.now,
			func(dir string) bool { return dir != "" && glob.Match(g, path.Join(dir, one)) }) {
			return maybe
		}
	}
	return no
}

// above returns the rest of a path after the .. elements at its beginning, and reports whether it
// has any.
func above(p string) (rest string, up bool) {
	rest = path.Clean(p)
	for strings.HasPrefix(rest, "../") {
		rest, up = rest[len("../"):], true
	}
	return rest, up
}

// parts returns a word and what may be named in it: the value of a flag, the target of a refspec.
func parts(w string, a *args) []string {
	out := []string{w}
	if _, value, ok := strings.Cut(w, "="); ok && value != "" {
		out = append(out, value)
	}
	if len(w) > 2 && w[0] == '-' && w[1] != '-' {
		out = append(out, w[2:])
	}
	if a.program == "git" || a.program == "scp" || a.program == "rsync" || a.program == "docker" ||
		a.program == "podman" {
		for p := range strings.SplitSeq(strings.TrimPrefix(w, "+"), ":") {
			out = append(out, p, strings.TrimPrefix(strings.TrimPrefix(p, "refs/heads/"), "heads/"))
		}
	}
	return out
}

// surely reports whether a rule that exempts or allows certainly matches a command.
func (r *Rule) surely(c *Command, a *args) bool {
	if c.Name == "" || c.Open || len(r.Cmd) > 0 &&
		!anyOf(r.Cmd, func(n string) bool {
			fit, _ := path.Match(n, c.Argv[0])
			return fit
		}) {
		return false
	}
	if len(r.Sub) > 0 && (a.unsure || len(a.subs) > 0 || !contains(r.Sub, a.sub)) {
		return false
	}
	for _, f := range r.Flags {
		if !a.surelyHas(f) {
			return false
		}
	}
	if len(r.AnyFlags) > 0 && !anyOf(r.AnyFlags, a.surelyHas) {
		return false
	}
	return len(r.Args) == 0 || r.covers(c, a)
}

// surelyHas reports whether a command has a flag and no other flag that cancels it.
func (a *args) surelyHas(name string) bool {
	names, found := a.set.names(name), false
	for _, f := range a.flags {
		if n, ok := strings.CutPrefix(f.name, "no-"); ok && f.long &&
			anyOf(names, func(one string) bool { return strings.HasPrefix(one, n) }) {
			return false
		}
		found = found || f.sure && contains(names, f.name)
	}
	return found && !a.more
}

// covers reports whether the command has operands and each of them matches one of the rule's globs.
func (r *Rule) covers(c *Command, a *args) bool {
	n := 0
	for _, i := range a.operands {
		if i < a.first {
			continue
		}
		w := c.Argv[i]
		if !c.Static[i] || c.info[i].glob && (strings.Contains(w, "/.") ||
			strings.HasPrefix(w, ".")) {
			return false
		}
		if !anyOf(r.Args, func(g string) bool {
			return glob.Match(g, w) &&
				glob.Match(g, path.Clean(w))
		}) {
			return false
		}
		n++
	}
	return n > 0
}

// wrapping are programs that only run another one; rules that allow ignore them.
var wrapping = []string{"time", "timeout", "nice", "nohup", "command", "stdbuf", "ionice",
	"builtin"}

// allowed reports whether rules allow each part of the command line.
func (s *Script) allowed(rules *Rules, sorted []*args) bool {
	if len(rules.Allow) == 0 || s.Err != nil || len(s.Commands) == 0 || len(s.Opaque()) > 0 {
		return false
	}
	for _, to := range s.Redirects {
		if to.Path == "" || to.Writes && to.Path != "/dev/null" {
			return false
		}
	}
	some := false
	for i := range s.Commands {
		c := &s.Commands[i]
		if len(c.Argv) == 0 && rules.onlySets(c) {
			continue
		}
		if len(c.Argv) == 0 || anyOf(c.Assign, Changes) || !rules.known(c) ||
			rules.hides(c) || c.launchesByFlag() {
			return false
		}
		if c.Open { // see known
			closed := *c
			closed.Open, c = false, &closed
		}
		switch {
		case slices.ContainsFunc(rules.Allow, func(r Rule) bool {
			return r.surely(c, sorted[i]) && (len(r.Sub) == 0 || sorted[i].begins(c)) &&
				(r.Unless == nil || !r.Unless.may(c, sorted[i]))
		}):
			some = true
		case !contains(wrapping, c.Name):
			return false
		}
	}
	return some
}

// ownVariable matches the names of variables that a line sets for itself.
var ownVariable = lazyregexp.New(`^[a-z][a-z0-9_]*$`)

// onlySets reports whether c, which has no words, only sets variables for the line.
func (r *Rules) onlySets(c *Command) bool {
	return r.Reading != nil && len(c.Assign) > 0 && !anyOf(c.Assign,
		func(name string) bool { return !ownVariable().MatchString(name) })
}

// known reports whether the words of c are known well enough for rules that allow.
func (r *Rules) known(c *Command) bool {
	if c.Open && (len(c.Via) == 0 || c.Via[len(c.Via)-1] != "xargs" ||
		!contains(r.Reading, c.Name)) {
		return false
	}
	for i, static := range c.Static {
		if !static && (r.Reading == nil || i == 0 || c.info[i].mayFlag(c.Argv[i])) {
			return false
		}
	}
	return true
}

// hides reports whether it is unknown what c runs. What xargs runs is a command of its own.
func (r *Rules) hides(c *Command) bool {
	return c.Hides != "" && (c.opaque() != "" || c.script() != "") &&
		(r.Reading == nil || c.Name != "xargs" || c.Hides != "stdin")
}

// begins reports whether the subcommand follows the program, or flags of git that add no effect.
func (a *args) begins(c *Command) bool {
	return !anyOf(c.Argv[1:max(1, a.first-1)], func(w string) bool {
		return a.program != "git" || w != "--no-pager" && w != "-P"
	})
}

// launchesByFlag reports whether a flag of c tells it to run another program: rg --pre, tar
// --to-command, go test -exec.
func (c *Command) launchesByFlag() bool {
	return anyOf(carriers()[c.Name], func(w string) bool {
		return (w[0] == '-' || w[0] == '+') && anyOf(c.Argv[1:],
			func(a string) bool { return spells(a, w) })
	})
}

// may reports whether a rule may match a command.
func (r *Rule) may(c *Command, a *args) bool { return r.matches(c, a) != no }

// Changes reports whether a variable may change what a command does. All but a few may.
func Changes(name string) bool {
	return !strings.HasPrefix(name, "LC_") &&
		!contains([]string{"LANG", "LANGUAGE", "TZ", "CI", "NO_COLOR", "FORCE_COLOR",
			"COLUMNS"}, name)
}
