package tui

import (
	"fmt"
	"reflect"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
)

// answerTo opens a form, presses keys when it takes keys, and returns its answer, or "open" if it
// is still open.
func answerTo(t *testing.T, f form, keys ...string) any {
	t.Helper()
	s := newStage(t, Backend{}, 60, 20)
	d := newDialog(f)
	s.Update(feed.Batch{d})
	s.advance(seenFor)
	s.Update(armMsg{})
	s.press(keys...)
	select {
	case v := <-d.answer:
		return v
	default:
		return "open"
	}
}

func TestManyAndOther(t *testing.T) {
	t.Parallel()
	choices := []ui.Choice{{Value: "a"}, {Value: "b"}, {Value: "c"}}
	form := func(several, other bool) form {
		return selecting(&ui.Dialog{Title: "which", Choices: choices, Other: other}, several)
	}
	for _, test := range []struct {
		several, other bool
		keys           []string
		want           any
	}{
		{true, false, []string{"tab", "down", "tab", "enter"}, []string{"a", "c"}},
		{true, false, []string{"enter"}, []string{}},
		{true, false, []string{"tab", "up", "tab", "enter"}, []string{}},
		{true, false, []string{"esc"}, nil},
		{true, false, []string{"c", "tab", "backspace", "up", "up", "tab", "enter"},
			[]string{"a", "c"}},
		{true, false, []string{"z", "tab", "enter"}, []string{}},
		{true, true, []string{"z", "z", "tab", "up", "up", "up", "tab", "enter"},
			[]string{"a", "zz"}},
		{false, true, []string{"z", "enter"}, "z"},
		{false, true, []string{"b", "enter"}, "b"},
		{false, true, []string{"b", "down", "enter"}, "b"},
		{false, true, []string{"b", "!", "enter"}, "b!"},
		{false, true, []string{"enter"}, "a"},
		{false, false, []string{"z", "enter"}, "open"},
	} {
		if got := answerTo(t, form(test.several, test.other), test.keys...); !reflect.DeepEqual(got,
			test.want) {
			t.Errorf("several %v, other %v, %v: got %#v, want %#v", test.several, test.other,
				test.keys, got, test.want)
		}
	}
}

func TestTexter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		keys []string
		want any
	}{
		{[]string{"enter", "x", "ctrl+s"}, "one\ntwo\nx"},
		{[]string{"up", "!", "ctrl+s"}, "one!\ntwo"},
		{[]string{"x", "esc"}, nil},
		{[]string{"pgup", "home", "x", "ctrl+s"}, "xone\ntwo"},
	} {
		if got := answerTo(t, newTexter("t", "detail", "one\ntw\x1b[2Jo"),
			test.keys...); got != test.want {
			t.Errorf("%v: got %#v, want %#v", test.keys, got, test.want)
		}
	}
}

func TestTexterFitsItsRoom(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 30, 12)
	text := ""
	for i := range 100 {
		text += fmt.Sprintf("line %d that is longer than the screen is wide\n", i)
	}
	d := newDialog(newTexter("[x.lua] Edit", "a detail", text))
	s.Update(feed.Batch{d})
	s.advance(seenFor)
	s.Update(armMsg{})
	s.Update(tea.PasteMsg{Content: "the end"})
	s.has("the end", "ctrl+s is done", "a detail", "Edit")
	s.golden("texter-30")
}
