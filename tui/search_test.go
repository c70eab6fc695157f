package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/tui/tuitest"
)

// searchStage returns a screen with a conversation in which a word occurs in five entries.
func searchStage(t testing.TB, width int) *stage {
	s := newStage(t, Backend{}, width, 16)
	s.input("prompt", "where is the Needle?")
	s.transcript.addEntry(&messageBlock{finished: true, final: "One **needle** here.\n\n" +
		"A needle, and another needle.\n\n" + strings.Repeat("- hay\n", 30)})
	s.send("tool_result", fields{"call_id": "c1", "tool": "grep", "args": fields{"for": "x"},
		"content": strings.Repeat("hay\n", 40) + "the needle near the end" +
			strings.Repeat("\nhay", 9)})
	s.send("tool_end", fields{"call_id": "c1", "tool": "grep", "duration_ms": 1.0})
	s.input("prompt", "next")
	s.transcript.addEntry(&lateBlock{item: &Item{Kind: ItemAssistant, Text: "a late NEEDLE"}})
	for i := range 20 {
		s.transcript.addEntry(&userBlock{text: fmt.Sprintf("more hay %d", i)})
	}
	s.transcript.addEntry(&sayBlock{text: "the last needle"})
	s.layout()
	return s
}

// TestSearch checks the way through the places of a text and back.
func TestSearch(t *testing.T) {
	t.Parallel()
	s := searchStage(t, 80)
	before := s.text()
	s.press("ctrl+f")
	s.typeText("needle")
	s.has("find: needle▏ · entry 5 of 5", "the last needle")
	for _, step := range []struct{ key, count, text string }{
		{"up", "4 of 5", "a late NEEDLE"},
		{"up", "3 of 5", "the needle near the end"}, // unfolded
		{"enter", "3 of 5", "the needle near the end"},
		{"N", "2 of 5", "A needle, and another needle."},
		{"N", "2 of 5", "One needle here."},
		{"N", "1 of 5", "where is the Needle?"},
		{"N", "5 of 5", "the last needle"}, // it goes on at the other end
		{"n", "1 of 5", "where is the Needle?"},
		{"down", "2 of 5", "One needle here."},
	} {
		s.press(step.key)
		s.has(step.count, step.text)
	}
	if s.editor.value() != "" {
		t.Errorf("the editor got %q", s.editor.value())
	}
	s.press("esc")
	if after := s.text(); after != before {
		t.Errorf("after esc: got\n%s\nwant\n%s", after, before)
	}
	s.send("say", fields{"source": "agent", "markdown": "the newest"})
	s.has("the newest")
}

// TestSearchLine checks the line in which the text is typed.
func TestSearchLine(t *testing.T) {
	t.Parallel()
	s := searchStage(t, 80)
	s.press("ctrl+f")
	s.typeText("needlx")
	s.has("find: needlx▏ · not found")
	s.press("up", "down", "enter", "n", "N", "ctrl+f", "backspace")
	s.Update(tea.PasteMsg{Content: "e"})
	s.has("find: needle▏ · entry 5 of 5")
	for range 3 {
		s.send("say", fields{"source": "agent", "markdown": strings.Repeat("news\n\n", 9)})
	}
	s.has("the last needle") // it stays
	s.press("enter", "enter")
	if b, ok := s.transcript.entries[s.transcript.selected].block.(*sayBlock); !ok ||
		b.text != "the last needle" {
		t.Error("enter did not select the entry")
	}
	s.Update(tea.WindowSizeMsg{Width: 40, Height: 16})
	s.press("ctrl+f")
	s.typeText("needle")
	s.has("find: needle▏ · entry 5 of 5 ─") // what is typed comes first
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 16})
	s.press("esc", "ctrl+f")
	s.typeText(strings.Repeat("漢", 100))
	s.has("漢▏ · not found")
	s.press("enter")
	s.typeText("a word")
	s.has("› a word") // of the editor
	if s.selection.active() {
		t.Error("the search is still open")
	}
	s.press("ctrl+c", "ctrl+f")
	s.typeText("needle")
	s.transcript.clearEntries()
	s.press("up")
	s.has("not found")
}

// TestMatchesAreMarked checks that all visible places are marked, and that the one that was found
// looks different.
func TestMatchesAreMarked(t *testing.T) {
	t.Parallel()
	s := searchStage(t, 80)
	s.press("ctrl+f")
	s.typeText("needle")
	s.press("up", "up", "up")
	got := s.View().Content
	here, other := "\x1b[7mneedle\x1b[m", "\x1b[1;4mneedle\x1b[m"
	if strings.Count(got, here) != 2 || strings.Count(got, other) != 1 {
		t.Errorf("%d places are found and %d marked:\n%q", strings.Count(got, here),
			strings.Count(got, other), got)
	}
	s.press("up")
	got = s.View().Content
	if strings.Count(got, here) != 1 || strings.Count(got, other) != 2 ||
		!strings.Contains(got, "\x1b[1;4mNeedle\x1b[m") {
		t.Errorf("%d places are found and %d marked:\n%q", strings.Count(got, here),
			strings.Count(got, other), got)
	}
}

// TestSearchFits checks screens of all sizes.
func TestSearchFits(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{120, 40}, {40, 12}, {20, 5}, {10, 3}, {3, 2}, {1, 1}} {
		s := searchStage(t, 80)
		s.press("ctrl+f")
		s.typeText("needle")
		s.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		s.press("up", "up", "enter", "n")
		lines := strings.Split(s.View().Content, "\n")
		if len(lines) != size[1] {
			t.Errorf("%v: %d lines", size, len(lines))
		}
		for _, l := range strings.Split(s.text(), "\n") {
			if n := len([]rune(l)); n > size[0] {
				t.Errorf("%v: %q", size, l)
			}
		}
	}
}

// TestSearchAnswersNoQuestion checks that the keys of the search do not answer a question.
func TestSearchAnswersNoQuestion(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 30)
	d := s.ask(aQuestion())
	s.press("ctrl+f")
	s.typeText("yn")
	s.press("enter")
	s.advance(time.Minute)
	s.press("n", "enter")
	if a, ok := answered(d); ok {
		t.Errorf("answered: %v", a)
	}
}

// TestPromptsAreReached checks the keys that jump from prompt to prompt.
func TestPromptsAreReached(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 12)
	s.press("alt+up")
	s.has("there is no prompt there")
	for i := range 4 {
		s.input("prompt", fmt.Sprintf("prompt %d", i))
		s.send("say", fields{"source": "agent", "markdown": strings.Repeat("text\n\n", 10)})
	}
	s.transcript.addEntry(&lateBlock{shared: s.shared,
		item: &Item{Kind: ItemUser, Text: "prompt 4"}})
	s.transcript.addEntry(&lateBlock{item: &Item{Kind: ItemTool, Tool: "bash",
		Content: []chat.Block{{Type: "text", Text: "out"}}}})
	s.layout()
	for _, want := range []int{4, 3, 2, 1, 0, 0} {
		s.press("alt+up")
		s.has(fmt.Sprintf("› prompt %d", want))
	}
	s.press("alt+down")
	s.has("› prompt 1")
	s.press("esc")
	if s.selection.active() {
		t.Error("esc does not return to the editor")
	}
}

// TestEntriesAreCopied checks which text of an entry is copied.
func TestEntriesAreCopied(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	for _, test := range []struct {
		b    block
		want string
	}{
		{&messageBlock{finished: true, final: "**a**\n- b"}, "**a**\n- b"},
		{&toolBlock{tool: "bash", args: fields{"command": "ls"},
			result: &display{text: "out"}}, "out"},
		{&toolBlock{tool: "bash", args: fields{"command": "ls"}}, "bash\n\ncommand\n\nls"},
		{&lateBlock{shared: s.shared, item: &Item{Kind: ItemUser, Text: "a\x1b[31mb"}}, "ab"},
	} {
		s.transcript.addEntry(test.b)
		s.layout()
		cmd := s.press("shift+up", "y")
		if got := findMsg[copyMsg](cmd); string(got) != test.want {
			t.Errorf("%T: got %q, want %q", test.b, got, test.want)
		}
		s.press("esc")
	}
}

// findMsg runs a command and returns its message of a type.
func findMsg[M tea.Msg](cmd tea.Cmd) (found M) {
	if cmd == nil {
		return found
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		i := slices.IndexFunc(msg, func(c tea.Cmd) bool { return any(findMsg[M](c)) != any(found) })
		if i >= 0 {
			return findMsg[M](msg[i])
		}
	case M:
		return msg
	}
	return found
}

// BenchmarkSearch10k types a text that is in a quarter of 10,000 entries, and goes to the next
// places.
func BenchmarkSearch10k(b *testing.B) {
	for _, key := range []string{"e", "up"} {
		b.Run(key, func(b *testing.B) {
			s := longTranscript(b)
			s.press("ctrl+f")
			s.typeText("prompt")
			times := make([]time.Duration, 0, b.N)
			for i := 0; b.Loop(); i++ {
				key := key
				if key == "e" && i%2 == 1 {
					key = "backspace"
				}
				start := time.Now()
				s.Update(tuitest.KeyPress(key))
				_ = s.View()
				times = append(times, time.Since(start))
			}
			reportP99(b, times)
		})
	}
}
