// This file reads [permissions]: the user's standing rules about tool calls.

package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/agent/permission"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// Rules are the rules as written, including invalid ones: a deny must not be lost by a typing
// mistake.
type Rules struct {
	Deny, Ask, Allow []string
	// Places are where the rules are written, such as config.toml:3, by list ("deny") and text.
	Places map[string]map[string]string
	// Unread is a place that cannot be parsed and may contain rules, such as config.toml:3; "" =
	// none.
	Unread string
	// UnreadWhy says why nothing of the file could be read, after the place; "" = it was read.
	UnreadWhy string
}

func (r *reader) setRules(v any) {
	const example = `[permissions] and below it deny = ["bash(git push *)"]`
	t := r.table("permissions", v, example)
	if t == nil {
		r.unread("permissions")
		return
	}
	lists := map[string]*[]string{"deny": &r.Rules.Deny, "ask": &r.Rules.Ask,
		"allow": &r.Rules.Allow}
	for _, k := range value.SortedKeys(t) {
		path := []string{"permissions", k}
		list, isList := t[k].([]any)
		switch into := lists[k]; {
		case into == nil:
			names := []string{"deny", "ask", "allow"}
			r.warn(path, "permissions: unknown key %q%s; there is %s", k,
				suggest.DidYouMean(k, names), strings.Join(names, ", "))
			r.unread(path...) // it may be a deny
		case !isList:
			r.warn(path, "permissions: %s: got %s, want a list: %s = [\"bash(git push *)\"]", k,
				value.TypeName(t[k]), k)
			r.unread(path...)
		default:
			*into = r.texts(path, list)
			if len(*into) < len(list) {
				r.unread(path...)
			}
			r.checkRules(k, *into)
		}
	}
}

// checkRules finds the places of the rules of a key, and reports what is wrong with them.
func (r *reader) checkRules(key string, rules []string) {
	if r.Rules.Places == nil && len(rules) > 0 {
		r.Rules.Places = map[string]map[string]string{}
	}
	from, places := line(r.source, []string{"permissions", key}), map[string]string{}
	for _, rule := range rules {
		r.Rules.Places[key] = places
		at := Warning{Line: lineOf(r.source, from, rule)}
		places[rule] = at.place()
		if err := permission.Check(rule); err != nil {
			at.Message = "permissions: " + key + ": " + err.Error()
			r.warnings = append(r.warnings, at)
		}
	}
}

// unread records that the value at path may contain rules and cannot be parsed.
func (r *reader) unread(path ...string) {
	if r.Rules.Unread == "" {
		r.Rules.Unread = Warning{Line: line(r.source, path)}.place()
	}
}

// mayBeRules reports whether a key's value seems to belong in [permissions].
func mayBeRules(key string, v any) bool {
	t, isTable := v.(map[string]any)
	switch {
	case slices.ContainsFunc(sections(), func(s section) bool { return s.key == key }):
		return key == "permission" && isTable
	case isTable:
		return t["deny"] != nil || t["ask"] != nil ||
			suggest.Nearest(key, []string{"permissions"}) != ""
	}
	return key == "deny" || key == "ask"
}

// lineOf returns the line, starting with from, on which text is written in quotes in source; from
// itself if it is written differently.
func lineOf(source string, from int, text string) int {
	lines := strings.Split(source, "\n")
	if from < 1 || from > len(lines) {
		return from
	}
	if i := slices.IndexFunc(lines[from-1:],
		func(l string) bool { return slices.Contains(quoted(l), text) }); i >= 0 {
		return from + i
	}
	return from
}

// quoted returns the texts in quotes on a line, outside its comment.
func quoted(line string) (out []string) {
	for {
		i := strings.IndexAny(line, `"'#`)
		if i < 0 || line[i] == '#' {
			return out
		}
		quote, text := line[i], line[i+1:]
		end := 0
		for end < len(text) && text[end] != quote {
			if text[end] == '\\' && quote == '"' {
				end++
			}
			end++
		}
		if end >= len(text) {
			return out
		}
		one := text[:end]
		if plain, err := strconv.Unquote(line[i : i+end+2]); err == nil && quote == '"' {
			one = plain
		}
		out, line = append(out, one), text[end+1:]
	}
}
