// This file checks command lines against rules about programs, also if they are wrapped or quoted.

package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"
)

// Rule describes commands. A field that is not set matches anything.
type Rule struct {
	Cmd      []string // names of programs, or globs of them
	Sub      []string // the first word after the program's own flags
	Flags    []string // all of them, without dashes
	AnyFlags []string // one of them
	// Args are globs, one of which must match an argument. In a rule that exempts or allows, each
	// argument must match one of them.
	Args   []string
	Unless *Rule // exempts
	Reason string

	// Set by CommandPattern.Rules.
	words  []string // those of the command, in order; nil = any
	line   []string // the operands, in order; nil = any
	values []string // each fits a word, or the value of a flag
}

// Rules are the rules that a command line is checked against.
type Rules struct {
	Deny, Ask, Allow []Rule
	// Opaque says what to do about unknown parts: "ask" (the default), "deny" or "allow".
	Opaque string
	// Reading says that programs which Allow covers only read, whatever words they get that are no
	// flags. Then words may hold variables, which the line may set if their names are in lower
	// case, and xargs may add words to these programs; nil = not.
	Reading []string
}

// Verdict is the result of checking a command line.
type Verdict struct {
	Decision string // "deny", "ask", "allow" or "": nothing
	Command  string // the command that decided, as written
	Reason   string // the reason of the rule; "" = it has none, or no rule decided
	Doubt    bool   // it is unknown whether the rule matches, or what the command does
	// Why says what is unknown and how to write the line so that it is known; if there is no doubt,
	// what the command means, if that is not what is written. "" = it is as written.
	Why string
}

// answer says whether a rule matches a command. If that is unknown, it is maybe.
type answer int

const (
	no answer = iota
	maybe
	yes
)

// Check compares the command line with rules. deny takes precedence over ask, and ask over allow.
// If a deny rule may match, the result is ask. A command line is allowed only if every word is
// known and a rule allows each of its parts. An unknown part is never treated as harmless.
func (s *Script) Check(r *Rules) Verdict {
	var ask, doubt, open *Verdict
	left, wrote := maxGuessed, sync.OnceValue(s.wrote)
	sorted, both := make([]*args, len(s.Commands)), append(slices.Clone(r.Deny), r.Ask...)
	for i := range s.Commands {
		if c := &s.Commands[i]; len(c.Argv) > 0 {
			sorted[i] = c.sorted()
		}
	}
	for i := range s.Commands {
		c := &s.Commands[i]
		if rule, found := first(r.Deny, c, sorted[i]); found == yes {
			return Verdict{"deny", c.Text, rule.Reason, false, meaningOf(c)}
		} else if found == maybe && doubt == nil {
			doubt = asking(c, rule.Reason, doubtAbout(c, sorted[i]))
		}
		if rule, found := first(r.Ask, c, sorted[i]); ask == nil && found == maybe {
			ask = asking(c, rule.Reason, doubtAbout(c, sorted[i]))
		} else if ask == nil && found == yes {
			ask = &Verdict{"ask", c.Text, rule.Reason, false, meaningOf(c)}
		}
		if doubt == nil {
			doubt = carried(both, c, wrote, &left)
		}
	}
	if asks := len(r.Deny)+len(r.Ask) > 0 || r.Opaque != ""; asks {
		open = s.unknown()
	}
	switch {
	case ask != nil && !ask.Doubt:
		return *ask
	case r.Opaque == "deny" && cmp.Or(doubt, ask, open) != nil:
		v := *cmp.Or(doubt, ask, open)
		v.Decision = "deny"
		return v
	case r.Opaque != "allow" && cmp.Or(doubt, ask, open) != nil:
		return *cmp.Or(doubt, ask, open)
	case s.allowed(r, sorted):
		return Verdict{Decision: "allow"}
	}
	return Verdict{}
}

// unknown returns the first part of the script that is unknown, or nil.
func (s *Script) unknown() *Verdict {
	if s.Err != nil {
		why := Doubt{Cause: unreadable, Word: s.Err.Error()}
		return &Verdict{Decision: "ask", Doubt: true, Why: why.Explain()}
	}
	if o := s.Opaque(); len(o) > 0 {
		why := Doubt{Cause: Cause(o[0].Kind), Word: o[0].Text}
		return &Verdict{"ask", o[0].Text, "", true, why.Explain()}
	}
	return nil
}

// asking returns the verdict that it is unknown whether a rule matches c.
func asking(c *Command, reason string, why Doubt) *Verdict {
	return &Verdict{"ask", c.Text, reason, true, why.Explain()}
}

// first returns the rule that matches a command best.
func first(rules []Rule, c *Command, a *args) (rule *Rule, best answer) {
	for i := range rules {
		if a == nil {
			break
		}
		if got := rules[i].matches(c, a); got > best {
			rule, best = &rules[i], got
		}
	}
	return rule, best
}

// carried checks what a command may run among its words, until left reaches zero.
func carried(rules []Rule, c *Command, wrote func() *wrote, left *int) *Verdict {
	if len(rules) == 0 {
		return nil
	}
	g, carries := c.guesses(left), c.carries()
	asks := func(one *Command, doubts bool) *Verdict {
		if len(one.Argv) == 0 || !named(rules, one.Name) || !g.spend(len(one.Argv)) {
			return nil
		}
		if rule, found := first(rules, one, one.sorted()); found == yes || found == maybe &&
			doubts {
			return asking(c, rule.Reason, Doubt{Cause: carriesCommand, By: c.Name,
				Word: strings.Join(one.Argv, " ")})
		}
		return nil
	}
	for i := range g.all {
		one := &g.all[i]
		if v := asks(one, carries || one.Open || unknownIn(one.Static)); v != nil {
			return v
		}
		if len(one.Argv) > 0 && ((carries || executable(one.Argv[0])) &&
			wrote().holds(one.Argv[0]) || Wraps(one.Name) && wrote().ran(one)) {
			return asking(c, "", Doubt{Cause: "file", Word: c.Text})
		}
	}
	for i := range g.loose {
		if v := asks(&g.loose[i], false); v != nil {
			return v
		}
	}
	if g.hides != "" {
		return asking(c, "", Doubt{Cause: Cause(g.hides), Word: c.Text})
	}
	return nil
}

// named reports whether a rule names a program, or none.
func named(rules []Rule, name string) bool {
	a := &args{program: programName(name)}
	git := strings.HasPrefix(a.program, "git-")
	return slices.ContainsFunc(rules, func(r Rule) bool {
		return r.names(a) == yes || git &&
			r.names(&args{program: "git"}) == yes
	})
}

// matches reports whether a rule matches a command.
func (r *Rule) matches(c *Command, a *args) answer {
	if c.Name == "" { // Check asks about unknown parts separately
		return no
	}
	got := r.names(a)
	if got == no {
		return no
	}
	// an alias: it may have flags of its own
	if got = min(got, r.does(a)); got == maybe && !a.unsure {
		return maybe
	}
	for _, f := range r.Flags {
		got = min(got, a.has(c, f))
	}
	if len(r.AnyFlags) > 0 {
		one := no
		for _, f := range r.AnyFlags {
			one = max(one, a.has(c, f))
		}
		got = min(got, one)
	}
	if len(r.Args) > 0 && got != no {
		got = min(got, r.touches(c, a))
	}
	if got != no {
		got = min(got, r.means(c, a))
	}
	if got != no && r.Unless != nil && r.Unless.surely(c, a) {
		return no
	}
	return got
}

// names reports whether the rule names the program.
func (r *Rule) names(a *args) answer {
	if len(r.Cmd) == 0 {
		return yes
	}
	for _, n := range r.Cmd {
		if fit, _ := path.Match(programName(n), a.program); fit {
			return yes
		}
	}
	return no
}

// does reports whether the rule's subcommand, flags and arguments match the command.
func (r *Rule) does(a *args) answer {
	if len(r.Sub) == 0 {
		return yes
	}
	for _, sub := range r.Sub {
		if a.sub != "" && sameWord(a.program, sub, a.sub) {
			return yes
		}
	}
	for _, sub := range r.Sub {
		if contains(a.subs, sub) {
			return yes
		}
	}
	// it may be an alias
	if a.unsure || a.program == "git" && a.sub != "" && !gitWords()[a.sub] {
		return maybe
	}
	return no
}

// has reports whether a command has a flag, in any spelling.
func (a *args) has(c *Command, name string) answer {
	names := a.set.names(name)
	for _, f := range a.flags {
		if contains(names, f.name) {
			return yes
		}
		if f.long && f.name != "" && a.set.same[f.name] == nil &&
			anyOf(names, func(n string) bool {
				return len(n) > 1 &&
					strings.HasPrefix(n, f.name)
			}) {
			return yes
		}
	}
	if a.implied(c, names) {
		return yes
	}
	if a.more {
		return maybe
	}
	return no
}

// implied reports whether a command has the effect of a flag without the flag.
func (a *args) implied(c *Command, names []string) bool {
	if a.program == "cp" && contains(names, "recursive") {
		return slices.ContainsFunc(a.flags, func(f flag) bool {
			return f.name == "a" ||
				f.name == "archive"
		})
	}
	if a.program != "git" {
		return false
	}
	force, del := contains(names, "force"), contains(names, "delete")
	switch a.sub {
	case "branch":
		return (force || del) && slices.ContainsFunc(a.flags,
			func(f flag) bool { return f.name == "D" }) ||
			force && slices.ContainsFunc(a.flags, func(f flag) bool {
				return f.name == "M" ||
					f.name == "C"
			})
	case "push", "send-pack":
		// -c remote.origin.push=+main
		pushes := func(w string) bool {
			return strings.Contains(w, ".push=+") || strings.Contains(w, ".mirror")
		}
		for i := range c.Argv {
			if force && (pushes(c.Argv[i]) || anyOf(c.may(i), pushes)) {
				return true
			}
		}
		if (force || del) && slices.ContainsFunc(a.flags,
			func(f flag) bool { return f.name == "mirror" }) {
			return true
		}
		return slices.ContainsFunc(a.operands, func(i int) bool {
			w := c.info[i].prefix
			return force && strings.HasPrefix(w, "+") || del && strings.HasPrefix(w, ":") &&
				len(w) > 1
		})
	}
	return false
}
