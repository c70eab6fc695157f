// This file parses @grant in a header.

package load

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/suggest"
)

// power is a grant that a script can request.
type power struct {
	kind    string
	want    string // the value after the colon; "" = no value is allowed
	example string
	alone   bool // it may also be given without a colon
}

// powers lists all grants. A grant without its required value would have no effect, so that is a
// mistake.
func powers() []power {
	return []power{{kind: "ui"}, {kind: "agent"}, {kind: "session"},
		{"tools", "tool", "tools:read", true}, {kind: "llm"},
		{"fs.read", "files", "fs.read:./**", false},
		{"fs.write", "files", "fs.write:./notes/**", false}, {"exec", "program", "exec:git", false},
		{"net", "host", "net:api.github.com", false},
		{"env", "variable", "env:GITHUB_TOKEN", false},
		{kind: "permission.allow"}, {kind: "provider"}, {kind: "keys"},
		{kind: "unconfined"}}
}

func grantKinds() (kinds []string) {
	for _, p := range powers() {
		kinds = append(kinds, p.kind)
	}
	return kinds
}

// grants parses grants separated by spaces; exec:git,gh is short for exec:git exec:gh.
func (p *headerParser) grants(value string) {
	words := strings.Fields(value)
	for i := 0; i < len(words); i++ {
		kind, list, narrowed := strings.Cut(words[i], ":")
		n := slices.IndexFunc(powers(), func(x power) bool { return x.kind == kind })
		if n < 0 {
			p.unknown(words[i], kind)
			continue
		}
		x := powers()[n]
		switch {
		case narrowed && x.want == "":
			p.fail(words[i], "write "+kind, "@grant: got %q, but %s takes no value",
				quote(words[i]), kind)
		case !narrowed && (x.want == "" || x.alone):
			p.header.Grants = append(p.header.Grants, kind)
		case list == "": // exec, exec:, exec git, net: api.github.com
			example := x.example
			if i+1 < len(words) && !isGrant(words[i+1]) {
				i++
				example = kind + ":" + words[i]
			}
			p.fail(kind, "write "+quote(example), "@grant: %q does not say which %s", kind, x.want)
		default:
			p.narrow(x, words[i], list)
		}
	}
}

// unknown reports an unknown grant.
func (p *headerParser) unknown(word, kind string) {
	if parts := strings.Split(word, ","); len(parts) > 1 &&
		!slices.ContainsFunc(parts, func(s string) bool { return !isGrant(s) }) {
		p.fail(word, "write "+strings.Join(parts, " "),
			"@grant: got %q, want spaces between grants", quote(word))
		return
	}
	p.fail(word, "known grants: "+strings.Join(grantKinds(), " "), "@grant: unknown grant %q%s",
		quote(kind), suggest.DidYouMean(kind, grantKinds()))
}

// narrow parses the list after the colon.
func (p *headerParser) narrow(x power, word, list string) {
	for _, item := range splitList(list) {
		if item == "" {
			p.fail(word, "write "+x.example, "@grant: %q names nothing after the colon or a comma",
				quote(word))
			continue
		}
		if hint := x.mistake(item); hint != "" {
			p.fail(word, hint, "@grant: %s: got %q, which names no %s", x.kind, quote(item), x.want)
			continue
		}
		p.header.Grants = append(p.header.Grants, x.kind+":"+item)
	}
}

// mistake returns a hint for a value that could never match; "" if it may match.
func (x power) mistake(item string) string {
	switch x.kind {
	case "net":
		if host := strings.TrimPrefix(strings.TrimPrefix(item, "https://"),
			"http://"); strings.Contains(item, "/") {
			host, _, _ = strings.Cut(host, "/")
			return "write net:" + or(host, "api.github.com") + ", without scheme and path"
		}
	case "env":
		if strings.ContainsAny(item, "${}=") {
			return "write env:" + or(strings.Trim(item, "${}="), "GITHUB_TOKEN")
		}
	case "tools":
		if err := event.CheckToolFilter(item); err != nil || strings.Contains(item, "|") {
			return "names and globs with commas between them: tools:read,grep,mcp__*"
		}
	case "fs.read", "fs.write":
		if err := glob.Check(item); err != nil {
			return "a glob such as " + x.example + ": " + err.Error()
		}
	}
	return ""
}

// isGrant reports whether a word of a header is a grant, with or without a colon.
func isGrant(word string) bool {
	kind, _, _ := strings.Cut(word, ":")
	return slices.Contains(grantKinds(), kind)
}

// splitList splits at commas that are not within braces: a glob may have {a,b}.
func splitList(list string) []string {
	var out []string
	depth, start := 0, 0
	for i, r := range list {
		switch {
		case r == '{':
			depth++
		case r == '}' && depth > 0:
			depth--
		case r == ',' && depth == 0:
			out, start = append(out, list[start:i]), i+1
		}
	}
	return append(out, list[start:])
}
