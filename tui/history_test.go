package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// earlier are prompts of earlier starts.
func earlier() promptsMsg {
	return promptsMsg{own: [][]string{{"fix the tests"}, {"tidy up\nthe docs"}, {"run the TESTS"}},
		others: [][]string{{"test elsewhere"}, {"run the TESTS"}}}
}

// TestPromptsOfEarlierStarts checks that up goes on with the project's prompts of earlier starts,
// also if they arrive after a prompt was sent.
func TestPromptsOfEarlierStarts(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.typeText("now")
	s.press("enter")
	s.typeText("draft")
	s.Update(earlier())
	var got []string
	for range 5 {
		s.press("up")
		got = append(got, s.editor.value())
		s.press("home")
	}
	want := []string{"now", "run the TESTS", "tidy up\nthe docs", "tidy up\nthe docs",
		"fix the tests"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSearchInPrompts checks the keys of the search.
func TestSearchInPrompts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ keys, want string }{
		"the newest first":             {"ctrl+r t e s t enter", "run the TESTS"},
		"an older one":                 {"ctrl+r t e s t ctrl+r enter", "fix the tests"},
		"other projects last":          {"ctrl+r t e s t ctrl+r ctrl+r tab", "test elsewhere"},
		"no further":                   {"ctrl+r t e s t up up up up enter", "test elsewhere"},
		"back":                         {"ctrl+r t e s t ctrl+r ctrl+s enter", "run the TESTS"},
		"narrowed at an older one":     {"ctrl+r t ctrl+r ctrl+r e s enter", "fix the tests"},
		"esc leaves the text":          {"ctrl+r t e s t esc", "draft"},
		"ctrl+g does, too":             {"ctrl+r t ctrl+g", "draft"},
		"ctrl+c does, too":             {"ctrl+r t ctrl+c", "draft"},
		"nothing found":                {"ctrl+r z z z enter", "draft"},
		"mistyped":                     {"ctrl+r z backspace t i d enter", "tidy up\nthe docs"},
		"an editing key takes":         {"ctrl+r f i x home x", "xfix the tests"},
		"enter does not send":          {"ctrl+r t enter x", "run the TESTSx"},
		"ctrl+d does not quit":         {"ctrl+u ctrl+r ctrl+d", "run the TESTS"},
		"tab does not complete before": {"ctrl+r t i d tab", "tidy up\nthe docs"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, Backend{}, 80, 20)
			s.Update(earlier())
			s.typeText("draft")
			s.press(strings.Fields(test.keys)...)
			if got := s.editor.value(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if len(s.work.submits) > 0 {
				t.Error("a text was sent")
			}
		})
	}
}

// TestPastedQuery checks that text pasted during a search is searched.
func TestPastedQuery(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.Update(earlier())
	s.press("ctrl+r")
	s.Update(tea.PasteMsg{Content: "the\ndocs"})
	s.has("1 of 1", "? the docs")
	s.Update(tea.PasteMsg{Content: "zz"})
	s.has("nothing found", "? the docszz")
	s.press("ctrl+u")
	s.Update(tea.PasteMsg{Content: "docs"})
	s.has("1 of 1", "tidy up")
	s.Update(droppedMsg{"came back"}) // ends the search
	s.has("› came back")
}

// TestPromptsAreKept checks that all sent texts are kept in order, outside of Update, and that a
// failure is reported once.
func TestPromptsAreKept(t *testing.T) {
	t.Parallel()
	var kept []string
	failure := errors.New("disk\x1b[2J full")
	s := newStage(t, Backend{Remember: func(p Prompt) error {
		kept = append(kept, p.Text)
		return failure
	}}, 80, 20)
	for _, text := range []string{"one", "/help", "  ", "!ls"} {
		s.typeText(text)
		cmd := s.press("enter")
		if text == "/help" {
			continue // its command runs late
		}
		for _, msg := range run(cmd) {
			s.Update(msg)
		}
	}
	if want := []string{"one", "/help", "!ls"}; !slices.Equal(kept, want) {
		t.Errorf("got %q, want %q", kept, want)
	}
	if n := strings.Count(s.text(), "not kept for later starts: disk full"); n > 1 {
		t.Errorf("told %d times:\n%s", n, s.text())
	}
	if cmd := askPrompts(Backend{Prompts: func() (Prompts, error) {
		return Prompts{Own: []Prompt{{Text: "a\x1b[2Jb\tc"}}}, failure
	}}); cmd().(promptsMsg).own[0][0] != "ab    c" {
		t.Error("control characters of a file reach the editor")
	}
}
