package tui

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
	"github.com/agentscripts/agent/tui/tuitest"
)

// ask opens an approval on s, and waits until it takes keys.
func (s *stage) ask(q *engine.Question) *dialog {
	d := newApproval(q)
	s.Update(feed.Batch{d})
	s.advance(seenFor)
	s.Update(armMsg{})
	return d
}

func answered(d *dialog) (engine.Answer, bool) {
	select {
	case v := <-d.answer:
		a, _ := v.(engine.Answer)
		return a, true
	default:
		return engine.Answer{}, false
	}
}

// TestApprovalAlways checks that the rule to store is shown, and offered only if there is one.
func TestApprovalAlways(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	q := aQuestion()
	d := s.ask(q)
	s.lacks("Always allow")
	s.press("a")
	if a, done := answered(d); done {
		t.Fatalf("answered %+v by a key that is not an answer", a)
	}
	s.advance(typingPause)
	s.press("n")
	q.Always = "bash(git status *)"
	d = s.ask(q)
	s.has("Always allow: bash(git status *)")
	s.press("a")
	if a, done := answered(d); done {
		t.Fatalf("a letter stored a rule: %+v", a)
	}
	s.advance(typingPause)
	s.press("left", "left", "enter")
	if a, done := answered(d); !done || !reflect.DeepEqual(a,
		engine.Answer{Allow: true, Always: true}) {
		t.Errorf("got %+v, want always", a)
	}
}

// TestEditRule checks that the rule can be edited before it is stored, and that the dialog stays
// and says what is wrong with one that would not let the call pass.
func TestEditRule(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	q := aQuestion()
	q.Asks, q.Always = q.Asks[2:], "bash(touch a)"
	checked := ""
	q.CheckRule = func(rule string) error {
		if checked = rule; !strings.HasSuffix(rule, "*)") {
			return errors.New("it would ask\x1b[31m again")
		}
		return nil
	}
	d := s.ask(q)
	s.press("right", "right", "enter")
	s.has("Rule: bash(touch a)", "enter stores the rule and allows the call")
	if _, done := answered(d); done {
		t.Fatal("the rule was stored before the user could edit it")
	}
	s.press("esc")
	s.has("Allow once")
	s.runAnswers(s.press("enter", "backspace", "b", "enter"))
	if _, done := answered(d); done || checked != "bash(touch ab" {
		t.Fatalf("answered, or checked %q", checked)
	}
	s.has("it would ask␛[31m again", "Rule: bash(touch ab")
	s.press("backspace", "backspace")
	s.lacks("it would ask")
	s.Update(tea.PasteMsg{Content: "*)"})
	s.runAnswers(s.press("enter"))
	if a, done := answered(d); !done || !reflect.DeepEqual(a,
		engine.Answer{Allow: true, Always: true, Rule: "bash(touch *)"}) {
		t.Errorf("got %+v (%v)", a, done)
	}
	s.lacks("wants to run")
}

// TestEditRuleOnSmallScreen checks that the rule and what is wrong with it fit a small screen.
func TestEditRuleOnSmallScreen(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 40, 12)
	q := aQuestion()
	q.Call.Args = fields{"command": "touch a"}
	q.Asks, q.Always = q.Asks[2:], "bash(touch a/name/of/a/file/that/is/longer)"
	q.CheckRule = func(string) error {
		return errors.New("the rule does not let this call pass: it would ask again")
	}
	s.ask(q)
	s.press("pgdown", "pgdown", "pgdown", "right", "right", "enter", "backspace")
	s.runAnswers(s.press("enter"))
	s.golden("edit-rule-low")
}

// TestLateRuleCheck checks that the result of a check is dropped if the user has gone on editing.
func TestLateRuleCheck(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	q := aQuestion()
	q.Asks, q.Always = q.Asks[2:], "bash(touch a)"
	q.CheckRule = func(string) error { return nil }
	d := s.ask(q)
	s.press("right", "right", "enter", "x")
	check := s.press("enter")
	s.press("y")
	s.runAnswers(check)
	s.Update(ruleCheckedMsg{d.form.(*question), "bash(touch a)x", nil})
	if a, done := answered(d); done {
		t.Errorf("answered %+v with a rule that the user has changed", a)
	}
}

func TestApprovalAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		keys string
		want engine.Answer
	}{
		{"y", engine.Answer{Allow: true}},
		{"s pause a pause n", engine.Answer{}}, // no letter allows more than one call
		{"n", engine.Answer{}},
		{"esc", engine.Answer{}},
		{"enter", engine.Answer{Allow: true}},
		{"right enter", engine.Answer{Allow: true, Session: true}},
		{"left left enter", engine.Answer{}},
		{"r n o enter", engine.Answer{Reason: "no"}},
		{"r esc y", engine.Answer{Allow: true}},
		{"e esc y", engine.Answer{Allow: true}},
		{"e x esc n", engine.Answer{}},
		{"e ctrl+s", engine.Answer{Allow: true}},
		{"right right enter ctrl+s", engine.Answer{Allow: true}},
		{"x q pause y", engine.Answer{Allow: true}},
	} {
		t.Run(test.keys, func(t *testing.T) {
			s := newStage(t, Backend{}, 80, 40)
			q := aQuestion()
			q.Asks = q.Asks[:1]
			d := s.ask(q)
			keys := strings.Fields(test.keys)
			for i, k := range keys {
				if _, done := answered(d); done {
					t.Fatalf("answered before key %d", i+1)
				}
				if k == "pause" {
					s.advance(typingPause)
					continue
				}
				s.press(k)
			}
			got, done := answered(d)
			if !done || got.Allow != test.want.Allow || got.Session != test.want.Session ||
				got.Reason != test.want.Reason || got.Args != nil {
				t.Errorf("got %+v (%v), want %+v", got, done, test.want)
			}
			s.lacks("wants to run")
		})
	}
}

// TestTextIsNotAnAnswer checks that a text whose first key would be an answer goes to the editor
// completely, because some terminals do not mark pastes.
func TestTextIsNotAnAnswer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"yes, please": "yes, please", "nyr": "nyr",
		"run it": "run it", "e": "", "enter y": "y", "y paste": "ypasted text",
		"enter paste": "pasted text"} {
		t.Run(text, func(t *testing.T) {
			s := newStage(t, Backend{}, 80, 40)
			q := aQuestion()
			q.Asks = q.Asks[:1]
			d := s.ask(q)
			first, paste := strings.CutSuffix(text, " paste")
			rest, enter := strings.CutPrefix(first, "enter")
			if enter {
				s.Update(tuitest.KeyPress("enter"))
			}
			s.typeText(strings.TrimSpace(rest))
			if paste {
				s.Update(tea.PasteMsg{Content: "pasted text"})
			}
			if a, done := answered(d); done {
				t.Fatalf("answered %+v", a)
			}
			if want == "" { // a single key is held, and then it answers
				s.Update(heldMsg{s.overlays.held})
				s.has("edit the command", "ctrl+s")
				return
			}
			if got := s.editor.value(); got != want {
				t.Errorf("the editor holds %q, want %q", got, want)
			}
			if s.overlays.held != nil || s.overlays.listens() {
				t.Error("the question still takes keys")
			}
			s.advance(typingPause)
			s.press("n")
			if a, done := answered(d); !done || a.Allow {
				t.Errorf("got %+v, %v", a, done)
			}
		})
	}
}

// TestUsualQuestionFits checks that the usual question about a short command is seen as a whole on
// a small screen, so that one key answers it.
func TestUsualQuestionFits(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 40, 12)
	q := aQuestion()
	q.Call.Args = fields{"command": "touch new.txt"}
	q.Always = "bash(touch new.txt)"
	q.Asks = []engine.Ask{{Short: "default asks first",
		Text: "bash (kind execute) asks for approval in permission mode default"}}
	d := s.ask(q)
	s.has("permission mode: default asks first")
	s.press("y")
	if a, ok := answered(d); !ok || !a.Allow {
		t.Errorf("got %+v, %v:\n%s", a, ok, s.text())
	}
}

// TestEnterAfterAnswer checks that Enter right after an answer confirms it, and never sends the
// text of the editor, even if the answer turns out to be the beginning of a text.
func TestEnterAfterAnswer(t *testing.T) {
	t.Parallel()
	for keys, editor := range map[string]string{"y enter": "draft", "enter enter": "draft",
		"n enter enter": "draft", "y enter x": "drafty\nx", "enter enter x": "draftx"} {
		t.Run(keys, func(t *testing.T) {
			var sent []string
			s := newStage(t, Backend{Send: func(text, _ string) error {
				sent = append(sent, text)
				return nil
			}}, 80, 40)
			s.typeText("draft")
			q := aQuestion()
			q.Asks = q.Asks[:1]
			d := s.ask(q)
			s.advance(typingPause)
			s.Update(tuitest.KeyPress("down")) // after an arrow key, Enter answers
			s.Update(tuitest.KeyPress("up"))
			for _, k := range strings.Fields(keys) {
				s.Update(tuitest.KeyPress(k))
			}
			if a, done := answered(d); done {
				t.Fatalf("answered %+v at once", a)
			}
			if got := s.editor.value(); got != editor {
				t.Errorf("the editor holds %q, want %q", got, editor)
			}
			if held := s.overlays.held; held != nil {
				s.Update(heldMsg{held})
			}
			if _, done := answered(d); done != (editor == "draft") {
				t.Errorf("answered: %v", done)
			}
			if len(sent) > 0 || len(s.work.submits) > 0 {
				t.Errorf("sent %q", sent)
			}
		})
	}
}

func TestEnterDoesNotAllowAfterAFailedGuard(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	d := s.ask(aQuestion())
	s.has("broken.js:4:9: x is not defined", "return x", "guard.lua:12", "rm with -rf",
		`["build","dist"]`)
	s.press("enter")
	if a, done := answered(d); !done || a.Allow {
		t.Errorf("got %+v, %v", a, done)
	}
}

func TestEscBeforeTheDialogListensInterrupts(t *testing.T) {
	t.Parallel()
	called := false
	s := newStage(t, Backend{Interrupt: func() []string { called = true; return nil }}, 80, 40)
	d := newApproval(aQuestion())
	s.Update(feed.Batch{d})
	run(s.press("esc"))
	if _, done := answered(d); done || !called {
		t.Errorf("answered %v, interrupted %v", done, called)
	}
}

// TestEscAtAList: esc at the question of a script, which may be a part of the agent's work,
// interrupts it, and the list says so. At a question of the program itself it only cancels.
func TestEscAtAList(t *testing.T) {
	t.Parallel()
	for script, says := range map[string]string{"x.lua": "esc interrupts", "": "esc cancels"} {
		t.Run(says, func(t *testing.T) {
			interrupted := false
			s := newStage(t, Backend{Interrupt: func() []string { interrupted = true; return nil }},
				80, 40)
			s.send("agent_start", fields{"prompt": "x"})
			q := &ui.Dialog{Script: script, Title: "Which?", Choices: []ui.Choice{{Value: "a"}}}
			d := newDialog(selecting(q, false))
			d.askedBy(q)
			s.Update(feed.Batch{d})
			s.advance(seenFor)
			s.has("enter picks, " + says)
			run(s.press("esc"))
			if v, done := <-d.answer; v != nil || !done || interrupted != (script != "") {
				t.Errorf("got %v, interrupted: %v", v, interrupted)
			}
			s.lacks("Which?")
		})
	}
}

func TestDialogsQueueUpAndEachWaitsForAPause(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	first := s.ask(aQuestion())
	second := newConfirm(&ui.Dialog{Script: "x.lua", Title: "Really?"})
	s.Update(feed.Batch{second})
	s.lacks("Really?")
	s.press("y", "y")
	if _, done := answered(first); !done {
		t.Error("the first dialog is not answered")
	}
	if _, done := answered(second); done {
		t.Error("the second dialog was answered by the key after the first")
	}
	s.has("Really?", "x.lua asks")
	s.advance(seenFor)
	s.press("y")
	if a, done := answered(second); !done || !a.Allow {
		t.Error("the second dialog is not answered")
	}
}

func TestConfirmDefault(t *testing.T) {
	t.Parallel()
	for _, def := range []bool{true, false} {
		s := newStage(t, Backend{}, 80, 40)
		d := newConfirm(&ui.Dialog{Title: "Really?", Default: def})
		s.Update(feed.Batch{d})
		s.advance(seenFor)
		s.press("enter")
		if a, done := answered(d); !done || a.Allow != def {
			t.Errorf("default %v: got %+v, %v", def, a, done)
		}
	}
}

func TestConfirmNamesTheAsker(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{"x.lua": "x.lua asks", "": "agent asks"} {
		s := newStage(t, Backend{}, 80, 40)
		s.Update(feed.Batch{newConfirm(&ui.Dialog{Script: script, Title: "Really?"})})
		s.has("── " + want + " · keys go to")
	}
}

func TestApprovalNamesTheAsker(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]engine.Ask{
		"guard.lua:3: sure?":     {Script: "guard.lua", Line: 3},
		"your rules: sure?":      {Rule: "bash(git push *)"},
		"protected file: sure?":  {Rule: engine.RuleProtected},
		"sandbox: sure?":         {Rule: engine.RuleSandbox},
		"permission mode: sure?": {},
	} {
		s := newStage(t, Backend{}, 80, 40)
		q := aQuestion()
		a.Text = "sure?"
		q.Asks = []engine.Ask{a}
		s.ask(q)
		s.has("  " + want)
	}
}

func TestDialogClosesWhenItsQuestionEnds(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	first := s.ask(aQuestion())
	second := newConfirm(&ui.Dialog{Title: "Really?"})
	s.Update(feed.Batch{second, closeMsg{dialog: first}})
	s.has("Really?")
	s.Update(feed.Batch{closeMsg{dialog: second}})
	s.lacks("Really?", "wants to run")
}

// TestWorkWaits checks that the status says that a question of the agent waits, not that the agent
// works, and that the title says which call of a message it is. A list that the user opened does
// not stop the work.
func TestWorkWaits(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{100, 40}, {40, 12}} {
		s := newStage(t, Backend{}, size[0], size[1])
		s.send("busy_change", fields{"state": "working"})
		s.has("working 0s")
		q := aQuestion()
		q.Call.Number, q.Call.Of = 2, 4
		s.ask(q)
		s.has("bash wants to run, call 2 of 4", "? waits")
		s.lacks("working")
		if cmd := s.status.tick(); cmd != nil {
			t.Error("the spinner turns")
		}
		s.press("n")
		s.has("working")
		s.lacks("? waits")
		if s.status.tick() == nil {
			t.Error("the spinner does not turn any more")
		}
		s.Update(choicesMsg{command: "model", title: "Models", asked: s.pickerKey(),
			choices: []ui.Choice{{Label: "a"}, {Label: "b"}}})
		s.has("Models")
		s.lacks("? waits")
	}
}

// TestDialogsAreCounted checks that the title says how many questions wait behind it, also while it
// does not take keys yet.
func TestDialogsAreCounted(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{100, 40}, {40, 12}} {
		s := newStage(t, Backend{}, size[0], size[1])
		s.ask(aQuestion())
		s.lacks("more ─", "1-3 of 16 · bash") // a line below says that
		s.Update(feed.Batch{newConfirm(&ui.Dialog{Title: "Really?"}),
			newConfirm(&ui.Dialog{Title: "Really?"})})
		s.has("bash wants to run · 2 more ──")
		s.press("n")
		s.has("agent asks", " · 1 more ──")
		if s.overlays.listens() {
			t.Error("the next question takes keys at once")
		}
		s.advance(seenFor)
		s.Update(armMsg{})
		s.press("y")
		s.has("agent asks")
		s.lacks("more")
	}
}

func TestLongArgumentsScroll(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 30)
	q := aQuestion()
	var text strings.Builder
	for i := range 200 {
		text.WriteString("line " + string(rune('0'+i%10)) + "\n")
	}
	q.Call.Args = fields{"path": "a.txt", "content": text.String() + "the last one\x1b[8m"}
	s.ask(q)
	s.has("path: \"a.txt\"", "Allow once", "lines 1-")
	s.lacks("the last one")
	for range 40 {
		s.press("pgdown")
	}
	s.has("the last one␛[8m")
	for range 40 {
		s.press("pgup")
	}
	s.has("path: \"a.txt\"")
	s.Update(tea.WindowSizeMsg{Width: 60, Height: 12})
	s.has("Allow once")
}

// TestEnterDoesNotAllowUncheckedCalls checks that Reject is highlighted if a guard failed or is
// missing.
func TestEnterDoesNotAllowUncheckedCalls(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]engine.Ask{
		"failed": {Script: "g.lua", Text: "g.lua failed",
			Failure: &fault.ScriptError{Script: "g.lua", Message: "oops"}},
		"absent": {Script: "g.lua", Text: "g.lua has no working version", Absent: true},
	} {
		q := aQuestion()
		q.Asks = []engine.Ask{ask}
		d := newApproval(q).form.(*question)
		if a := d.options[d.at].answer; a.Allow {
			t.Errorf("%s: enter answers %q", name, d.options[d.at].label)
		}
	}
}

// TestTwoAnswersStandSideBySide checks that the keys named are those of the direction.
func TestTwoAnswersStandSideBySide(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	s.Update(feed.Batch{newConfirm(&ui.Dialog{Title: "Really?"})})
	s.advance(seenFor)
	s.has("enter confirms, left and right choose, ")
}
