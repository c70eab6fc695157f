package hooks

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/tool"
)

// TestMatchers: names are exact, all else is a regular expression of JavaScript.
func TestMatchers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		matcher  string
		yes, not []string
	}{
		{"", []string{"Bash", "x", ""}, nil},
		{"*", []string{"Bash", "x"}, nil},
		{"Bash", []string{"Bash"}, []string{"bash", "BashOutput", "MyBash"}},
		{"Bash|Write", []string{"Bash", "Write"}, []string{"Bash|Write", "Edit"}},
		{"Bash, Write", []string{"Bash", "Write"}, []string{" Write"}},
		{"mcp__memory", []string{"mcp__memory"}, []string{"mcp__memory__read"}},
		{"my-tool", []string{"my-tool"}, []string{"my"}},
		{"mcp__memory__.*", []string{"mcp__memory__read"}, []string{"mcp__other__read"}},
		{"Edit.*", []string{"Edit", "NotebookEdit", "MultiEdit"}, []string{"edit"}},
		{"^(?!Bash$).", []string{"Write", "BashOutput"}, []string{"Bash"}},
		{"^Notebook|Ed", []string{"NotebookEdit", "MultiEdit"}, []string{"Bash"}},
		{`(a)\1`, []string{"xaa"}, []string{"aba"}},
		{`^\w+$`, []string{"Bash"}, []string{"Bäsh"}}, // ASCII, as in JavaScript
		{`\u0042ash`, []string{"Bash"}, []string{"bash"}},
	} {
		m, err := newMatcher(test.matcher)
		if err != nil {
			t.Errorf("%q: %v", test.matcher, err)
			continue
		}
		for range 2 { // from memory the second time
			for _, name := range test.yes {
				if _, ok, err := m.fits([]string{"another ", name}); !ok || err != nil {
					t.Errorf("%q does not match %q: %v", test.matcher, name, err)
				}
			}
			for _, name := range test.not {
				if _, ok, _ := m.fits([]string{name}); ok {
					t.Errorf("%q matches %q", test.matcher, name)
				}
			}
		}
	}
	if _, err := newMatcher("mcp__(x"); err == nil ||
		!strings.Contains(err.Error(), "is not a regular expression of JavaScript") {
		t.Errorf("got %v", err)
	}
}

// TestSlowMatcher: a match that takes too long is an error, not a hook that is left out.
func TestSlowMatcher(t *testing.T) {
	t.Parallel()
	m, err := newMatcher(`^(\w+\s?)*$`)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, ok, err := m.fits([]string{strings.Repeat("a", 60) + "!"}); err == nil || ok ||
		!strings.Contains(err.Error(), "takes too long") {
		t.Errorf("got %v %v after %v", ok, err, time.Since(began))
	}
}

// TestRules: if is one permission rule; a hook runs for calls that it cannot judge.
func TestRules(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	for _, test := range []struct {
		rule, tool string
		in         m
		want       bool
	}{
		{"Bash", "bash", m{"command": "ls"}, true},
		{"Bash", "read", m{}, false},
		{"Write(*)", "write", m{}, true},
		{"Edit", "write", m{}, true}, // as there: it covers all that edits
		{"Read(*.env)", "grep", m{"path": "/p/x.env"}, true},
		{"mcp__x__*", "mcp__x__read", m{}, true},
		{"mcp__x__*", "mcp__y__read", m{}, false},
		{"Edit(*.ts)", "edit", m{"file_path": "/p/src/a.ts"}, true},
		{"Edit(*.ts)", "edit", m{"file_path": "/p/src/a.go"}, false},
		{"Edit(src/**)", "edit", m{"file_path": "/p/src/a/b.go"}, true},
		{"Edit(/src)", "edit", m{"file_path": "/p/src/a/b.go"}, true},
		{"Edit(/src)", "edit", m{"file_path": "/p/other/src"}, false},
		{"Edit(//etc/**)", "edit", m{"file_path": "/etc/hosts"}, true},
		{"Edit(//etc/**)", "edit", m{"file_path": "/p/etc/hosts"}, false},
		{"Edit(~/x)", "edit", m{"file_path": "/home/me/x"}, true},
		{"Edit({)", "edit", m{"file_path": "/p/x"}, true},
		{"Edit(*.ts)", "edit", m{}, true},
		{"WebFetch(domain:example.com)", "fetch", m{"url": "https://example.com/x"}, true},
		{"WebFetch(domain:example.com)", "fetch", m{"url": "https://example.org/x"}, false},
		{"WebFetch(domain:example.com)", "fetch", m{"url": "https://EXAMPLE.com./"}, true},
		{"Edit(//etc/hosts)", "edit", m{"file_path": "/p/../etc/hosts"}, true},
		{"Read(secrets/**)", "grep", m{"path": "/p"}, true},
		{"Read(secrets/**)", "read", m{"file_path": "/p/b"}, false},
		{"mcp__x", "mcp__x__read", m{}, true},
		{"mcp__x", "mcp__xy__read", m{}, false},
		{"my_tool(x)", "my_tool", m{}, true},
	} {
		if got := newRule(test.rule).fits(nil, nil, test.tool, test.in, "/p"); got != test.want {
			t.Errorf("%s of %s %v: got %v", test.rule, test.tool, test.in, got)
		}
	}
	for _, text := range []string{"", "(x)", "Bash(git", "bash(ls)", "Bash|Write",
		"Bash(ls)|Write(*)"} {
		if r := newRule(text); r != nil {
			t.Errorf("%q: got %v", text, r)
		}
	}
}

// TestGoMatchers: a matcher of docker-agent is a regular expression of Go for the whole name.
func TestGoMatchers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		matcher  string
		yes, not []string
	}{
		{"", []string{"shell"}, nil},
		{"*", []string{"shell"}, nil},
		{"shell|edit_file", []string{"shell", "edit_file"}, []string{"Shell", "shells"}},
		{"she..", []string{"shell"}, []string{"shells", "a shell"}},
		{"a|b.*", []string{"a", "bc"}, []string{"ab", "xb", "ac"}},
		{"shell, x", []string{"shell, x"}, []string{"shell", "x"}},
	} {
		m, err := newGoMatcher(test.matcher)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range append(test.yes, test.not...) {
			_, got, err := m.fits([]string{name})
			if want := slices.Contains(test.yes, name); got != want || err != nil {
				t.Errorf("%q and %q: got %v, %v", test.matcher, name, got, err)
			}
		}
	}
}

// TestShapes: each built-in tool has a name there, or its own, and arguments that it really has.
func TestShapes(t *testing.T) {
	t.Parallel()
	own := map[*toolset]string{&claudeTools: "job", &dockerTools: "job skill"}
	for set, without := range own { // those that have no counterpart there
		for _, b := range tool.Declared() {
			s := set.shapeOf(b.Name)
			if (s == nil) != slices.Contains(strings.Fields(without), b.Name) {
				t.Errorf("%s: %v: say what it is called there, or that it has its own name",
					b.Name, s)
				continue
			}
			properties, _ := b.Schema["properties"].(map[string]any)
			for i := 0; s != nil && i < len(s.args); i++ {
				if properties[s.args[i].ours] == nil {
					t.Errorf("%s has no argument %s", b.Name, s.args[i].ours)
				}
			}
		}
	}
}

// BenchmarkMatcher measures a matcher that does not match.
func BenchmarkMatcher(b *testing.B) {
	for _, text := range []string{"Write|Edit", "mcp__memory__.*"} {
		m, err := newMatcher(text)
		if err != nil {
			b.Fatal(err)
		}
		names := claudeTools.names("bash")
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok, _ := m.fits(names); ok {
					b.Fatal("it matches")
				}
			}
		})
	}
}
