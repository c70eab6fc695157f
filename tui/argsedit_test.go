package tui

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/tui/internal/cells"
)

// editArgs opens a dialog about a call with args and begins to edit them.
func (s *stage) editArgs(args fields) *dialog {
	q := aQuestion()
	q.Call.Args = args
	d := s.ask(q)
	s.press("e")
	return d
}

// write replaces the edited text.
func (s *stage) write(d *dialog, text string) {
	d.form.(*question).edit.area.Set("")
	s.Update(tea.PasteMsg{Content: text})
}

func TestCommandIsEditedAsText(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	d := s.editArgs(fields{"command": "rm -rf build"})
	s.has("edit the command", "│ rm -rf build", "ctrl+s")
	s.press("ctrl+w", "x", "enter", "l", "s", "up", "home", "#", "ctrl+s")
	want := engine.Answer{Allow: true, Args: fields{"command": "#rm -rf x\nls"}}
	if a, done := answered(d); !done || !reflect.DeepEqual(a, want) {
		t.Errorf("got %+v, %v, want %+v", a, done, want)
	}
	s.lacks("wants to run")
}

func TestArgumentsAreEditedAsJSON(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	d := s.editArgs(fields{"path": "a.txt", "list": []any{1.0, nil, true}})
	s.has("edit the arguments, as JSON", `│   "list": [`, `│   "path": "a.txt"`)
	for range 10 {
		s.press("down")
	}
	s.press("up", "end", "left", ".", "g", "o", "ctrl+s")
	want := engine.Answer{Allow: true, Args: fields{"path": "a.txt.go",
		"list": []any{1.0, nil, true}}}
	if a, done := answered(d); !done || !reflect.DeepEqual(a, want) {
		t.Errorf("got %+v, %v, want %+v", a, done, want)
	}
}

func TestInvalidJSONIsReportedAndKept(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"comma", "{\n  \"a\": 1\n  \"b\": 2\n}", "line 3: not JSON at byte"},
		{"end", "{\n  \"a\": 1\n", "line 2: the JSON ends too early"},
		{"more", "{}\n\n{}", "line 3: not JSON at byte"},
		{"nothing", "", "line 1: the JSON ends"},
		{"null", "null", "line 1: the arguments must be an object"},
		{"list", "[]", "line 1: the arguments must be an object"},
		{"number", "{\n\"a\": 1e999}", "line 2: 1e999 is no number that fits here"},
		{"depth", `{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}",
			"line 1: nested deeper"},
		{"wide", "{\n日本: 1}", "line 2: not JSON at byte"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, Backend{}, 80, 40)
			d := s.editArgs(fields{"path": "a.txt"})
			s.write(d, test.text)
			s.press("ctrl+s")
			if _, done := answered(d); done {
				t.Fatal("the invalid text was accepted")
			}
			s.has(test.want)
			s.press("esc")
			s.has(`path: "a.txt"`, "Allow once")
			s.press("e")
			if got := d.form.(*question).edit.area.Text(); got != test.text {
				t.Errorf("%q is left of %q", got, test.text)
			}
			s.press("left")
			s.lacks(test.want)
			s.write(d, "{}")
			s.press("ctrl+s")
			if a, done := answered(d); !done || a.Args == nil || len(a.Args) != 0 {
				t.Errorf("got %+v, %v", a, done)
			}
		})
	}
}

func TestEscFromTheArgumentsAllowsTheOriginal(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	d := s.editArgs(fields{"command": "ls"})
	s.press("x", "esc")
	s.has("│ ls")
	s.press("y")
	if a, done := answered(d); !done || !a.Allow || a.Args != nil {
		t.Errorf("got %+v, %v", a, done)
	}
}

func TestCommandWithUnseenCharactersIsEditedAsJSON(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"a\tb", "a\x1b[8mb", "a\u202eb", "a\u200db", "a\U000e0041b",
		"a\r\nb", "a\x7fb"} {
		e := newArgsEdit(fields{"command": command})
		if e.command || !strings.Contains(e.came, `\`) || cells.Reveal(e.came) != e.came {
			t.Errorf("%q is edited as %q", command, e.came)
		}
	}
}

func TestArgumentsThatCannotBeEdited(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]fields{"not a number": {"n": math.NaN()},
		"bytes":    {"command": "a\xffb"},
		"too long": {"command": strings.Repeat("x", editorLimit+1)}} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, Backend{}, 80, 40)
			d := s.editArgs(args)
			s.lacks("Edit arguments")
			s.press("backspace") // "e" is not an answer here: it goes to the editor
			s.advance(typingPause)
			s.has("›Reject (n)")
			s.press("enter")
			if a, done := answered(d); !done || a.Allow {
				t.Errorf("got %+v, %v", a, done)
			}
		})
	}
}

func TestTooMuchIsNotPastedIntoArguments(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	d := s.editArgs(fields{"command": "ls"})
	s.Update(tea.PasteMsg{Content: strings.Repeat("x", editorLimit)})
	s.has("too long")
	if got := d.form.(*question).edit.area.Text(); got != "ls" {
		t.Errorf("got %d bytes", len(got))
	}
}

func TestLongArgumentsAreEditedPageByPage(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 30)
	var list []any
	for i := range 200 {
		list = append(list, float64(i))
	}
	s.editArgs(fields{"list": list})
	s.has(`"list": [`, "line 1 of 204")
	s.press("pgdown", "pgdown")
	s.lacks(`"list": [`)
	for range 40 {
		s.press("pgdown")
	}
	s.has("line 204 of 204", "199")
	for range 40 {
		s.press("pgup")
	}
	s.has("line 1 of 204")
}

// FuzzArgsEdit checks that the editor shows everything, that the text equals the arguments, and
// that it fits the screen.
func FuzzArgsEdit(f *testing.F) {
	f.Add("command", "ls -l", 80)
	f.Add("command", "a\tb\u202e\U000e0041\u2028", 20)
	f.Add("<k>", "日本\n\x7f\u0085\"\\", 3)
	f.Fuzz(func(t *testing.T, key, value string, width int) {
		if len(key)+len(value) > 1000 {
			return
		}
		args := fields{key: value}
		e := newArgsEdit(args)
		if (e == nil) == (utf8.ValidString(key) && utf8.ValidString(value)) {
			t.Fatalf("%q can be edited: %v", args, e != nil)
		}
		if e == nil {
			return
		}
		if cells.Reveal(e.came) != e.came || cells.Clean(e.came) != e.came {
			t.Errorf("%q hides something", e.came)
		}
		got := fields{"command": e.came}
		if !e.command {
			var err error
			if got, _, err = parseArgs(e.came); err != nil {
				t.Error(err)
			}
		}
		if !reflect.DeepEqual(got, args) {
			t.Errorf("got %q, want %q, from %q", got, args, e.came)
		}
		e.area.Insert("x")
		e.accept()
		width = min(max(width, 1), 200)
		lines, cursor := e.layout(newTheme(), width, 10)
		for _, l := range lines {
			if cells.Width(l) > width {
				t.Errorf("%q is %d cells wide, not %d", l, cells.Width(l), width)
			}
		}
		if len(lines) > 10 || cursor.X >= width || cursor.Y >= len(lines) {
			t.Errorf("%d lines, the cursor at %d, %d", len(lines), cursor.X, cursor.Y)
		}
	})
}
