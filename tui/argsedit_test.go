package tui

import (
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
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
	d.form.(*question).edit.Area.Set("")
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
			if got := d.form.(*question).edit.Area.Text(); got != test.text {
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
			if got := s.text(); !regexp.MustCompile("› ?Reject").MatchString(got) {
				t.Errorf("Reject is not chosen:\n%s", got)
			}
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
	if got := d.form.(*question).edit.Area.Text(); got != "ls" {
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
