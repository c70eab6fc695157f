package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
)

// unrulyLines returns lines that a script may draw: too long, with wide characters, joined and
// combining letters, and control characters.
func unrulyLines() []ui.Line {
	return []ui.Line{
		{{Text: "one ", Style: "bold"}, {Text: "two ", Style: "warn"}, {Text: "three"}},
		{{Text: strings.Repeat("漢字", 50), Style: "ok"}},
		{{Text: "e\u0301 \U0001F469\u200d\U0001F469\u200d\U0001F467 \U0001F1E9\U0001F1EA " +
			strings.Repeat("x", 150)}},
		{{Text: "a\x1b[2Jb\x1b]0;title\ac\x00d\re\x08f\tg", Style: "error"}, {Text: "\x9b31mh"}},
		{},
		{{Text: "last"}},
	}
}

// TestDrawnScreens checks that drawings of scripts stay within their lines at each width: a panel,
// the parts of a tool call, an entry.
func TestDrawnScreens(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 140} {
		t.Run(fmt.Sprintf("panel-%d", width), func(t *testing.T) {
			s := newStage(t, Backend{}, width, 12)
			told := &ui.Panel{Script: "game.lua",
				Title: "A game " + strings.Repeat("with a long title ", 9),
				Key:   func(string, string) {}, Resize: func(int, int) {}, Close: func() {}}
			s.Update(feed.Batch{openPanelMsg{&panel{told: told,
				title: plain.OneLine("[game.lua] " + told.Title), lines: cleanLines(
					unrulyLines())}}})
			s.golden(fmt.Sprintf("panel-%d", width))
		})
		t.Run(fmt.Sprintf("drawn-%d", width), func(t *testing.T) {
			draw := func(q ui.DrawRequest) (ui.Drawing, bool) {
				if q.Part == ui.DrawResult {
					return ui.Drawing{Markdown: "# " + q.Name + "\n\n- one\n- \x1b[2J**two**"},
						true
				}
				return ui.Drawing{Lines: unrulyLines()}, true
			}
			u := New(Backend{Draw: draw}, Info{Dir: "~/project"})
			s := newStage(t, Backend{}, width, 30)
			s.model = u.model
			s.Update(tea.WindowSizeMsg{Width: width, Height: 30})
			s.settle(s.send("tool_start", fields{"call_id": "c1", "tool": "bash", "kind": "execute",
				"args": fields{"command": "make"}}))
			s.settle(s.send("tool_result", fields{"call_id": "c1", "tool": "bash",
				"args": fields{"command": "make"}, "content": "plain"}))
			u.Surface().Entry("e1", "note", "x")
			_, cmd := s.Update(u.feed.Take())
			s.settle(cmd)
			s.golden(fmt.Sprintf("drawn-%d", width))
		})
	}
}
