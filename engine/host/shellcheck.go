// This file parses the rules of ext.shell.check, strictly: a wrong rule would guard nothing.

package host

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/shell"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// maxRules is how many rules of a kind one call takes.
	maxRules = 200
	// shownCommand is how much of a command a question shows, in bytes.
	shownCommand = 200
)

// ruleKeys are the keys of a rule.
var ruleKeys = []string{"cmd", "sub", "flags", "any_flags", "args", "unless", "reason"}

func (p *paths) shellCheck(c *engine.HostCall) (any, error) {
	opts := table(c.Args[1])
	rules := &shell.Rules{Opaque: text(opts["opaque"])}
	for _, kind := range []struct {
		name string
		to   *[]shell.Rule
	}{{"deny", &rules.Deny}, {"ask", &rules.Ask}, {"allow", &rules.Allow}} {
		all := list(opts[kind.name])
		if len(all) > maxRules {
			return nil, fmt.Errorf("ext.shell.check: %s: got %d rules, want at most %d", kind.name,
				len(all), maxRules)
		}
		for i, v := range all {
			r, err := readRule(v, false)
			if err != nil {
				return nil, fmt.Errorf("ext.shell.check: %s[%d]%w", kind.name, i+1, err)
			}
			*kind.to = append(*kind.to, *r)
		}
	}
	finder, dir := p.finder(c)
	return outcome(finder.Parse(text(c.Args[0]), dir).Check(rules)), nil
}

// outcome converts a verdict to the return value of a handler.
func outcome(v shell.Verdict) any {
	command := plain.Clip(v.Command, shownCommand)
	denied := "it: " + command
	if command == "" {
		command, denied = "this command", "it"
	}
	reason := v.Reason
	switch {
	case reason == "":
		reason = v.Why
	case v.Decision == "ask" && v.Doubt:
		reason += "; " + v.Why
	case v.Why != "":
		reason += " (" + v.Why + ")"
	}
	switch v.Decision {
	case "deny":
		switch {
		case v.Reason == "" && v.Doubt:
			reason = "a rule may deny " + denied + " (" + v.Why + ")"
		case v.Reason == "":
			reason = "a rule denies " + denied
			if v.Why != "" {
				reason += " (" + v.Why + ")"
			}
		}
		return map[string]any{"block": true, "reason": reason}
	case "ask":
		out := map[string]any{"ask": "Run " + command + "?"}
		if v.Doubt {
			out["ask"] = "Run " + command + "? A rule may match it."
		}
		if reason != "" {
			out["reason"] = reason
		}
		return out
	case "allow":
		return map[string]any{"allow": true}
	}
	return nil
}

// readRule parses a rule; the error begins with ": " or ".key: ".
func readRule(v any, inner bool) (*shell.Rule, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf(": got %s, want a rule such as {cmd = \"rm\", flags = \"r\"}",
			value.TypeName(v))
	}
	r := &shell.Rule{}
	for _, key := range value.SortedKeys(m) {
		var err error
		switch key {
		case "cmd":
			r.Cmd, err = ruleWords(m[key], program)
		case "sub":
			r.Sub, err = ruleWords(m[key], firstWord)
		case "flags":
			r.Flags, err = ruleWords(m[key], flagName)
		case "any_flags":
			r.AnyFlags, err = ruleWords(m[key], flagName)
		case "args":
			r.Args, err = ruleWords(m[key], pattern)
		case "reason":
			if r.Reason, ok = m[key].(string); !ok {
				err = fmt.Errorf(": got %s, want string", value.TypeName(m[key]))
			}
		case "unless":
			if inner {
				err = errors.New(": a rule in unless cannot have unless itself")
			} else {
				r.Unless, err = readRule(m[key], true)
			}
		default:
			return nil, fmt.Errorf(": unknown key %q%s", key, suggest.OrAll(
				suggest.ForeignKey, key, ruleKeys))
		}
		if err != nil {
			return nil, fmt.Errorf(".%s%w", key, err)
		}
	}
	if len(r.Cmd)+len(r.Sub)+len(r.Flags)+len(r.AnyFlags)+len(r.Args) == 0 {
		return nil, errors.New(
			": matches everything: want at least one of cmd, sub, flags, any_flags, args")
	}
	return r, nil
}

// ruleWords parses one text or a list of them, and applies check to each.
func ruleWords(v any, check func(string) (string, error)) ([]string, error) {
	all, ok := v.([]any)
	if !ok {
		all = []any{v}
	}
	if len(all) == 0 {
		return nil, errors.New(": got an empty list, want at least one")
	}
	out := make([]string, len(all))
	for i, one := range all {
		s, ok := one.(string)
		if !ok {
			return nil, fmt.Errorf(": got %s, want string|list of strings", value.TypeName(one))
		}
		s, err := check(s)
		if err != nil {
			return nil, fmt.Errorf(": %w", err)
		}
		out[i] = s
	}
	return out, nil
}

func program(s string) (string, error) {
	if _, err := path.Match(s, ""); err != nil || s == "" || strings.ContainsAny(s, "/ \t") {
		return "", fmt.Errorf("got %q, want the name of a program, without folder and words", s)
	}
	return s, nil
}

func firstWord(s string) (string, error) {
	if s == "" || strings.ContainsAny(s, " \t") || s[0] == '-' {
		return "", fmt.Errorf("got %q, want one word; put further words in args", s)
	}
	return s, nil
}

func flagName(s string) (string, error) {
	name := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "-")
	if name == "" || strings.ContainsAny(name, " \t=") || name[0] == '-' {
		return "", fmt.Errorf("got %q, want the name of one flag, such as \"force\" or \"f\"", s)
	}
	return name, nil
}

func pattern(s string) (string, error) { return s, glob.Check(s) }
