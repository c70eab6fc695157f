// This file holds what a script uses against what it asks for in its header.

package lint

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
)

// grants finds what is used and not asked for, and what is asked for and not used.
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
	if s.names("panel") || s.names("widget") { // what a command returns, call.widget
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

// impliedGrants let a script's outcomes do more: no function needs them.
var impliedGrants = []string{"permission.allow", "keys"}

// missing is the grant that a use lacks; "" = none. What it must name is known if it is written
// down.
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

// global is where a script calls a function of the language that it has not declared itself; -1 =
// nowhere.
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

// names reports whether a word stands anywhere in a script as a name.
func (s *source) names(word string) bool {
	return slices.ContainsFunc(s.code.tokens, func(t token) bool {
		return t.text == word &&
			t.kind != literal
	})
}

// place is where the header asks for a grant of that kind.
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

// guards holds ext.guard against @guards, which protects while the file has no working version.
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
