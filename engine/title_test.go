package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/subject"
)

// TestTitle: a tool's Subject determines the titles of its calls. Without a Subject, the names of
// the arguments do.
func TestTitle(t *testing.T) {
	t.Parallel()
	search := &engine.Tool{Name: "find", Subject: &subject.Subject{Verb: "Search for",
		Title: []subject.Phrase{{Arg: "pattern"}, {Words: "in", Arg: "path"}}}}
	clip := func(s string) (string, bool) {
		line, _, more := strings.Cut(s, "\n")
		return line, !more
	}
	for _, x := range []struct {
		tool *engine.Tool
		args map[string]any
		want subject.Title
	}{
		{search, map[string]any{"pattern": "x", "path": "src"},
			subject.Title{Verb: "Search for", About: "x in src", Whole: true, Declared: true}},
		{search, map[string]any{"pattern": "x\ny"},
			subject.Title{Verb: "Search for", About: "x", Declared: true}},
		{search, map[string]any{"pattern": "x", "limit": 3.0},
			subject.Title{Verb: "Search for", About: "x", Declared: true}},
		{search, map[string]any{"path": "src"},
			subject.Title{Verb: "Search for", About: "src", Whole: true, Declared: true}},
		{&engine.Tool{}, map[string]any{"path": "src", "pattern": "x"},
			subject.Title{About: "src"}},
		{nil, map[string]any{"query": "x"}, subject.Title{About: "x", Whole: true}},
		{nil, map[string]any{"n": 1.0}, subject.Title{}},
	} {
		if got := x.tool.Title(x.args, clip); got != x.want {
			t.Errorf("%v: got %+v, want %+v", x.args, got, x.want)
		}
	}
}

// TestOverrideInheritsSubject: a tool that replaces a built-in tool and has the same argument
// inherits its Subject.
func TestOverrideInheritsSubject(t *testing.T) {
	t.Parallel()
	shell := &subject.Subject{Kind: subject.Command, Arg: "command", Dir: "cwd"}
	for arg, want := range map[string]*subject.Subject{"command": shell, "line": nil} {
		schema := func(arg string) map[string]any {
			return map[string]any{"type": "object",
				"properties": map[string]any{arg: map[string]any{"type": "string"}}}
		}
		run := func(context.Context, *engine.Use) (*engine.Result, error) {
			return engine.TextResult(""), nil
		}
		e := scripttest.NewEngine(t, engine.Options{Tools: []*engine.Tool{{Name: "bash",
			Source: "builtin", Schema: schema("command"), Subject: shell, Run: run}}})
		_, err := e.Scripts.Install(engine.Plugin{Name: "own", Tools: []*engine.Tool{{Name: "bash",
			Override: true, Source: "own", Schema: schema(arg), Run: run}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Scripts.Snapshot().Tool("bash"); got.Source != "own" || got.Subject != want {
			t.Errorf("%s: got %+v", arg, got)
		}
	}
}
