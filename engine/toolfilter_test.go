package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
)

func TestCheckToolFilter(t *testing.T) {
	t.Parallel()
	builtin := []string{"read", "write", "edit", "bash", "grep", "glob", "ls", "fetch", "agent"}
	known := append(slices.Clone(builtin), "Deploy", "mcp__docs__search")
	for _, x := range []struct{ filter, want string }{ // want "" = no error
		{"bash", ""},
		{"bash|edit|mcp__*", ""},
		{" bash | edit ", ""},
		{"*", ""},
		{"ba?h", ""},
		{"[a-z]*", ""},
		{"[!a-z]*", ""},
		{"Deploy", ""},
		{"later_tool", ""},
		{"mcp__github__*", ""},
		{"mcp__docs__search", ""},
		{"mcp__other__find", ""},
		{"LATER*", ""},
		{`\b`, ""}, // an escaped letter of a glob
		{".*", `did you mean "*"?`},
		{".+", `did you mean "*"?`},
		{"(bash|edit)", `did you mean "bash|edit"?`},
		{"(?:Bash|Edit)", `did you mean "bash|edit"?`},
		{"^bash$", `did you mean "bash"?`},
		{"^(bash|edit)$", `did you mean "bash|edit"?`},
		{"mcp__.*", `did you mean "mcp__*"?`},
		{"mcp__docs__.*", `did you mean "mcp__docs__*"?`},
		{"bash,edit", `did you mean "bash|edit"?`},
		{"bash edit", `did you mean "bash|edit"?`},
		{"Bash, Edit", `did you mean "bash|edit"?`},
		{"Bash(git *)", `did you mean "bash"?`},
		{"/bash/", `did you mean "bash"?`},
		{"bash|", "has an empty alternative"},
		{"[.]*", "can match no tool"},
		{"bash[^\x00-\x7f]", "can match no tool"},
		{"[", "syntax error in pattern"},
		{strings.Repeat("a", 5000), "is too long"},
		{"bäsh", "can match no tool"},
		{"a.b", "can match no tool"},
		{"Bash", `no tool is called "Bash"; did you mean "bash"?`},
		{"deploy", `did you mean "Deploy"?`},
		{"Read|Write", `did you mean "read"?`},
		{"BASH*", `did you mean "bash*"?`},
		{"MCP__docs__*", `did you mean "mcp__docs__*"?`},
		{"mcp__docs", `did you mean "mcp__docs__*"?`},
		{"shell", `did you mean "bash"?`},
		{"run_terminal_cmd", `did you mean "bash"?`},
		{"MultiEdit", `did you mean "edit"?`},
		{"WebFetch", `did you mean "fetch"?`},
		{"str_replace_editor", `did you mean "edit"?`},
		{"WebSearch", "there is no such tool here"},
		{"bsh", `no tool is called "bsh"; did you mean "bash"? (for a tool of another script ` +
			`write "[b]sh")`},
		{"read|wriet", `no tool is called "wriet"; did you mean "write"?`},
		{"edits", `did you mean "edit"?`},
		// tools that other scripts and servers may add
		{"[b]sh|later|head|lsp|ls2|Deploy2|mcp__bsh__bsh", ""},
	} {
		err := event.CheckToolNames(x.filter, known, builtin)
		switch {
		case x.want == "" && err != nil:
			t.Errorf("%q: %v", x.filter, err)
		case x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)):
			t.Errorf("%q: got %v, want %s", x.filter, err, x.want)
		}
	}
	if err := event.CheckToolNames("shell|MultiEdit|BASH", []string{"shell", "MultiEdit", "BASH"},
		nil); err != nil {
		t.Errorf("existing tools: %v", err)
	}
}

// FuzzCheckToolFilter: a refused filter matches no valid name of a tool, and the suggestion is
// itself a valid filter.
func FuzzCheckToolFilter(f *testing.F) {
	for _, s := range []string{".*", "(a|b)", "[a-z]", `\`, "[^]", "a[", "[[]", "[]a]", "*?",
		"Bash(git *)", "^$", "[a-\\]]"} {
		f.Add(s, "bash")
	}
	f.Fuzz(func(t *testing.T, filter, name string) {
		err := event.CheckToolFilter(filter)
		if err == nil {
			return
		}
		if _, meant, ok := strings.Cut(err.Error(), `did you mean "`); ok {
			if err := event.CheckToolFilter(strings.TrimSuffix(meant,
				`"? (a filter is names and globs of letters, digits, _ and -, `+
					`with | between them)`)); err != nil {
				t.Errorf("%q: the suggestion is invalid: %v", filter, err)
			}
		}
	})
}
