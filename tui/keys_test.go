package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/ui"

	"github.com/agentscripts/agent/tui/internal/feed"
)

// TestEscTwiceGoesBack checks that two presses of esc in an empty editor list the prompts, and that
// nothing else does.
func TestEscTwiceGoesBack(t *testing.T) {
	t.Parallel()
	wait := func(d time.Duration) func(s *stage) { return func(s *stage) { s.advance(d) } }
	nothing := func(*stage) {}
	for name, test := range map[string]struct {
		before, between func(s *stage)
		first, second   string
		want            bool
	}{
		"twice":     {nothing, nothing, "esc", "esc", true},
		"at once":   {nothing, nothing, "a backspace", "alt+esc", true},
		"too late":  {nothing, wait(escWithin + 1), "esc", "esc", false},
		"text":      {func(s *stage) { s.typeText("draft") }, nothing, "esc", "esc", false},
		"typed":     {nothing, func(s *stage) { s.press("a", "backspace") }, "esc", "esc", false},
		"a run":     {func(s *stage) { s.send("agent_start", nil) }, nothing, "esc", "esc", false},
		"interrupt": {nothing, nothing, "ctrl+c", "esc", false},
	} {
		t.Run(name, func(t *testing.T) {
			asked := ""
			s := newStage(t, Backend{Choices: func(command string) (string, []ui.Choice) {
				asked = command
				return "Go back", []ui.Choice{{Label: "fix the tests", Value: "e1 before"}}
			}}, 60, 20)
			s.Update(commandsMsg{{Name: "fork", Picks: true}})
			test.before(s)
			for _, key := range strings.Fields(test.first) {
				run(s.press(key))
			}
			test.between(s)
			for _, msg := range run(s.press(test.second)) {
				s.Update(msg)
			}
			if (asked == "fork") != test.want {
				t.Fatalf("asked for the choices of %q", asked)
			}
			if !test.want {
				return
			}
			s.has("Go back", "› fix the tests")
			s.press("enter")
			if got := <-s.work.submits; got.text != "/fork e1 before" {
				t.Errorf("submitted %q", got.text)
			}
		})
	}
}

// TestKeysAreOfferedToScripts checks that scripts get the editor's keys first, one after the other,
// and that the order of the keys stays while they are asked; that a dialog's keys, ctrl+c and an
// esc that interrupts are not offered; and that nothing is held when no script wants keys.
func TestKeysAreOfferedToScripts(t *testing.T) {
	t.Parallel()
	wants := []string{"vi.lua"}
	var heard []string
	takers := func() []string { return wants }
	b := Backend{KeyTakers: takers, TakeKey: func(name, text string) bool {
		heard = append(heard, name+"="+text)
		return name == "x"
	}}
	s := newStage(t, b, 80, 20)
	cmd := s.press("a")
	for _, key := range []string{"X", "x", "b", "up"} {
		if len(run(s.press(key))) > 0 {
			t.Errorf("%s is offered before the answer about the one before", key)
		}
	}
	wants = nil // reloaded; what waits keeps its order
	s.press("c")
	for cmd != nil && len(heard) < 10 {
		var next tea.Cmd
		for _, msg := range run(cmd) {
			if taken, ok := msg.(keyTakenMsg); ok {
				_, next = s.Update(taken)
			}
		}
		cmd = next
	}
	if got := s.editor.value(); got != "aXbc" || fmt.Sprint(heard) != "[a=a X=X x=x b=b up= c=c]" {
		t.Errorf("the editor has %q, the script heard %q", got, heard)
	}
	heard = nil
	s.press("d")
	wants = []string{"vi.lua"}
	s.press("ctrl+c")
	s.send("busy_change", fields{"state": "working"})
	s.press("esc")
	s.ask(aQuestion())
	s.press("n")
	if len(heard) > 0 || len(s.offered.presses) > 0 {
		t.Errorf("offered %q, held %v", heard, s.offered.presses)
	}
}

// TestEscTwiceTakesTheKeysBack checks that a user can leave a script that takes all keys: two esc
// in a row give them to the editor until a text is sent.
func TestEscTwiceTakesTheKeysBack(t *testing.T) {
	t.Parallel()
	takes := func(string) bool { return true }
	b := Backend{KeyTakers: func() []string { return []string{"all.lua", "b.js"} },
		TakeKey: func(name, _ string) bool { return takes(name) }}
	s := newStage(t, b, 80, 20)
	press := func(keys ...string) {
		t.Helper()
		var cmd tea.Cmd
		for _, key := range keys {
			cmd = tea.Batch(cmd, s.press(key))
		}
		for n := 0; cmd != nil && n < 2*len(keys); n++ {
			var next tea.Cmd
			for _, msg := range run(cmd) {
				if taken, ok := msg.(keyTakenMsg); ok {
					_, more := s.Update(taken)
					next = tea.Batch(next, more)
				}
			}
			cmd = next
		}
	}
	check := func(text, status string) {
		t.Helper()
		s.has(status)
		if got := s.editor.value(); got != text || len(s.offered.presses) > 0 {
			t.Errorf("the editor has %q, want %q; %d keys are held", got, text,
				len(s.offered.presses))
		}
	}
	press("a", "esc", "b", "esc")
	check("", "keys: all.lua, b.js")
	s.advance(escWithin + 1)
	press("esc")
	check("", "keys: all.lua, b.js")
	press("esc", "x", "y")
	check("xy", "keys: yours")
	press("enter")
	check("", "keys: all.lua, b.js")
	if got := <-s.work.submits; got.text != "xy" {
		t.Errorf("sent %q", got.text)
	}
	takes = func(name string) bool { return name != "esc" } // as one with modes does
	press("esc", "esc", "z")
	check("", "keys: all.lua, b.js")
	n := 0
	takes = func(string) bool { n++; return n%2 == 1 } // the first esc of two
	press("esc", "esc", "esc", "esc", "z")
	check("", "keys: all.lua, b.js")
}

// TestKeysFollowWhatScriptsInsert checks that a key comes into the editor after the text that a
// script has put there for an earlier key.
func TestKeysFollowWhatScriptsInsert(t *testing.T) {
	t.Parallel()
	var u *UI
	takers := func() []string { return []string{"a.lua"} }
	b := Backend{KeyTakers: takers, TakeKey: func(name, _ string) bool {
		if name == "x" {
			u.Surface().Insert("a.lua", "[it]")
		}
		return name == "x"
	}}
	u = New(b, Info{})
	s := &stage{t: t, model: u.model}
	s.Update(tea.WindowSizeMsg{Width: 60, Height: 10})
	cmd := s.press("a")
	for _, key := range []string{"x", "b"} {
		s.press(key)
	}
	for range 3 {
		msgs := run(cmd)
		if items := u.feed.Take(); len(items) > 0 {
			msgs = append(msgs, items)
		}
		for _, msg := range msgs {
			_, cmd = s.Update(msg)
		}
	}
	if got := s.editor.value(); got != "a[it]b" {
		t.Errorf("the editor has %q", got)
	}
}

// TestVim checks the editor with the keys of Vim, and what remains as it is.
func TestVim(t *testing.T) {
	t.Parallel()
	interrupts := 0
	s := newStage(t, Backend{Interrupt: func() []string { interrupts++; return nil }}, 80, 20)
	if p := (&UI{model: s.model}).Configure(Settings{Editor: "vim"}); p != nil {
		t.Fatal(p)
	}
	wants := func(text, status string) {
		t.Helper()
		if got := s.editor.value(); got != text {
			t.Errorf("the editor has %q, want %q", got, text)
		}
		lines := strings.Split(s.text(), "\n")
		if last := lines[len(lines)-1]; !strings.Contains(last, status) {
			t.Errorf("the status is %q, want %q", last, status)
		}
	}
	s.typeText("one two")
	wants("one two", "default")
	if s.cursor.Shape != tea.CursorBar {
		t.Error("the cursor of insert mode is no bar")
	}
	s.press("esc")
	wants("one two", "normal · default")
	s.typeText("bdw")
	wants("one ", "normal")
	s.typeText("u")
	wants("one two", "normal")
	s.press("ctrl+r")
	wants("one ", "normal")
	s.typeText("0v")
	wants("one ", "visual")
	if s.typeText("e"); !strings.Contains(s.View().Content, "\x1b[7mone\x1b[m") {
		t.Errorf("nothing is marked: %q", s.View().Content)
	}
	s.typeText("cx")
	wants("x ", "default")
	s.press("esc", "enter")
	wants("", "default")
	if got := <-s.work.submits; got.text != "x" {
		t.Errorf("sent %q", got.text)
	}
	s.press("esc", "k")
	wants("x", "normal")
	s.typeText("A!")
	s.send("agent_start", fields{"prompt": "x"})
	s.has("esc esc interrupts")
	for _, want := range []int{0, 1} {
		run(s.press("esc"))
		if interrupts != want {
			t.Errorf("%d interrupts, want %d", interrupts, want)
		}
		s.has(" esc interrupts")
	}
	s.press("i")
	s.ask(aQuestion())
	s.press("n")
	s.lacks("bash wants to run")
	s.send("agent_end", fields{"status": "completed"})
	s.Update(feed.Batch{endMsg{"x", false}})
	s.send("wait_input", fields{"cause": "idle"})
	s.press("esc", "ctrl+c")
	s.typeText("new")
	wants("new", "default")
	wrong := Settings{Editor: "emacs", EditorWhere: "c:1"}
	if p := (&UI{model: s.model}).Configure(wrong); len(p) != 1 {
		t.Errorf("problems: %q", p)
	}
}
