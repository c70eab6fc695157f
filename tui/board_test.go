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

// piece shows a script's piece.
func (s *stage) piece(p ui.Piece) { s.Update(feed.Batch{feed.Piece(p)}) }

func lines(texts ...string) (out []ui.Line) {
	for _, t := range texts {
		out = append(out, ui.Line{{Text: t}})
	}
	return out
}

// pieces shows one piece of each kind.
func (s *stage) pieces() {
	s.piece(ui.Piece{Script: "todo.lua", Kind: ui.PieceWidget, Key: "list", Place: "above",
		Lines: []ui.Line{{{Text: "[x] ", Style: "ok"}, {Text: "tests"}},
			{{Text: "[ ] "}, {Text: "docs", Style: "dim"}}}})
	s.piece(ui.Piece{Script: "build.js", Kind: ui.PieceWidget, Key: "b", Place: "below",
		Lines: lines("build: 3 of 17 packages, and a line that is much too long for a narrow " +
			"screen but is cut there, and on a wide one too, as it is even longer")})
	s.piece(ui.Piece{Script: "cost.lua", Kind: ui.PieceStatus, Key: "c", Side: "right",
		Lines: []ui.Line{{{Text: "$1.20", Style: "warn"}}}})
	s.piece(ui.Piece{Script: "git.lua", Kind: ui.PieceStatus, Key: "b", Side: "left",
		Lines: lines("main*")})
	s.piece(ui.Piece{Script: "git.lua", Kind: ui.PieceFooter,
		Lines: lines("~/project  2 files changed")})
	s.piece(ui.Piece{Script: "git.lua", Kind: ui.PieceTitle, Lines: lines("project: main")})
}

// TestPiecesStayInTheirPlace checks that a script's pieces stay within their place, and disappear
// when they are removed.
func TestPiecesStayInTheirPlace(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.pieces()
	s.has("[x] tests", "main*", "$1.20", "2 files changed", "build: 3 of 17")
	if got := s.View().WindowTitle; got != "project: main" {
		t.Errorf("the window's title is %q", got)
	}
	s.piece(ui.Piece{Script: "git.lua", Kind: ui.PieceStatusLine,
		Lines: []ui.Line{{{Text: "all\x1b[2J of "}, {Text: "it", Style: "ok"}}}})
	s.has("default · all of it · main*", "$1.20")
	s.lacks("offline/")
	s.piece(ui.Piece{Script: "git.lua", Kind: ui.PieceStatusLine, Failed: true,
		Lines: lines("✗ status_line of git.lua failed at line 3: no")})
	s.has("offline/", "✗ status_line of git.lua")
	s.lacks("all of it")
	s.piece(ui.Piece{Script: "git.lua", Kind: ui.PieceStatusLine, Lines: lines("all of it")})
	s.send("busy_change", fields{"state": "working"})
	s.has("working 0s", "esc interrupts", "all of it")
	s.send("busy_change", fields{"state": "idle"})
	s.piece(ui.Piece{Script: "git.lua", Kind: ui.PieceHeader, Lines: lines("at the head", "two")})
	if text := s.text(); !strings.HasPrefix(text, "at the head\ntwo\n") {
		t.Errorf("the header is not at the head:\n%s", text)
	}
	s.piece(ui.Piece{Script: "todo.lua", Kind: ui.PieceWidget, Key: "list", Place: "above",
		Lines: lines("a\x1b[2Jb\x1b]0;owned\ac\nd")})
	s.has("abc d")
	s.lacks("[x] tests", "owned")
	var many []string
	for i := range 400 {
		many = append(many, fmt.Sprint("line ", i))
	}
	s.piece(ui.Piece{Script: "todo.lua", Kind: ui.PieceWidget, Key: "list", Place: "above",
		Lines: lines(many...)})
	s.has("line 3", "… 396 more lines", "Ask, or type")
	s.lacks("line 4\n")
	s.Update(feed.Batch{newConfirm(&ui.Dialog{Title: "Sure?"})})
	s.has("Sure?")
	s.lacks("line 3") // a question needs the room
	for _, p := range slices.Concat(s.board.pieces, s.board.titles) {
		p.Lines = nil
		s.piece(p)
	}
	s.lacks("main*", "$1.20", "2 files changed", "line 3", "at the head")
	if got := s.View().WindowTitle; got != "" {
		t.Errorf("the window's title is %q", got)
	}
}

// TestWordsOfWork checks that a script can say what the agent works at, within its share of the
// line.
func TestWordsOfWork(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.send("busy_change", fields{"state": "working"})
	s.has("working 0s")
	s.piece(ui.Piece{Script: "a.lua", Kind: ui.PieceWorking, Lines: lines("at\x1b[2J the plans")})
	s.has("at the plans 0s")
	s.piece(ui.Piece{Script: "b.lua", Kind: ui.PieceWorking, Lines: lines(strings.Repeat("w", 60))})
	s.has("www… 0s", "esc interrupts")
	for _, script := range []string{"b.lua", "a.lua"} {
		s.piece(ui.Piece{Script: script, Kind: ui.PieceWorking})
	}
	s.has("working 0s")
}

// TestPiecesOnSmallScreens checks that a screen that is too small for everything shows the editor
// and the status line.
func TestPiecesOnSmallScreens(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {3, 2}, {10, 4}, {20, 6}} {
		s := newStage(t, Backend{}, size[0], size[1])
		s.pieces()
		if n := strings.Count(s.View().Content, "\n") + 1; n != size[1] {
			t.Errorf("%v: %d lines", size, n)
		}
	}
}

func TestSurface(t *testing.T) {
	t.Parallel()
	u := New(Backend{}, Info{})
	surface, resized := u.Surface(), make(chan bool, 9)
	surface.OnResize(func() { resized <- true })
	u.model.Update(tea.WindowSizeMsg{Width: 50, Height: 10})
	<-resized
	if surface.Width() != 50 || !surface.Focused() {
		t.Errorf("width %d, focused %v", surface.Width(), surface.Focused())
	}
	u.model.Update(tea.BlurMsg{})
	if surface.Focused() {
		t.Error("focused is true for a window without focus")
	}
	surface.Insert("a.lua", "in\x1b[2Jserted")
	surface.Copy("a.lua", "cop\x1b[201~ied text\a")
	_, cmd := u.model.Update(u.feed.Take())
	if got := u.model.editor.value(); got != "inserted" {
		t.Errorf("the editor has %q", got)
	}
	found := false
	for _, msg := range run(cmd) {
		found = found || fmt.Sprint(msg) == "copied text"
	}
	if !found {
		t.Error("nothing was copied")
	}
}

func TestDesktop(t *testing.T) {
	t.Parallel()
	for terminal, want := range map[string]string{
		"xterm-256color iTerm.app": "\x1b]9;Done: all\x07",
		"xterm-kitty ":             "\x1b]99;;Done: all\x07",
		"foot":                     "\x1b]777;notify;Done;all\x07", "tmux-256color": "\a",
	} {
		msgs := run(desktop(terminal, desktopMsg{"Do\x1b]0;x\ane", "all\n"}))
		if len(msgs) != 1 || msgs[0].(tea.RawMsg).Msg != want {
			t.Errorf("%s: got %q", terminal, msgs)
		}
	}
}

// TestScriptsReadAndReplaceTheDraft checks what scripts see and set of the editor, and that the
// user can undo that.
func TestScriptsReadAndReplaceTheDraft(t *testing.T) {
	t.Parallel()
	u := New(Backend{}, Info{})
	s := newStage(t, Backend{}, 80, 20)
	s.model = u.model
	s.now = func() time.Time { return s.clock }
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 20})
	surface := u.Surface()
	s.typeText("fix")
	long := strings.Repeat("line\n", 20)
	s.deliver(second(s.Update(tea.PasteMsg{Content: long})))
	if got := surface.Editor(); got != "fix"+long {
		t.Errorf("a script reads %q", got)
	}
	surface.SetEditor("a.lua", "fix \x1b[2Jthe tests")
	s.Update(u.feed.Take())
	s.has("› fix the tests")
	if got := surface.Editor(); got != "fix the tests" {
		t.Errorf("a script reads %q", got)
	}
	s.press("ctrl+_")
	s.has("fix[Pasted 20 lines]")
	surface.SetEditor("a.lua", strings.Repeat("x", editorLimit+1))
	s.Update(u.feed.Take())
	s.has("too long for the editor")
}

func second[A, B any](_ A, b B) B { return b }
