package load_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scriptfile"
)

func TestParseHeader(t *testing.T) {
	t.Parallel()
	priority := 100.0
	full := scriptfile.Header{Name: "git-guard", Version: "1.2.0", API: 1,
		Summary: "Blocks force-pushes to main", Guards: []string{"bash", "mcp__*|edit"},
		Grants: scriptfile.Grants{"exec:git", "exec:gh", "net:api.github.com", "fs.read:./{a,b}/**",
			"ui", "llm"}, Priority: &priority}
	lines := []string{"==Agent==", "@name     git-guard          (what is displayed)",
		"@version  1.2.0        @api 1        @summary Blocks force-pushes to main",
		"@guards   bash, mcp__*|edit    (tools)",
		"@grant exec:git,gh   net:api.github.com  fs.read:./{a,b}/**", "@grant\tui  llm", "",
		"@priority 100", "==/Agent=="}
	for mark, name := range map[string]string{"-- ": "x.lua", "//": "x.js"} {
		src := "#!/usr/bin/env agent\n\n" + mark + "a licence\n" + mark + strings.Join(lines,
			"\n"+mark) + "\ncode()\n"
		got, errs := load.ParseHeader(name, []byte(src))
		if len(errs) > 0 || !reflect.DeepEqual(got, full) {
			t.Errorf("%q: got %+v, %v", mark, got, errs)
		}
		crlf, errs := load.ParseHeader(name,
			[]byte("\ufeff"+strings.ReplaceAll(src[21:], "\n", "\r\n")))
		if len(errs) > 0 || !reflect.DeepEqual(crlf, full) {
			t.Errorf("%q with CRLF: got %+v, %v", mark, crlf, errs)
		}
	}
}

func TestNoHeader(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"", "code()", "-- comment\ncode()",
		"x = [[\n-- ==Agent==\n-- @grant ui\n-- ==/Agent==\n]]",
		"/* the ==Agent== header\n// @grant ui\n*/\ncode()"} {
		got, errs := load.ParseHeader("x.lua", []byte(src))
		if len(errs) > 0 || !reflect.DeepEqual(got, scriptfile.Header{Name: "x.lua", API: 1}) {
			t.Errorf("%q: got %+v, %v", src, got, errs)
		}
	}
	got, _ := load.ParseHeader("x.js",
		[]byte("/* licence\n */\n// ==Agent==\n// @grant ui\n// ==/Agent=="))
	if !got.Grants.Has("ui") {
		t.Error("a header after a block comment was not found")
	}
}

func TestHeaderMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header       string
		line, column int
		want         string
	}{
		{"-- @grnat ui", 2, 4, `unknown header key @grnat; did you mean "grant"?`},
		{"-- @version 1 @pirority 3", 2, 15, `did you mean "priority"?`},
		{"-- @name x\n-- @api 2", 3, 9, `@api: got "2", want 1`},
		{"-- @api", 2, 4, "@api: got nothing"},
		{"-- @priority high", 2, 14, `@priority: got "high", want a number`},
		{"-- @priority NaN", 2, 14, "want a number"},
		{"-- @guards bash||edit", 2, 12, "invalid tool filter"},
		{"-- @guards [a", 2, 12, "invalid tool filter"},
		{"-- @name a\n-- @name b", 3, 4, "already given in line 2"},
		{"-- grant ui", 2, 4, "want @key value"},
	} {
		_, errs := load.ParseHeader("x.lua", []byte("-- ==Agent==\n"+c.header+"\n-- ==/Agent=="))
		if len(errs) != 1 || errs[0].Line != c.line || errs[0].Column != c.column ||
			!strings.Contains(errs[0].Message, c.want) {
			t.Errorf("%q: got %+v, want %q in %d:%d", c.header, errs, c.want, c.line, c.column)
		}
	}
	for _, open := range []string{"-- ==Agent==\n-- @grant ui\n",
		"-- ==Agent==\n-- @grant ui\ncode()\n-- ==/Agent=="} {
		h, errs := load.ParseHeader("x.lua", []byte(open))
		if len(errs) != 1 || errs[0].Line != 1 || !strings.Contains(errs[0].Message,
			"not closed") || !h.Grants.Has("ui") {
			t.Errorf("%q: got %+v %+v", open, h, errs)
		}
	}
}

// TestGrantMistakes: a grant without an effect is an error, with a hint.
func TestGrantMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ grant, want, hint string }{
		{"provder", `unknown grant "provder"; did you mean "provider"?`, "known grants: ui"},
		{"exec:git,,gh", "names nothing", "write exec:git"},
		{"exec", `"exec" does not say which program`, "write exec:git"},
		{"exec gh", `"exec" does not say which program`, "write exec:gh"},
		{"exec ui", `"exec" does not say which program`, "write exec:git"},
		{"net: api.example.com", `"net" does not say which host`, "write net:api.example.com"},
		{"net", `"net" does not say which host`, "write net:"},
		{"env", `"env" does not say which variable`, "write env:"},
		{"fs.read", `"fs.read" does not say which files`, "write fs.read:./**"},
		{"fs.write", `"fs.write" does not say which files`, "write fs.write:"},
		{"tools:", `"tools" does not say which tool`, "write tools:read"},
		{"ui:status", "ui takes no value", "write ui"},
		{"ui,llm", `got "ui,llm", want spaces`, "write ui llm"},
		{"net:https://api.example.com/v1", "which names no host", "write net:api.example.com,"},
		{"env:${HOME}", "which names no variable", "write env:HOME"},
		{"fs.read:[a", "which names no files", "a glob such as"},
	} {
		h, errs := load.ParseHeader("x.lua",
			[]byte("-- ==Agent==\n-- @grant llm "+c.grant+" keys\n-- ==/Agent=="))
		if len(errs) != 1 || errs[0].Line != 2 || errs[0].Column != 15 ||
			!strings.Contains(errs[0].Message, c.want) || !strings.HasPrefix(errs[0].Hint, c.hint) {
			t.Errorf("%q: got %+v, want %q (%s)", c.grant, errs, c.want, c.hint)
		}
		if !h.Grants.Has("llm") || !h.Grants.Has("keys") {
			t.Errorf("%q: the other grants are missing: %v", c.grant, h.Grants)
		}
	}
	if h, errs := load.ParseHeader("x.lua",
		[]byte("-- ==Agent==\n-- @grant tools net:*.example.com:8080,option.url,[::1] env:* "+
			"exec:/usr/bin/x\n-- ==/Agent==")); len(errs) > 0 || len(h.Grants) != 6 {
		t.Errorf("got %v, %v", h.Grants, errs)
	}
}

// TestHeaderInOtherComments: a header that is not read is reported.
func TestHeaderInOtherComments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, src string
		line      int
		want      string
	}{
		{"x.js", "/* ==Agent==\n * @grant ui\n * ==/Agent== */", 1, "it must be in line comments"},
		{"x.ts", "/**\n * ==Agent==\n * @grant ui\n */", 2, "it must be in line comments"},
		{"x.lua", "--[[\n==Agent==\n@grant ui\n]]", 2, "it must be in line comments"},
		{"x.lua", "# ==Agent==\n# @grant ui", 1, "it must be in line comments"},
		{"x.lua", "// ==Agent==\n// @grant ui\n// ==/Agent==", 1, "not a comment in this language"},
		{"x.ts", "-- ==Agent==\n-- @grant ui\n-- ==/Agent==", 1, "not a comment in this language"},
	} {
		_, errs := load.ParseHeader(c.name, []byte(c.src))
		if len(errs) != 1 || errs[0].Line != c.line || !strings.Contains(errs[0].Message, c.want) ||
			!strings.Contains(errs[0].Hint, "begin ") {
			t.Errorf("%q: got %+v, want %q in line %d", c.src, errs, c.want, c.line)
		}
	}
}

func TestSummaryMayContainAnAt(t *testing.T) {
	t.Parallel()
	h, errs := load.ParseHeader("x.lua",
		[]byte("-- ==Agent==\n-- @summary mails @bob and me@example.org @api 1\n-- ==/Agent=="))
	if len(errs) > 0 || h.Summary != "mails @bob and me@example.org" {
		t.Errorf("got %q, %v", h.Summary, errs)
	}
}

// TestSummaryFromComment: a script without @summary is described by the first line of its comments.
func TestSummaryFromComment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, src, want string }{
		{"x.lua", "-- Counts words.\n-- In files.\next.log('a')", "Counts words."},
		{"x.lua", "#!/usr/bin/lua\n\n--- x: counts words", "counts words"},
		{"x.lua", "--[[ x.lua - counts words ]]", "counts words"},
		{"x.lua", "--[[\n  Counts words\n]]", "Counts words"},
		{"x.lua", "-- x: counts", "counts"},
		{"x.js", "/** Counts words. */ ext.log('a')", "Counts words."},
		{"x.js", "/*!\n * x — counts words\n */", "counts words"},
		{"x.ts", "// @ts-check\n// eslint-disable no-undef\n// Copyright 2026 A. Body\n// x.ts\n" +
			"// Counts words", "Counts words"},
		{"x.js", "// " + strings.Repeat("long ", 50), ""},
		{"x.lua", "-- Counts words\n-- ==Agent==\n-- @grant ui\n-- ==/Agent==", "Counts words"},
		{"x.lua", "-- Counts words\n-- ==Agent==\n-- @summary Other\n-- ==/Agent==", "Other"},
		{"x.lua", "-- ==Agent==\n-- @grant ui\n-- ==/Agent==\n-- Counts words", ""},
		{"x.lua", "ext.log('a') -- Counts words", ""},
		{"x.lua", "-- ------------------ --\n-- x", ""},
	} {
		h, _ := load.ParseHeader(c.name, []byte(c.src))
		if strings.Contains(c.src, "long long") {
			if len(h.Summary) > 130 || !strings.HasPrefix(h.Summary, "long long") {
				t.Errorf("got %d bytes", len(h.Summary))
			}
		} else if h.Summary != c.want {
			t.Errorf("%q: got %q, want %q", c.src, h.Summary, c.want)
		}
	}
}

func FuzzParseHeader(f *testing.F) {
	f.Add("-- ==Agent==\n-- @name x  @api 1 @grant exec:{a,b},c\n-- @guards a|b\n-- @priority " +
		"1e3\n-- ==/Agent==\n")
	f.Add("// ==Agent==\n// @summary @bob @grant\n")
	f.Add("#!x\n--[[ ]]\n/* */\n-- ==agent==\r\n--@\n--==/Agent==")
	f.Fuzz(func(t *testing.T, src string) {
		h, errs := load.ParseHeader("x.lua", []byte(src))
		lines := strings.Count(src, "\n") + 1
		for _, e := range errs {
			if e.Line < 1 || e.Line > lines || e.Message == "" {
				t.Errorf("error at a wrong position: %+v", e)
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
