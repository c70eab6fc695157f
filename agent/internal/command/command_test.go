package command

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/scripttest"
)

func TestExpand(t *testing.T) {
	tests := []struct{ body, typed, want string }{
		{"Do it.", "", "Do it."},
		{"Do it.", "now", "Do it.\n\nnow"},
		{"Do $ARGUMENTS!", "a  'b c'", "Do a  'b c'!"},
		{"$1-$2-$3", `a "b c"`, "a-b c-"},
		{"$2 $1", "$1 $2", "$2 $1"}, // the typed arguments are not expanded
		{`costs \$1 or \$ARGUMENTS`, "", "costs $1 or $ARGUMENTS"},
		{"$10 and $100 and $ARGUMENTSX", "x", "$10 and $100 and $ARGUMENTSX\n\nx"},
		{"$0 to $1 $ARGUMENTS[1] $ARGUMENTS[7]", "a b", "a to b b"}, // it counts from 0
		{"$1 $ARGUMENTS[0]", "a b", "a a"},
		{"see !`git log $1` here", "main", "see <git log main> here"},
		{"!`a`\n\t!`b`", "!`c`", "<a>\n\t<b>\n\n!`c`"},
		{"$1", "!`c`", "!`c`"}, // what is typed runs nothing
		{"no!`a` and `!`b`` nor !`", "", "no!`a` and `!`b`` nor !`"},
		{"Do:\n```!\na\nb $1\n```\nnow", "x", "Do:\n<a\nb x>\nnow"},
		{"$1", `it's`, "it's"},
		{"$1", `"`, `"`},
		{"$1|$2", "a\t\nb", "a|b"},
		{"$1", `a'b c'd`, "ab cd"},
		// their second bytes alone would be spaces
		{"$1|$2", "voilà Ü\u0085", "voilà|Ü"},
		{"$1|$2", "a\u00a0\u2003b", "a|b"},
		{"$1|$2", `"" ''b`, "|b"},
	}
	for _, tt := range tests {
		if got := joined(tt.body, tt.typed, false); got != tt.want {
			t.Errorf("%q with %q: got %q, want %q", tt.body, tt.typed, got, tt.want)
		}
	}
}

// joined expands a text, with its commands in angle brackets.
func joined(body, typed string, pi bool) (text string) {
	for _, p := range expand(body, typed, pi) {
		if p.command {
			p.text = "<" + p.text + ">"
		}
		text += p.text
	}
	return strings.TrimSpace(text)
}

// TestExpandPi checks the placeholders of pi.
func TestExpandPi(t *testing.T) {
	for body, want := range map[string]string{"$1 of $@": "a of a 'b c' d",
		"${@:2}|${@:2:1}|${@:9}": "b c d|b c|", "$ARGUMENTS": "a 'b c' d"} {
		if got := joined(body, "a 'b c' d", true); got != want {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
	}
	if got := joined(`"$@"`, "a", false); got != "\"$@\"\n\na" {
		t.Errorf("of Claude Code: got %q", got)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add(`a "b c" 'd`)
	f.Add("à 'Ü' \xa0\x85")
	f.Fuzz(func(t *testing.T, typed string) {
		for _, w := range splitWords(typed) {
			if len(w) > len(typed) {
				t.Errorf("%q: a word is longer than the text: %q", typed, w)
			}
			if utf8.ValidString(typed) && !utf8.ValidString(w) {
				t.Errorf("%q: a character was cut: %q", typed, w)
			}
		}
	})
}

func TestFilesComeAndGo(t *testing.T) {
	e := scripttest.NewEngine(t, engine.Options{})
	home, project := t.TempDir(), t.TempDir()
	c := New(Options{Engine: e, Home: home, Project: project,
		Warn: func(text string) { t.Errorf("got the warning %s", text) }})
	write := func(dir, name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := func(want ...string) {
		t.Helper()
		c.Refresh()
		if got := e.Scripts.Snapshot().CommandNames(); len(got)+len(want) > 0 &&
			!reflect.DeepEqual(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	write(home, "commands/a.md", "---\nargument-hint: [file] [line]\n---\n# Do a\nNow.")
	names() // not started
	c.Start()
	names("a")
	if cmd := e.Scripts.Snapshot().Command("a"); cmd.Hint != "[file] [line]" ||
		cmd.Description != "Do a" {
		t.Errorf("got %q and %q", cmd.Hint, cmd.Description)
	}
	snapshot := e.Scripts.Snapshot()
	if names("a"); e.Scripts.Snapshot() != snapshot {
		t.Error("the commands were installed again though no file has changed")
	}
	write(project, ".claude/commands/x/y/b.md", "b")
	names("a", "x:y:b")
	write(home, "commands/a.md", "Do $1 "+strings.Repeat("x", 10))
	c.Refresh()
	r, err := e.Commands.Run(context.Background(), nil, "a", "it")
	if err != nil || r.Prompt != "Do it xxxxxxxxxx" {
		t.Errorf("got %+v, %v: want the text that was saved", r, err)
	}
	os.RemoveAll(filepath.Join(home, "commands"))
	names("x:y:b")
	os.RemoveAll(filepath.Join(project, ".claude"))
	names()
}

// TestLinksOutOfProjectAreIgnored checks that a project's link to / is not searched.
func TestLinksOutOfProjectAreIgnored(t *testing.T) {
	e := scripttest.NewEngine(t, engine.Options{})
	project, outside := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(project, ".claude/commands"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.md", "b.md"} {
		if err := os.WriteFile(filepath.Join(outside, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(project, ".claude/commands/x")); err != nil {
		t.Skip(err)
	}
	var warnings []string
	c := New(Options{Engine: e, Project: project,
		Warn: func(text string) { warnings = append(warnings, text) }})
	c.Start()
	if len(warnings) != 1 || !strings.Contains(warnings[0],
		"commands/x: links out of the project") || len(e.Scripts.Snapshot().CommandNames()) > 0 {
		t.Errorf("got warnings %q and commands %q, want one warning", warnings,
			e.Scripts.Snapshot().CommandNames())
	}
}
