package load_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/load"
)

func TestParseHeader(t *testing.T) {
	priority := 100.0
	full := engine.Header{Name: "git-guard", Version: "1.2.0", API: 1, Summary: "Blocks force-pushes to main", Guards: []string{"bash", "mcp__*|edit"},
		Grants: engine.Grants{"exec:git", "exec:gh", "net:api.github.com", "fs.read:./{a,b}/**", "ui", "llm"}, Priority: &priority}
	lines := []string{"==Agent==", "@name     git-guard          (what is displayed)", "@version  1.2.0        @api 1        @summary Blocks force-pushes to main",
		"@guards   bash, mcp__*|edit    (tools)", "@grant exec:git,gh   net:api.github.com  fs.read:./{a,b}/**", "@grant\tui  llm", "", "@priority 100", "==/Agent=="}
	for _, mark := range []string{"-- ", "//"} {
		src := "#!/usr/bin/env agent\n\n" + mark + "a licence\n" + mark + strings.Join(lines, "\n"+mark) + "\ncode()\n"
		got, errs := load.ParseHeader("x.lua", []byte(src))
		if len(errs) > 0 || !reflect.DeepEqual(got, full) {
			t.Errorf("%q: got %+v, %v", mark, got, errs)
		}
		crlf, errs := load.ParseHeader("x.lua", []byte("\ufeff"+strings.ReplaceAll(src[21:], "\n", "\r\n")))
		if len(errs) > 0 || !reflect.DeepEqual(crlf, full) {
			t.Errorf("%q with CRLF: got %+v, %v", mark, crlf, errs)
		}
	}
}

func TestNoHeader(t *testing.T) {
	for _, src := range []string{"", "code()", "-- a comment\ncode()", "x = [[\n-- ==Agent==\n-- @grant ui\n-- ==/Agent==\n]]", "/* ==Agent==\n// @grant ui\n*/\ncode()"} {
		got, errs := load.ParseHeader("x.lua", []byte(src))
		if len(errs) > 0 || !reflect.DeepEqual(got, engine.Header{Name: "x.lua", API: 1}) {
			t.Errorf("%q: got %+v, %v", src, got, errs)
		}
	}
	got, _ := load.ParseHeader("x.js", []byte("/* licence\n */\n// ==Agent==\n// @grant ui\n// ==/Agent=="))
	if !got.Grants.Has("ui") {
		t.Error("a header after a block comment was not found")
	}
}

func TestHeaderMistakes(t *testing.T) {
	for _, c := range []struct {
		header string
		line   int
		want   string
	}{
		{"-- @grnat ui", 2, `unknown header key @grnat; did you mean "grant"?`},
		{"-- @version 1 @pirority 3", 2, `did you mean "priority"?`},
		{"-- @name x\n-- @api 2", 3, `@api: got "2", want 1`},
		{"-- @api", 2, "@api: got nothing"},
		{"-- @priority high", 2, `@priority: got "high", want a number`},
		{"-- @priority NaN", 2, "want a number"},
		{"-- @guards bash||edit", 2, "invalid tool filter"},
		{"-- @guards [a", 2, "invalid tool filter"},
		{"-- @grant provder", 2, `unknown grant "provder"; did you mean "provider"?`},
		{"-- @grant exec:git,,gh", 2, "names nothing"},
		{"-- @name a\n-- @name b", 3, "given already in line 2"},
		{"-- grant ui", 2, "want @key value"},
	} {
		_, errs := load.ParseHeader("x.lua", []byte("-- ==Agent==\n"+c.header+"\n-- ==/Agent=="))
		if len(errs) != 1 || errs[0].Line != c.line || !strings.Contains(errs[0].Message, c.want) {
			t.Errorf("%q: got %+v, want %q in line %d", c.header, errs, c.want, c.line)
		}
	}
	for _, open := range []string{"-- ==Agent==\n-- @grant ui\n", "-- ==Agent==\n-- @grant ui\ncode()\n-- ==/Agent=="} {
		h, errs := load.ParseHeader("x.lua", []byte(open))
		if len(errs) != 1 || errs[0].Line != 1 || !strings.Contains(errs[0].Message, "not closed") || !h.Grants.Has("ui") {
			t.Errorf("%q: got %+v %+v", open, h, errs)
		}
	}
}

func TestSummaryMayHoldAnAt(t *testing.T) {
	h, errs := load.ParseHeader("x.lua", []byte("-- ==Agent==\n-- @summary mails @bob and me@example.org @api 1\n-- ==/Agent=="))
	if len(errs) > 0 || h.Summary != "mails @bob and me@example.org" {
		t.Errorf("got %q, %v", h.Summary, errs)
	}
}

func FuzzParseHeader(f *testing.F) {
	f.Add("-- ==Agent==\n-- @name x  @api 1 @grant exec:{a,b},c\n-- @guards a|b\n-- @priority 1e3\n-- ==/Agent==\n")
	f.Add("// ==Agent==\n// @summary @bob @grant\n")
	f.Add("#!x\n--[[ ]]\n/* */\n-- ==agent==\r\n--@\n--==/Agent==")
	f.Fuzz(func(t *testing.T, src string) {
		h, errs := load.ParseHeader("x.lua", []byte(src))
		lines := strings.Count(src, "\n") + 1
		for _, e := range errs {
			if e.Line < 1 || e.Line > lines || e.Message == "" {
				t.Errorf("error out of place: %+v", e)
			}
		}
		for _, g := range h.Guards {
			if strings.ContainsAny(g, " ,\n") || g == "" {
				t.Errorf("guard %q", g)
			}
		}
		if h.API != 1 || h.Name == "" {
			t.Errorf("got %+v", h)
		}
	})
}
