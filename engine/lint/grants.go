// This file compares what a script uses with the grants in its header.

package lint

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
)

// grants reports grants that are used and not requested, and those that are requested and not used.
func (s *source) grants() {
	var kinds []string // used
	for _, u := range s.used {
		grant := u.row.Grant
		if grant == "" {
			continue
		}
		kind, _, _ := strings.Cut(grant, ":")
		kinds = append(kinds, kind)
		if missing := s.missing(u, kind); missing != "" {
			s.add(u.at, Error, "grant", "", "%v", engine.Needs("ext."+u.row.Name, missing))
		}
	}
	// base_url
	if slices.ContainsFunc(s.used, func(u use) bool { return u.row.Name == "provider" }) {
		kinds = append(kinds, "net")
	}
	if i := s.global("fetch"); i >= 0 {
		kinds = append(kinds, "net")
		if !s.header.Grants.Has("net") {
			s.add(s.code.tokens[i].at, Error, "grant", "", "%v", engine.Needs("fetch", "net:HOST"))
		}
	}
	if s.names("panel") || s.names("widget") { // a command's result, call.widget
		kinds = append(kinds, "ui")
	}
	if s.computed {
		return
	}
	for _, grant := range s.header.Grants {
		kind, _, _ := strings.Cut(grant, ":")
		if !slices.Contains(kinds, kind) && !slices.Contains(impliedGrants, kind) {
			s.add(s.place(kind), Note, "grant", "take it out", "@grant %s is not used", grant)
			kinds = append(kinds, kind) // once is enough
		}
	}
	s.guards()
}

// impliedGrants are needed by return values of a script, or widen others; no function needs them.
var impliedGrants = []string{"permission.allow", "keys", "unconfined"}

// missing returns the grant that a use lacks; "" = none. Its argument is known if it is a literal.
func (s *source) missing(u use, kind string) string {
	_, narrow, _ := strings.Cut(u.row.Grant, ":")
	have := s.header.Grants
	switch {
	case !have.Has(kind):
		if u.first != "" && (narrow == "NAME" || u.row.Narrow != "") {
			return kind + ":" + u.first
		}
		return u.row.Grant
	case narrow == "NAME" && u.first != "" && !strings.Contains(u.first, "/") &&
		!have.Allows(kind, u.first),
		u.row.Narrow != "" && u.first != "" && !have.Allows(kind, u.first):
		return kind + ":" + u.first
	case narrow != "" && narrow == strings.ToLower(narrow) && !have.Allows(kind, narrow): // exec:sh
		return u.row.Grant
	}
	return ""
}

// global returns where a script calls a function of the language that it has not declared itself;
// -1 = nowhere.
func (s *source) global(name string) int {
	c := s.code
	for i := range c.tokens {
		if !c.lua && c.is(i, name) && !c.is(i-1, ".") && !c.is(i-1, "function") && c.is(i+1, "(") &&
			s.scopes.resolve(name, i) == nil {
			return i
		}
	}
	return -1
}

// names reports whether a word is used as a name anywhere in a script.
func (s *source) names(word string) bool {
	return slices.ContainsFunc(s.code.tokens, func(t token) bool {
		return t.text == word &&
			t.kind != literal
	})
}

// place returns where the header requests a grant of that kind.
func (s *source) place(kind string) int {
	for at := 0; at < len(s.code.text); {
		line, _, _ := strings.Cut(s.code.text[at:], "\n")
		if _, asked, ok := strings.Cut(line, "@grant"); ok {
			for _, word := range strings.Fields(asked) {
				if k, _, _ := strings.Cut(word, ":"); k == kind {
					return at + strings.LastIndex(line, word)
				}
			}
		}
		at += len(line) + 1
	}
	return 0
}

// guards compares ext.guard with @guards, which protects while no version of the file loads.
func (s *source) guards() {
	for _, u := range s.used {
		if u.row.Name == "guard" && len(s.header.Guards) == 0 {
			s.add(u.at, Note, "guard", "",
				"without @guards in the header, every tool asks while the file has no working "+
					"version")
			return
		}
	}
	if len(s.header.Guards) > 0 && !slices.ContainsFunc(s.used,
		func(u use) bool { return u.row.Name == "guard" || u.row.Name == "on" }) {
		at := max(strings.Index(s.code.text, "@guards"), 0)
		s.add(at, Note, "guard", "take it out", "@guards is given, and nothing guards")
	}
}
