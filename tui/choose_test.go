package tui

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/feed"
)

func manyChoices(n int) []ui.Choice {
	var out []ui.Choice
	for i := range n {
		out = append(out, ui.Choice{Label: fmt.Sprintf("session %d", i),
			Value: fmt.Sprint("id", i), Description: fmt.Sprintf("%d days ago", i)})
	}
	return append(out, ui.Choice{Value: "fix-tests", Description: "the tests\nare \x1b[31mred"})
}

func TestChooser(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, keys string
		want       any
	}{
		{"the first", "enter", "id0"},
		{"down", "down down up enter", "id1"},
		{"up stays at the first", "up enter", "id0"},
		{"a page", "pgdown pgdown enter", "id24"},
		{"the last", "pgdown pgdown pgdown pgdown pgdown pgdown enter", "fix-tests"},
		{"filter by a word", "4 2 enter", "id42"},
		{"filter by letters in order", "f x t s enter", "fix-tests"},
		{"filter by the description", "R E D enter", "fix-tests"},
		{"the filter is edited", "4 3 backspace 1 enter", "id41"},
		{"words come before letters", "s e s s enter", "id0"},
		{"cancelled", "down esc", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, Backend{}, 80, 40)
			d := newDialog(newChooser("which", "", manyChoices(50)))
			s.Update(feed.Batch{d})
			s.advance(seenFor)
			s.Update(armMsg{})
			s.has("── which", "51 of 51")
			keys := strings.Fields(test.keys)
			for i, k := range keys {
				s.press(k)
				if done := len(d.answer) == 1; done != (i == len(keys)-1) {
					t.Fatalf("key %d: answered %v", i+1, done)
				}
			}
			if got := <-d.answer; got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
			s.lacks("which")
		})
	}
}

// TestLastingChooser checks that letters, a paste and an Enter after them go to the editor and pick
// nothing, and that the arrow keys pick from what is left.
func TestLastingChooser(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	c := selecting(&ui.Dialog{Title: "trust?", Lasting: true, Choices: manyChoices(3)}, false)
	d := newDialog(c)
	open := func() {
		s.advance(seenFor + enterPause)
		s.Update(armMsg{})
	}
	s.Update(feed.Batch{d})
	open()
	s.lacks("Filter")
	s.typeText("id1")
	s.press("enter")
	s.advance(answerPause)
	s.has("id1")
	open()
	s.Update(tea.PasteMsg{Content: "fix-tests"})
	s.has("fix-tests")
	if len(d.answer) > 0 {
		t.Fatalf("got %v", <-d.answer)
	}
	open()
	s.press("down")
	s.settle(s.press("enter"))
	if len(d.answer) != 1 {
		t.Fatal("the choice was not picked")
	}
	if got := <-d.answer; got != "id1" {
		t.Errorf("got %v", got)
	}
}

func TestChooserBeginsAtTheDefault(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		picked  []string
		several bool
		sees    string
		want    any
	}{
		{[]string{"id30"}, false, "session 30", "id30"},
		{[]string{"own words"}, false, "session 0", "id0"},
		{[]string{"id30", "id2"}, true, "2 of 51 marked", []string{"id2", "id30"}},
	} {
		s := newStage(t, Backend{}, 80, 40)
		d := newDialog(selecting(&ui.Dialog{Title: "which", Choices: manyChoices(50),
			Picked: test.picked}, test.several))
		s.Update(feed.Batch{d})
		s.advance(seenFor)
		s.Update(armMsg{})
		s.has(test.sees)
		s.press("enter")
		if got := <-d.answer; !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v: got %v, want %v", test.picked, got, test.want)
		}
	}
}

func TestChooserWithoutMatchesPicksNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	d := newDialog(newChooser("which", "", manyChoices(3)))
	s.Update(feed.Batch{d})
	s.advance(seenFor)
	s.Update(armMsg{})
	s.Update(tea.PasteMsg{Content: "no\nsuch thing"})
	s.has("Filter: no such thing", "no match")
	s.press("enter")
	if len(d.answer) > 0 {
		t.Error("a choice was picked")
	}
}

func TestDialogsOfScripts(t *testing.T) {
	t.Parallel()
	within(t, func(ctx context.Context) {
		u := New(Backend{}, Info{})
		answer := func(v any) {
			for {
				for _, item := range u.feed.Take() {
					if d, ok := item.(*dialog); ok {
						d.answer <- v
						return
					}
				}
				<-u.feed.Wake
			}
		}
		go answer("b")
		value, ok, err := u.Select(ctx, &ui.Dialog{Script: "x.lua", Title: "which",
			Choices: []ui.Choice{{Value: "a"}, {Value: "b"}}})
		if value != "b" || !ok || err != nil {
			t.Errorf("select: got %q, %v, %v", value, ok, err)
		}
		go answer(nil)
		if value, ok, err = u.Select(ctx, &ui.Dialog{Title: "which"}); value != "" || ok ||
			err != nil {
			t.Errorf("select, cancelled: got %q, %v, %v", value, ok, err)
		}
		go answer("a line")
		if value, ok, err = u.Input(ctx, &ui.Dialog{Title: "name"}); value != "a line" || !ok ||
			err != nil {
			t.Errorf("input: got %q, %v, %v", value, ok, err)
		}
	})
}

func TestLiner(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	d := newDialog(newLiner("x.lua asks: name", "of the release", "v1"))
	s.Update(feed.Batch{d})
	s.advance(seenFor)
	s.Update(armMsg{})
	s.has("x.lua asks: name", "of the release", "› v1")
	s.press(".", "2")
	s.Update(tea.PasteMsg{Content: "\nrc"})
	s.press("enter")
	if got := <-d.answer; got != "v1.2 rc" {
		t.Errorf("got %v", got)
	}
}

// TestPasswordIsNotVisible checks that only dots of a password are drawn, with the cursor in place.
func TestPasswordIsNotVisible(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	l := newLiner("x.lua asks: password", "", "")
	l.secret = true
	d := newDialog(l)
	s.Update(feed.Batch{d})
	s.advance(seenFor)
	s.Update(armMsg{})
	s.press("a", "b")
	s.Update(tea.PasteMsg{Content: "漢e\u0301"})
	s.press("left")
	s.has("› ••••\n")
	if s.View().Cursor.X != 5 {
		t.Errorf("the cursor is at %d", s.View().Cursor.X)
	}
	s.lacks("漢", "ab")
	s.press("enter")
	if got := <-d.answer; got != "ab漢e\u0301" {
		t.Errorf("got %v", got)
	}
}

// TestPasteAtAQuestionIsNotLost checks that a paste goes to the editor if the question has no place
// for it.
func TestPasteAtAQuestionIsNotLost(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	d := s.ask(aQuestion())
	s.Update(tea.PasteMsg{Content: "kept"})
	if _, done := answered(d); done || s.editor.value() != "kept" {
		t.Errorf("answered %v, the editor has %q", done, s.editor.value())
	}
}

func TestApprovalNamesTheSubAgent(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	q := aQuestion()
	q.Call.Env = &event.Envelope{Agent: "main"}
	s.ask(q)
	s.lacks("sub-agent")
	s.press("n")
	q.Call.Env = &event.Envelope{Agent: "reviewer", Depth: 1}
	s.ask(q)
	s.has("bash wants to run, for the sub-agent reviewer")
}

// TestListWithLaterChoices checks that later choices move neither the user's position nor the
// filter.
func TestListWithLaterChoices(t *testing.T) {
	t.Parallel()
	first := []ui.Choice{{Value: "a/one"}, {Value: "a/two"}}
	s := newStage(t,
		Backend{Choices: func(string) (string, []ui.Choice) { return "Choose a model", first }},
		80, 24)
	s.Update(commandsMsg{{Name: "model", Picks: true}})
	s.Update(choicesMsg{command: "model", title: "Choose a model", choices: first,
		asked: s.pickerKey()})
	s.press("down")
	more := append([]ui.Choice{{Value: "b/new"}, {Value: "b/sonnet-4-6"}}, first...)
	s.Update(feed.Batch{moreMsg{"model", "c: set C_API_KEY", more}, moreMsg{"resume", "", nil}})
	s.has("› a/two", "b/new", "4 of 4", "c: set C_API_KEY")
	for _, k := range strings.Split("s46", "") {
		s.press(k)
	}
	s.has("› b/sonnet-4-6", "1 of 4")
	s.press("esc")
	s.Update(feed.Batch{moreMsg{"model", "", first}}) // too late: the list is closed
	s.lacks("Choose a model")
}

func TestChoiceStaysWhileFiltering(t *testing.T) {
	t.Parallel()
	c := newChooser("which", "", []ui.Choice{{Value: "x/alpha-1"}, {Value: "x/alpha-2"},
		{Value: "x/beta"}})
	c.Move(1)
	c.Edit(func() { c.Filter.Insert("al") })
	if got := c.Value(); got != "x/alpha-2" {
		t.Errorf("got %s, want the choice that the user moved to", got)
	}
	c.Edit(func() { c.Filter.Set("bt") })
	if got := c.Value(); got != "x/beta" || c.Found() != 1 {
		t.Errorf("got %s of %d, want the one that matches", got, c.Found())
	}
}

// TestDetailOfChooserScrollsToItsEnd checks that a user can read all of the detail of a choice
// about trust.
func TestDetailOfChooserScrollsToItsEnd(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 24)
	var detail strings.Builder
	for i := range 60 {
		fmt.Fprintf(&detail, "server %d: true\n", i)
	}
	d := newDialog(newChooser("Trust them?", detail.String()+"server 60: rm -rf",
		[]ui.Choice{{Value: "no"}, {Value: "once"}, {Value: "always"}, {Value: "never"}}))
	s.Update(feed.Batch{d})
	s.advance(seenFor)
	s.Update(armMsg{})
	s.has("server 0: true", "of 61; page up and page down scroll", "never")
	s.lacks("rm -rf")
	for range 10 {
		s.press("pgdown")
	}
	s.has("server 60: rm -rf", "-61 of 61", "› no", "never")
	s.press("enter")
	if got := <-d.answer; got != "no" {
		t.Errorf("got %v", got)
	}
}

// TestPickerBeginsAtTheCurrentValue checks that a list begins at what is set now and marks it, also
// if that is found later, and that nothing else is preselected before the user moves.
func TestPickerBeginsAtTheCurrentValue(t *testing.T) {
	t.Parallel()
	modes := []ui.Choice{{Value: "plan", Description: "reads"}, {Value: "default",
		Description: "asks"}, {Value: "yolo", Description: "asks nothing"}}
	for current, want := range map[string]string{"plan": "plan", "default": "default",
		"yolo": "yolo", "": "plan", "other": "plan"} {
		c := newChooser("Mode", "", modes)
		c.Begin(current)
		if got := c.Value(); got != want {
			t.Errorf("%q is set: stands on %s, want %s", current, got, want)
		}
	}
	s := newStage(t, Backend{}, 80, 24)
	s.Update(choicesMsg{command: "model", title: "Mode", current: "default", choices: modes[:1],
		asked: s.pickerKey()})
	s.has("› plan  reads")
	s.Update(feed.Batch{moreMsg{"model", "", modes}})
	s.has("  plan     reads", "› default  current · asks", "  yolo     asks nothing")
	s.press("down")
	s.Update(feed.Batch{moreMsg{"model", "", modes}})
	s.has("› yolo     asks nothing")
}

// TestLongLabelsLeaveRoom checks that descriptions are in a column also if labels are too long.
func TestLongLabelsLeaveRoom(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 40, 24)
	s.Update(choicesMsg{command: "resume", title: "Which?", asked: s.pickerKey(),
		choices: []ui.Choice{{Label: strings.Repeat("wide ", 20), Value: "a",
			Description: "2 days ago"}, {Value: "b", Description: "just now"}}})
	var at []int
	for _, line := range strings.Split(s.text(), "\n") {
		for _, about := range []string{"2 days ago", "just now"} {
			if before, _, ok := strings.Cut(line, about); ok {
				at = append(at, cells.Width(before))
			}
		}
	}
	if !reflect.DeepEqual(at, []int{30, 30}) {
		t.Errorf("the descriptions begin at %v, want 30\n%s", at, s.text())
	}
}

// TestLongLabelsOnNarrowScreen checks that labels are told apart where descriptions have no room.
func TestLongLabelsOnNarrowScreen(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 40, 20)
	var choices []ui.Choice
	for _, name := range []string{"anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-6"} {
		choices = append(choices, ui.Choice{Value: name,
			Description: "200,000 tokens, thinks, sees"})
	}
	c := newChooser("Model", "", choices)
	c.theme = s.theme
	c.Begin(choices[1].Value)
	lines, _ := c.layout(40, 10)
	text := strings.Join(lines, "\n")
	for _, want := range []string{"sonnet-4-5", "sonnet-4-6", "current"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
