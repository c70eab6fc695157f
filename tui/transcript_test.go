package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func longStage(t testing.TB, entries int) *stage {
	s := newStage(t, Backend{}, 80, 24)
	s.transcript.clearEntries()
	for i := range entries {
		s.transcript.addEntry(
			&sayBlock{text: fmt.Sprintf(
				"entry %d with some `code` and a sentence that is long enough to be wrapped at "+
					"eighty cells", i)})
	}
	s.layout()
	return s
}

func TestTranscriptFollowsItsEndUntilScrolled(t *testing.T) {
	t.Parallel()
	s := longStage(t, 100)
	s.has("entry 99")
	s.press("pgup", "pgup")
	before := s.text()
	s.lacks("entry 99")
	s.has("↓")
	s.send("say", fields{"source": "agent", "markdown": "news"})
	if got, want := strings.Split(s.text(), "\n")[:20],
		strings.Split(before, "\n")[:20]; !slices.Equal(got, want) {
		t.Errorf("the text moved under the reader: got\n%s\nwant\n%s", strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
	s.press("pgdown", "pgdown", "pgdown")
	s.has("news")
	s.send("say", fields{"source": "agent", "markdown": "more news"})
	s.has("more news")
}

func TestTranscriptScrollsOverEverything(t *testing.T) {
	t.Parallel()
	s := longStage(t, 60)
	seen := map[string]bool{}
	for range 200 {
		for l := range strings.SplitSeq(s.text(), "\n") {
			if strings.HasPrefix(l, "  entry ") {
				seen[strings.Join(strings.Fields(l)[:2], " ")] = true
			}
		}
		s.Update(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	}
	if len(seen) != 60 {
		t.Errorf("saw %d entries, want 60", len(seen))
	}
	s.has("entry 0 ")
	s.press("ctrl+end")
	s.has("entry 59 ")
	s.press("ctrl+home")
	s.has("entry 0 ")
}

func TestResizeKeepsTheScrollPosition(t *testing.T) {
	t.Parallel()
	s := longStage(t, 100)
	s.press("pgup", "pgup", "pgup")
	top := s.transcript.top
	for _, size := range [][2]int{{40, 24}, {120, 10}, {20, 5}, {7, 2}, {1, 1}, {80, 24}} {
		s.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		if n := len(strings.Split(s.View().Content, "\n")); n != size[1] {
			t.Errorf("%v: %d lines", size, n)
		}
	}
	if s.transcript.top != top {
		t.Errorf("the first entry in sight is %d, was %d", s.transcript.top, top)
	}
}
