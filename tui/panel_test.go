package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
)

// TestPanel checks that a panel replaces the conversation and gets all keys except ctrl+c, and that
// a question precedes it.
func TestPanel(t *testing.T) {
	t.Parallel()
	u := New(Backend{}, Info{Dir: "~/project"})
	s := &stage{t: t, model: u.model, clock: time.Unix(1_700_000_000, 0)}
	s.now = func() time.Time { return s.clock }
	var heard []string
	closed, size := 0, ""
	s.Update(tea.WindowSizeMsg{Width: 60, Height: 10})
	view := u.Surface().Open(&ui.Panel{Script: "snake.lua", Title: "Sn\x1b[2Jake",
		Key:    func(name, text string) { heard = append(heard, name+"="+text) },
		Resize: func(w, h int) { size = fmt.Sprintf("%dx%d", w, h) }, Close: func() { closed++ }})
	view.Draw([]ui.Line{{{Text: "score "}, {Text: "5\x1b]0;x\a", Style: "ok"}}})
	s.Update(u.feed.Take())
	s.has("[snake.lua] Snake", "score 5", "default")
	s.lacks("~/project")
	s.has("waits until you pause typing", "Ask, or") // keys still go to the editor
	s.advance(seenFor)
	s.Update(armMsg{})
	s.lacks("waits until", "Ask, or")
	if size != "60x8" {
		t.Errorf("its size is %s", size)
	}
	s.press("a", "up", "esc", "ctrl+o", "enter")
	if got := fmt.Sprint(heard); got != "[a=a up= esc= ctrl+o= enter=]" {
		t.Errorf("it got the keys %s", got)
	}
	s.Update(feed.Batch{newConfirm(&ui.Dialog{Title: "Sure?"})})
	s.has("Sure?")
	s.advance(seenFor)
	s.Update(armMsg{})
	s.press("y")
	s.has("score 5")
	s.press("ctrl+c")
	s.has("~/project", "ctrl+c again within 2 s quits")
	if closed != 1 || len(heard) != 5 {
		t.Errorf("closed %d times, got the keys %v", closed, heard)
	}
	view.Draw([]ui.Line{{{Text: "late"}}})
	view.Close()
	s.Update(u.feed.Take())
	s.lacks("late")
}

// TestPanelsOnTopOfEachOther checks that the last opened panel is visible, and after it is closed
// the one below it.
func TestPanelsOnTopOfEachOther(t *testing.T) {
	t.Parallel()
	u := New(Backend{}, Info{})
	s := &stage{t: t, model: u.model}
	s.Update(tea.WindowSizeMsg{Width: 60, Height: 10})
	open := func(title string) ui.PanelView {
		return u.Surface().Open(&ui.Panel{Title: title, Key: func(string, string) {},
			Resize: func(int, int) {}, Close: func() {}})
	}
	first, second := open("first"), open("second")
	s.Update(u.feed.Take())
	s.has("second")
	s.lacks("first")
	second.Close()
	s.Update(u.feed.Take())
	s.has("first")
	first.Close()
	s.Update(u.feed.Take())
	s.has("Ask, or type")
}

// TestPanelOverTheConversation checks that a panel can be a box over the conversation, as large as
// its lines, and takes the screen where that is too small for a box.
func TestPanelOverTheConversation(t *testing.T) {
	t.Parallel()
	u := New(Backend{}, Info{Dir: "~/project"})
	s := &stage{t: t, model: u.model, clock: time.Unix(1_700_000_000, 0)}
	s.now = func() time.Time { return s.clock }
	size := ""
	s.Update(tea.WindowSizeMsg{Width: 60, Height: 12})
	view := u.Surface().Open(&ui.Panel{Script: "a.lua", Title: "Box", Overlay: true,
		Key: func(string, string) {}, Close: func() {},
		Resize: func(w, h int) { size = fmt.Sprintf("%dx%d", w, h) }})
	view.Draw([]ui.Line{{{Text: "漢字 and text", Style: "ok"}}, {{Text: "second"}}})
	s.Update(u.feed.Take())
	s.advance(seenFor)
	s.Update(armMsg{})
	s.has("~/project", "Ask, or type", "default",
		"                     ╭ [a.lua] Box ──╮", "│ 漢字 and text │", "│ second        │",
		"╰───────────────╯")
	if size != "52x4" || s.View().Cursor != nil {
		t.Errorf("its size is %s, the cursor at %v", size, s.View().Cursor)
	}
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprint(i, strings.Repeat("m", 100)))
	}
	view.Draw(lines(many...))
	s.Update(u.feed.Take())
	s.has("0mmm", "3mmm", "… │")
	s.lacks("4mmm")
	s.Update(tea.WindowSizeMsg{Width: 60, Height: 9})
	s.has("── [a.lua] Box · esc closes ──", "6mmm")
	s.lacks("~/project")
	view.Close()
	s.Update(u.feed.Take())
	s.has("Ask, or type")
}

// TestPanelHearsReleases checks that the terminal is asked for releases of keys only while a panel
// that wants them takes keys, and that the panel gets them.
func TestPanelHearsReleases(t *testing.T) {
	t.Parallel()
	u := New(Backend{}, Info{})
	s := &stage{t: t, model: u.model, clock: time.Unix(1_700_000_000, 0)}
	s.now = func() time.Time { return s.clock }
	s.Update(tea.WindowSizeMsg{Width: 60, Height: 12})
	var heard []string
	open := func(releases bool) ui.PanelView {
		view := u.Surface().Open(&ui.Panel{Title: "Game", Releases: releases, Close: func() {},
			Key: func(name, _ string) { heard = append(heard, name) }, Resize: func(int, int) {}})
		s.Update(u.feed.Take())
		s.advance(seenFor)
		s.Update(armMsg{})
		return view
	}
	up := func() { s.Update(tea.KeyReleaseMsg{Code: tea.KeyUp}) }
	want := func(asked bool, names ...string) {
		t.Helper()
		if s.View().KeyboardEnhancements.ReportEventTypes != asked || !slices.Equal(heard, names) {
			t.Errorf("asked %v, heard %q, want %v, %q", !asked, heard, asked, names)
		}
	}
	up()
	want(false)
	view := open(true)
	s.press("up")
	up()
	want(true, "up", "release:up")
	s.Update(feed.Batch{newConfirm(&ui.Dialog{Title: "Sure?"})})
	up()
	want(false, "up", "release:up")
	s.advance(seenFor)
	s.Update(armMsg{})
	s.press("y")
	second := open(false)
	up()
	want(false, "up", "release:up")
	second.Close()
	s.Update(u.feed.Take())
	s.advance(seenFor)
	s.Update(armMsg{})
	up()
	want(true, "up", "release:up", "release:up")
	view.Close()
	s.Update(u.feed.Take())
	want(false, "up", "release:up", "release:up")
}
