// Package permission implements the user's standing rules about tool calls: those of config.toml,
// and those that the answer "always" stored.
//
//	rules := permission.New(permission.Options{Home: home, User: userHome, Project: project,
//		Deny: []string{"bash(git push *)"}})
//	engine.New(engine.Options{Rules: rules, ...})
//
// A rule names a tool, or a glob of names, and may say more about the call in parentheses:
//
//	mcp__docs__*                  these tools, whatever they are given
//	bash(git status *)            commands; * alone is any words, none too, within a word any text
//	write(./src/**)               files that are written; ** is any depth; /absolute,
//	                              ./ in the project, ~/ in the home directory
//	read(~/.ssh/**)               the same for files that are read
//	fetch(https://example.com/*)  addresses
//	skill(deploy)                 skills
//
// Deny and ask rules are as strict as guards. engine/shell matches commands with them; it knows
// flags in all spellings, quotes and wrappers such as sudo. Rules about files match the files that
// engine/touch finds, so that write(...) also applies to commands that write, and links are
// followed, whether or not their target exists. If neither can determine what a call does, the call
// asks. edit(...) means the same as write(...) in such rules; ls(...), grep(...) and glob(...) are
// only about these tools, and grep asks if it searches a folder with such files. An unknown program
// that gets a path that such a rule names may touch it, so that asks, too. It does not ask if the
// sandbox of the call keeps programs from all files that the rule matches: engine.Tool.Holds.
//
// An allow rule must match each part of a command word by word, and the command must hide nothing:
// no redirection writes a file, no variable changes which program runs. An allow rule for write or
// edit applies only if it names every file that they touch. The rules guide a cooperative model and
// are not a sandbox: what a program does with its arguments is unknown.
package permission

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/ledger"
	"github.com/agentscripts/agent/engine/shell"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/touch"
)

// Options configures Rules.
type Options struct {
	Home    string // the agent's own directory: where rules are stored; "" = nothing is stored
	User    string // the meaning of ~; "" = none
	Project string // the meaning of ., and the project of the answer "always"
	// Environment is that of command lines, as os.Environ returns it; nil = unknown.
	Environment []string
	// Deny, Ask and Allow are rules as the user wrote them. An invalid one of Deny or Ask asks
	// about each call that it may match; Check says what is wrong with it.
	Deny, Ask, Allow []string
	// Places are where rules are written, such as config.toml:3, by list ("deny") and text.
	Places map[string]map[string]string
	// Unread is the place of text that could not be parsed and may have been rules: then each call
	// asks, also of read-only tools. "" = none.
	Unread string
	// UnreadWhy says why, after the place; "" = the text cannot be parsed.
	UnreadWhy string
	// Keeper says which version of the stored rules is in force; nil = the file itself.
	Keeper ledger.Keeper
	Warn   func(text string) // called once with what is wrong with the stored rules; may be nil
}

// Rules are the user's rules. They implement engine.Rules and are safe for concurrent use.
type Rules struct {
	o                Options
	tools            tools
	finder           touch.Finder
	deny, ask, allow []rule
	shell            shell.Rules // the deny and ask rules about commands

	mu     sync.Mutex
	stored stored
	brief  []rule // of the session, not stored
	told   map[string]bool
}

var _ engine.Rules = (*Rules)(nil)

// New returns rules from the user's text. It reads files only when they are needed.
func New(o Options) *Rules {
	r := &Rules{o: o, tools: declared(), told: map[string]bool{},
		finder: touch.Finder{Home: o.User}.In(o.Environment)}
	at := places{project: o.Project, user: o.User}
	add := func(to *[]rule, one rule, list, text string) {
		one.place = o.Places[list][text]
		*to = append(*to, one)
	}
	for _, text := range o.Deny {
		if one, err := r.tools.parseRule(text, at); err == nil {
			add(&r.deny, one, "deny", text)
		} else {
			add(&r.ask, r.tools.unreadable(text), "deny", text)
		}
	}
	for _, text := range o.Ask {
		one, err := r.tools.parseRule(text, at)
		if err != nil {
			one = r.tools.unreadable(text)
		}
		add(&r.ask, one, "ask", text)
	}
	for _, text := range o.Allow {
		if one, err := r.tools.parseRule(text, at); err == nil {
			add(&r.allow, one, "allow", text)
		}
	}
	for _, one := range r.deny {
		r.shell.Deny = append(r.shell.Deny, one.command.Rules(one.named())...)
	}
	for _, one := range r.ask {
		r.shell.Ask = append(r.shell.Ask, one.command.Rules(one.named())...)
	}
	return r
}

// Check says what is wrong with a rule.
func Check(text string) error {
	_, err := declared().parseRule(text, places{project: "/", user: "/"})
	return err
}

// Decide implements engine.Rules.
func (r *Rules) Decide(c *engine.Call, t *engine.Tool,
	touched func() engine.Touched) (decision, text, why string) {
	readOnly := t != nil && t.ReadOnly
	// nothing can be refused, and a read-only call needs no permission
	if len(r.deny)+len(r.ask) == 0 && readOnly && r.o.Unread == "" {
		return "", "", ""
	}
	v := r.view(c, t)
	v.decided = touched
	if decision, text, why = r.refuses(v); decision != "" {
		return decision, text, why
	}
	switch {
	case r.o.Unread != "":
		why := " cannot be parsed and may contain rules: fix it"
		if r.o.UnreadWhy != "" {
			why = ": " + r.o.UnreadWhy
		}
		return "ask", "(" + r.o.Unread + why + ")", ""
	case readOnly:
		return "", "", ""
	}
	if text, ok := allowed(r.allow, v); ok {
		return "allow", text, ""
	}
	if text, ok := allowed(slices.Concat(r.always(), r.session(), r.allow), v); ok {
		return "allow", text, ""
	}
	return "", "", ""
}

// refuses checks a call against the deny rules, then the ask rules, then against both for possible
// matches. why says why the rule matches or may match.
func (r *Rules) refuses(v *view) (decision, text, why string) {
	verdict, doubt, because := r.commands(v), "", ""
	for _, rules := range []struct {
		decision string
		all      []rule
	}{{"deny", r.deny}, {"ask", r.ask}} {
		for _, one := range rules.all {
			is, why := one.about(v)
			if is {
				return rules.decision, one.named(), one.because(v)
			}
			if why != "" && doubt == "" {
				doubt, because = one.doubt(v, rules.decision, why), one.because(v)
			}
		}
		if verdict.Decision == rules.decision && !verdict.Doubt {
			return rules.decision, verdict.Reason, verdict.Why
		}
	}
	switch {
	case verdict.Decision != "":
		return "ask", verdict.Reason, verdict.Why
	case doubt != "":
		return "ask", doubt, because
	}
	return "", "", ""
}

// Paths returns the patterns of the deny and ask rules about files that are written, and about
// those that are read: absolute, or beginning with **, in the syntax of engine/glob. Other kinds of
// rules are not among them.
func (r *Rules) Paths() (writes, reads []string) {
	for _, one := range slices.Concat(r.deny, r.ask) {
		switch {
		case one.wild || one.subject != subject.Path || !one.everywhere ||
			one.pattern == nowhere:
		case one.writes:
			writes = append(writes, one.pattern)
		default:
			reads = append(reads, one.pattern)
		}
	}
	return writes, reads
}

// Named returns the rule with a pattern of Paths, with its place; deny reports whether it
// denies, otherwise it asks. text is "" if there is none.
func (r *Rules) Named(writes bool, pattern string) (text string, deny bool) {
	for i, one := range slices.Concat(r.deny, r.ask) {
		if one.subject == subject.Path && one.everywhere && !one.wild && one.writes == writes &&
			one.pattern == pattern {
			return one.named(), i < len(r.deny)
		}
	}
	return "", false
}

// Entry is one rule in a list.
type Entry struct {
	Decision string // deny, ask or allow
	Rule     string
	Place    string // where it is written; "" = unknown
	Stored   bool   // by the answer "always", for this project
}

// From says where the rule is from.
func (e Entry) From() string {
	if e.Stored {
		return "always, in this project"
	}
	return cmp.Or(e.Place, "config.toml")
}

// List returns the current rules: those of config.toml, those stored for this project, and those of
// the session. Remove
// takes the number of a stored one, counted from 1 among all.
func (r *Rules) List() (out []Entry) {
	add := func(decision string, texts []string) {
		for _, t := range texts {
			out = append(out, Entry{Decision: decision, Rule: t, Place: r.o.Places[decision][t]})
		}
	}
	add("deny", r.o.Deny)
	add("ask", r.o.Ask)
	add("allow", r.o.Allow)
	for _, one := range r.always() {
		out = append(out, Entry{Decision: "allow", Rule: one.text, Stored: true})
	}
	for _, one := range r.session() {
		out = append(out, Entry{Decision: "allow", Rule: one.text, Place: briefPlace})
	}
	return out
}

// briefPlace is the place of rules that are not stored.
const briefPlace = "a hook, for this session"

// Remove removes a stored rule by its number in List, and returns it.
func (r *Rules) Remove(n int) (string, error) {
	list := r.List()
	switch {
	case n < 1 || n > len(list):
		return "", fmt.Errorf("there is no rule %d: there are %d", n, len(list))
	case list[n-1].Place == briefPlace:
		return "", fmt.Errorf("rule %d, %s, ends with the session", n, list[n-1].Rule)
	case !list[n-1].Stored:
		return "", fmt.Errorf("rule %d, %s, is in %s: remove it there", n, list[n-1].Rule,
			list[n-1].From())
	}
	return list[n-1].Rule, r.dropRule(list[n-1].Rule)
}

// Markdown returns the list for users.
func (r *Rules) Markdown() string {
	var b strings.Builder
	for i, e := range r.List() {
		from := e.From()
		if e.Stored {
			from += fmt.Sprintf("; /permissions remove %d", i+1)
		}
		fmt.Fprintf(&b, "%d. %s `%s` · %s\n", i+1, e.Decision, e.Rule, from)
	}
	if b.Len() == 0 {
		return "No rules. The answer \"always\" to a question stores one; `[permissions]` in " +
			"config.toml holds deny, ask and allow."
	}
	return b.String()
}

// warn reports each text once. Called under mu.
func (r *Rules) warn(text string) {
	if r.o.Warn != nil && !r.told[text] {
		r.told[text] = true
		r.o.Warn(text)
	}
}
