package tui

import (
	"context"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
)

const ms = time.Millisecond

// TestGate gives times in milliseconds since the dialog was drawn. The gate opens when there was no
// key for 500 ms and the dialog has been drawn for 700 ms, and stays open.
func TestGate(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_700_000_000, 0)
	at := func(n int) time.Time { return start.Add(time.Duration(n) * ms) }
	for _, tt := range []struct {
		last, now int
		want      bool
	}{
		{-10_000, 0, false}, {-10_000, 699, false}, {-10_000, 700, true},
		{100, 699, false}, {100, 700, true}, {201, 700, false}, {201, 701, true},
		{60_000, 60_499, false}, {60_000, 60_500, true},
	} {
		g := gate{}
		if g.arm(at(tt.now), at(tt.last)); g.opened {
			t.Errorf("%+v: open before it was drawn", tt)
		}
		g.noteDrawn(start)
		g.noteDrawn(at(500)) // drawn again: the first time counts
		if g.arm(at(tt.now), at(tt.last)); g.opened != tt.want {
			t.Errorf("%+v: got %v", tt, g.opened)
		}
		if g.arm(at(tt.now+1), at(tt.now+1)); tt.want && !g.opened {
			t.Errorf("%+v: it did not stay open", tt)
		}
	}
}

// opening lists everything that opens by itself, by name. Each function opens one and returns a
// function that reports whether it got a key.
var opening = map[string]func(s *stage) (used func() bool){
	"approval": func(s *stage) func() bool {
		q := aQuestion()
		q.Always = "bash(rm *)"
		return opened(s, newApproval(q))
	},
	"confirm": func(s *stage) func() bool {
		return opened(s, newConfirm(&ui.Dialog{Script: "x.lua", Title: "Sure?", Default: true}))
	},
	"select": func(s *stage) func() bool {
		return opened(s,
			newDialog(selecting(&ui.Dialog{Title: "Which?",
				Choices: []ui.Choice{{Value: "yes"}, {Value: "no"}}}, false)))
	},
	"many": func(s *stage) func() bool {
		return opened(s,
			newDialog(selecting(&ui.Dialog{Title: "Which?",
				Choices: []ui.Choice{{Value: "yes"}, {Value: "no"}}}, true)))
	},
	"input": func(s *stage) func() bool { return opened(s, newDialog(newLiner("Name?", "", ""))) },
	"edit":  func(s *stage) func() bool { return opened(s, newDialog(newTexter("Edit?", "", ""))) },
	"panel": func(s *stage) func() bool {
		used := false
		p := &panel{told: &ui.Panel{Key: func(string, string) { used = true },
			Resize: func(int, int) {}, Close: func() { used = true }}}
		s.Update(feed.Batch{openPanelMsg{p}})
		return func() bool { return used }
	},
	"picker of the program": func(s *stage) func() bool {
		s.Update(choicesMsg{command: "resume", title: "Which?",
			choices: []ui.Choice{{Value: "yes"}}, asked: time.Time{}})
		return used(s.overlays.dialogs.front())
	},
	"picker that took long": func(s *stage) func() bool { // the user has typed since
		s.Update(choicesMsg{command: "model", title: "Which?",
			choices: []ui.Choice{{Value: "yes"}}, asked: s.clock.Add(-time.Second)})
		return used(s.overlays.dialogs.front())
	},
}

func opened(s *stage, d *dialog) func() bool {
	s.Update(feed.Batch{d})
	return used(d)
}

// used reports whether a key or a paste changed a dialog, or answered it.
func used(d *dialog) func() bool {
	switch f := d.form.(type) {
	case *question:
		return func() bool {
			return len(d.answer) > 0 || f.line != nil || f.editing || f.at != 0 &&
				f.options[f.at].key == ""
		}
	case *chooser:
		return func() bool { return len(d.answer) > 0 || f.Filter.Text() != "" || f.Moved() }
	case *liner:
		return func() bool { return len(d.answer) > 0 || f.line.Text() != "" }
	case *texter:
		return func() bool { return len(d.answer) > 0 || f.area.Text() != "" }
	}
	panic("no such form")
}

// TestTypingNeverAnswers checks that the editor gets everything that the user types or pastes, for
// however long, and that nothing goes to what opens by itself.
func TestTypingNeverAnswers(t *testing.T) {
	t.Parallel()
	const text = "say yes, run as root; e r s a y n and so on, a long text that goes on and on "
	for name, open := range opening {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, Backend{}, 80, 30)
			s.typeText("I ")
			used := open(s)
			if name != "panel" {
				s.has("keys go to the editor")
			}
			for range 3 { // for 60 s
				for _, r := range text {
					s.advance(typingPause - 230*ms + time.Duration(r%7)*30*ms)
					s.Update(armMsg{})
					s.typeText(string(r))
				}
			}
			s.advance(typingPause - ms)
			s.Update(tea.PasteMsg{Content: "pasted"})
			s.advance(typingPause - ms)
			s.press("y")
			want := "I " + text + text + text + "pastedy"
			if used() || s.editor.value() != want {
				t.Fatalf("the dialog took a key, or the editor has %q", s.editor.value())
			}
			s.advance(typingPause)
			s.Update(armMsg{})
			s.lacks("keys go to the editor")
			s.press("n")
			if !used() || s.editor.value() != want {
				t.Errorf("it does not listen after the pause; the editor has %q", s.editor.value())
			}
		})
	}
}

// TestCommandLinesPickerListens checks that a list that the command line requested takes keys at
// once, unless the user began to type before it opened or another question came first.
func TestCommandLinesPickerListens(t *testing.T) {
	t.Parallel()
	start := func(first func(s *stage)) (*stage, *dialog) {
		s := newStage(t, Backend{Choices: func(string) (string, []ui.Choice) {
			return "Which?", []ui.Choice{{Value: "beta"}}
		}}, 80, 30)
		first(s)
		cmd := s.commands.askAtStart("resume")
		s.Update(cmd())
		d := s.overlays.dialogs.queue[len(s.overlays.dialogs.queue)-1]
		s.typeText("b")
		return s, d
	}
	if s, d := start(func(*stage) {}); !used(d)() || s.editor.value() != "" {
		t.Errorf("the first key went to the editor: %q", s.editor.value())
	}
	if s, d := start(func(s *stage) { s.typeText("I ") }); used(d)() || s.editor.value() != "I b" {
		t.Errorf("typing went to the list; the editor has %q", s.editor.value())
	}
	if s, d := start(func(s *stage) { s.ask(aQuestion()) }); s.overlays.dialogs.front() == d ||
		d.opened {
		t.Error("a list behind a question takes keys at once")
	}
}

// TestNewDialogsTakeNoKeys checks that something new takes no keys, even if the user was
// not typing: the user cannot have read it.
func TestNewDialogsTakeNoKeys(t *testing.T) {
	t.Parallel()
	for name, open := range opening {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, Backend{}, 80, 30)
			s.advance(time.Minute)
			used := open(s)
			s.advance(seenFor - ms)
			s.Update(armMsg{})
			s.press("y", "enter")
			if used() {
				t.Error("it took a key at once")
			}
		})
	}
}

// TestEachDialogWaitsForAPause checks that the second question waits from when it is drawn, after
// the first was answered.
func TestEachDialogWaitsForAPause(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 30)
	first, second := newConfirm(&ui.Dialog{Title: "One?"}),
		newConfirm(&ui.Dialog{Title: "Two?"})
	s.Update(feed.Batch{first, second})
	s.advance(time.Minute)
	s.press("y")
	s.has("Two?")
	s.advance(seenFor - ms)
	s.press("y")
	if len(first.answer) != 1 || len(second.answer) != 0 {
		t.Errorf("answered: %d, %d", len(first.answer), len(second.answer))
	}
}

// TestEnterThatSendsDoesNotAnswer checks an Enter after a pause while the editor holds text.
func TestEnterThatSendsDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		pause time.Duration
		keys  []string
		want  bool
	}{
		{"send this", seenFor, []string{"enter"}, false},
		{"send this", seenFor, []string{"right", "left", "enter"}, true},
		{"send this", seenFor, []string{"y"}, true},
		{"send this", enterPause, []string{"enter"}, true},
		{"", seenFor, []string{"enter"}, true},
	} {
		s := newStage(t, Backend{}, 80, 30)
		s.typeText(tt.text)
		q := aQuestion()
		q.Asks = q.Asks[:1]
		d := newApproval(q)
		s.Update(feed.Batch{d})
		s.advance(tt.pause)
		s.press(tt.keys...)
		if got := len(d.answer) > 0; got != tt.want || s.editor.value() != tt.text {
			t.Errorf("%+v: got %v, the editor has %q", tt, got, s.editor.value())
		}
		if !tt.want {
			s.has("choose with an arrow key")
		}
	}
}

// TestKeysTypedWhileBusyDoNotAnswer checks keys that were typed while the program was busy and are
// handled later.
func TestKeysTypedWhileBusyDoNotAnswer(t *testing.T) {
	t.Parallel()
	for name, open := range opening {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, Backend{}, 80, 30)
			used := open(s)
			s.clock = s.clock.Add(time.Minute) // no armMsg was handled
			s.press("y", "n", "enter")
			if used() {
				t.Error("it took a key")
			}
		})
	}
}

// TestWordsDoNotAnswer checks that keys do not answer if the user continues to type after a pause
// in which a question began to take keys. A letter that is not an answer shows this: it goes to the
// editor with all that follows.
func TestWordsDoNotAnswer(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]func() *dialog{
		"approval": func() *dialog { return newApproval(aQuestion()) },
		"confirm": func() *dialog {
			return newConfirm(&ui.Dialog{Title: "Sure?",
				Default: true})
		},
		"lasting": func() *dialog {
			return newConfirm(&ui.Dialog{Title: "Trust it?",
				Lasting: true})
		},
	} {
		s := newStage(t, Backend{}, 80, 30)
		d := q()
		used := opened(s, d)
		s.advance(seenFor)
		s.lacks("keys go to the editor")
		s.typeText("/thinking is on; why?")
		if used() || s.editor.value() != "/thinking is on; why?" {
			t.Fatalf("%s: it took a key, or the editor has %q", name, s.editor.value())
		}
		s.has("keys go to the editor")
		s.advance(typingPause)
		s.lacks("keys go to the editor")
		if s.press("n"); len(d.answer) == 0 {
			t.Errorf("%s: it does not listen after the pause", name)
		}
	}
}

// TestLastingConfirmTakesNoLetter checks that only Enter on the visible choice gives a lasting
// answer.
func TestLastingConfirmTakesNoLetter(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 30)
	d := newConfirm(&ui.Dialog{Title: "Trust it?", Lasting: true})
	s.Update(feed.Batch{d})
	s.advance(seenFor)
	if s.press("y"); len(d.answer) > 0 {
		t.Fatal("a letter answered")
	}
	s.advance(typingPause)
	s.press("left", "enter")
	if a, done := answered(d); !done || !a.Allow {
		t.Errorf("got %+v, %v", a, done)
	}
}

// TestShiftTabAtWaitingQuestion checks that the key does not switch the permission mode: it is
// meant for the choices.
func TestShiftTabAtWaitingQuestion(t *testing.T) {
	t.Parallel()
	s := newStage(t,
		Backend{SetPermission: func(event.Permission) { t.Error("the mode was changed") }}, 80, 30)
	s.Update(feed.Batch{newApproval(aQuestion())})
	run(s.press("shift+tab"))
}

// TestTimeoutStartsWhenTheQuestionTakesKeys checks that the time limit does not run while
// another question is in front, and that its end is reported.
func TestTimeoutStartsWhenTheQuestionTakesKeys(t *testing.T) {
	t.Parallel()
	u := New(Backend{}, Info{})
	s := &stage{t: t, model: u.model, clock: time.Unix(1_700_000_000, 0)}
	s.now = func() time.Time { return s.clock }
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	first := newConfirm(&ui.Dialog{Title: "First?"})
	s.Update(feed.Batch{first})
	q := &ui.Dialog{Script: "x.lua", Title: "Deploy?",
		Patience: ui.NewPatience(time.Hour, func() { cancel(context.DeadlineExceeded) })}
	done := make(chan error, 1)
	go func() {
		_, err := u.Confirm(ctx, q)
		done <- err
	}()
	<-u.feed.Wake
	s.Update(u.feed.Take())
	held := func() bool {
		before, _ := q.Patience.Left()
		for end := time.Now().Add(20 * ms); time.Now().Before(end); {
			time.Sleep(ms)
		}
		after, _ := q.Patience.Left()
		return after == before
	}
	s.advance(seenFor)
	s.press("y")
	s.has("Deploy?")
	s.lacks("s left")
	if !held() {
		t.Error("the time limit runs before the question can be answered")
	}
	s.advance(seenFor)
	s.Update(armMsg{})
	s.has("x.lua asks · 3", "s left")
	if held() {
		t.Error("the time limit does not run")
	}
	cancel(context.DeadlineExceeded)
	if err := <-done; err == nil {
		t.Error("no error")
	}
	<-u.feed.Wake
	s.Update(u.feed.Take())
	s.has("x.lua asks: Deploy?: no answer in time")
}

// TestKeysOfADialogThatIsGone checks that keys which choose in a dialog do not send the text of the
// editor when the next dialog takes its place under them, and do not answer that one.
func TestKeysOfADialogThatIsGone(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 30)
	s.typeText("draft")
	confirm := func(title string) func() bool {
		return opened(s, newConfirm(&ui.Dialog{Script: "x.lua", Title: title}))
	}
	first, second := confirm("First?"), confirm("Second?")
	s.has("First?")
	s.advance(time.Minute)
	s.press("down", "enter")
	if !first() {
		t.Fatal("the first one has no answer")
	}
	s.has("Second?")
	s.press("down", "tab", "enter", "enter")
	if second() || len(s.work.submits) > 0 {
		t.Error("the keys went on to the next dialog, or sent the text")
	}
	s.typeText(" goes on")
	s.has("draft goes on")
	s.press("enter")
	if len(s.work.submits) != 1 {
		t.Error("Enter does not send what was typed")
	}
}
