package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/feed"
	"github.com/agentscripts/agent/tui/internal/keymap"
	"github.com/agentscripts/agent/tui/tuitest"
)

// All parts of the screen with state of their own are components.
var (
	_ component = (*boardPlace)(nil)
	_ component = (*chooser)(nil)
	_ component = (*commands)(nil)
	_ component = (*completion)(nil)
	_ component = (*conversation)(nil)
	_ component = (*dialog)(nil)
	_ component = (*dialogs)(nil)
	_ component = (*editor)(nil)
	_ component = (*liner)(nil)
	_ component = (*overlays)(nil)
	_ component = (*panel)(nil)
	_ component = (*panels)(nil)
	_ component = (*programState)(nil)
	_ component = (*question)(nil)
	_ component = (*status)(nil)
	_ component = (*texter)(nil)
	_ component = (*toasts)(nil)
	_ component = (*transcript)(nil)
	_ component = (*window)(nil)
	_ component = (*work)(nil)
)

// newShared returns the shared state for a test of one component, with a clock that the test
// advances.
func newShared(b Backend) (s *shared, clock *time.Time) {
	now := time.Unix(1_700_000_000, 0)
	usual, _ := keymap.New(nil)
	return &shared{backend: b, theme: newTheme(), keys: usual,
		now: func() time.Time { return now }}, &now
}

// pressKeys passes keys, by their names, to a component, and returns how many it used.
func pressKeys(c component, keys ...string) (used int) {
	for _, k := range keys {
		if _, ok := c.key(tuitest.KeyPress(k)); ok {
			used++
		}
	}
	return used
}

// drawn returns the lines of a component, without colours.
func drawn(c component, width, height int) string {
	lines, _ := c.layout(width, height)
	return ansi.Strip(strings.Join(lines, "\n"))
}

func TestEditorAlone(t *testing.T) {
	t.Parallel()
	b, _ := newShared(Backend{})
	e := newEditor(b, newTranscript(b), &toasts{shared: b})
	var sent []string
	e.submit = func(text, kind string) tea.Cmd { sent = append(sent, kind+": "+text); return nil }
	pressKeys(e, "h", "i", "enter", "y", "alt+enter", "/", "r", "e")
	if want := []string{"prompt: hi", "follow_up: y"}; !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
	if got := drawn(e.complete, 40, 10); !strings.Contains(got, "/reload") {
		t.Errorf("completed %q", got)
	}
	if used := pressKeys(e.complete, "tab", "tab", "esc"); used != 1 || e.value() != "/reload " {
		t.Errorf("the completions used %d keys, the editor has %q", used, e.value())
	}
	lines, cursor := e.layout(40, 3)
	if len(lines) != 1 || cursor.X != gutter+len("/reload ") {
		t.Errorf("drawn %q, the cursor at %d", lines, cursor.X)
	}
}

func TestTranscriptAlone(t *testing.T) {
	t.Parallel()
	b, _ := newShared(Backend{})
	tr := newTranscript(b)
	for i := range 50 {
		tr.addEntry(&noticeBlock{"dim", fmt.Sprint("remark ", i)})
	}
	end := drawn(tr, 40, 10)
	if !strings.Contains(end, "remark 49") {
		t.Errorf("the end is not visible: %q", end)
	}
	if used := pressKeys(tr, "pgup", "x"); used != 1 {
		t.Errorf("it used %d keys, want 1", used)
	}
	if got := drawn(tr, 40, 10); strings.Contains(got, "remark 49") ||
		!strings.Contains(got, "remark 40") {
		t.Errorf("a page up: %q", got)
	}
	tr.handleMsg(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	if got := drawn(tr, 40, 10); strings.Contains(got, "remark 40") {
		t.Errorf("the wheel does not scroll: %q", got)
	}
	pressKeys(tr, "ctrl+end")
	if got := drawn(tr, 40, 10); got != end {
		t.Errorf("ctrl+end: got %q, want %q", got, end)
	}
}

// TestOverlaysAlone checks that the gate needs only a clock and keys: no editor, no agent.
func TestOverlaysAlone(t *testing.T) {
	t.Parallel()
	b, clock := newShared(Backend{})
	notes := &toasts{shared: b}
	o := newOverlays(b, newDialogs(b, newTranscript(b), notes), &panels{shared: b}, notes)
	if used := pressKeys(o, "a", "shift+tab", "enter"); used != 0 {
		t.Errorf("used %d keys though nothing is open", used)
	}
	d := newConfirm(&ui.Dialog{Title: "Sure?"})
	o.handleMsg(d)
	o.gate().noteDrawn(b.now())
	if used := pressKeys(o, "y", "shift+tab", "ctrl+c"); used != 1 || len(d.answer) != 0 {
		t.Errorf("it used %d keys before the pause, want only shift+tab; answered: %d", used,
			len(d.answer))
	}
	if o.paste("y") {
		t.Error("it took a paste before the pause")
	}
	*clock = clock.Add(seenFor)
	o.handleMsg(armMsg{})
	if got := drawn(o.dialogs, 40, 10); !strings.Contains(got, "›No (n)") {
		t.Errorf("drawn: %q", got)
	}
	if used := pressKeys(o, "ctrl+c", "ctrl+l", "y"); used != 1 {
		t.Errorf("it used %d keys after the pause, want only the answer", used)
	}
	if len(d.answer) != 0 {
		t.Error("answered before it was clear that no other key follows")
	}
	o.handleMsg(heldMsg{o.held})
	if a, done := answered(d); !done || !a.Allow {
		t.Errorf("got %+v, %v", a, done)
	}
}

func TestWindowReportsItsSizeOnce(t *testing.T) {
	t.Parallel()
	var told []string
	b, _ := newShared(Backend{Resized: func(w, h int) {
		told = append(told,
			fmt.Sprintf("%dx%d", w, h))
	}})
	w := &window{shared: b, toasts: &toasts{shared: b}}
	for _, width := range []int{80, 81, 82} { // the first is the initial size
		w.handleMsg(tea.WindowSizeMsg{Width: width, Height: 24})
	}
	run(w.handleMsg(resizedMsg(1)))
	run(w.handleMsg(resizedMsg(2)))
	if want := []string{"82x24"}; !slices.Equal(told, want) {
		t.Errorf("reported %q, want %q", told, want)
	}
}

// lamp is an additional component.
type lamp struct{ switched, told int }

func (l *lamp) handleMsg(msg tea.Msg) tea.Cmd {
	if ev, ok := msg.(*event.Event); ok && ev.Name() == "turn_end" {
		l.told++
	}
	return nil
}

func (l *lamp) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	if msg.String() != "ctrl+g" {
		return nil, false
	}
	l.switched++
	return nil, true
}

func (l *lamp) layout(width, _ int) ([]string, *tea.Cursor) {
	return []string{cells.Fit(fmt.Sprintf("the lamp was switched %d times", l.switched),
		width)}, nil
}

// TestNewComponentHasMessagesKeysAndLines checks that a new component only needs a place among the
// parts of the model, and one on the screen.
func TestNewComponentHasMessagesKeysAndLines(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	l := &lamp{}
	s.parts = slices.Insert(s.parts, 0, component(l))
	s.above = append(s.above, row{l, wholeHeight})
	s.press("a", "ctrl+g", "ctrl+g")
	s.has("the lamp was switched 2 times", "› a")
	if s.send("turn_end", fields{"cause": "normal"}); l.told != 1 {
		t.Errorf("it got %d messages", l.told)
	}
	s.ask(aQuestion())
	if s.press("ctrl+g"); l.switched != 2 {
		t.Error("it got a key that was for the question")
	}
	s.lacks("the lamp")
}

// TestSessionIsLoadedWhileAMessageStreams checks that the user can switch to another session while
// a message streams: the entries of that message are gone when it ends.
func TestSessionIsLoadedWhileAMessageStreams(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	for _, kind := range []string{"reasoning", "text"} {
		for range 3 {
			s.send("notification", fields{"level": "info", "message": "a remark"})
		}
		s.send("message_delta", fields{"message_id": "m", "kind": kind, "delta": "so far"})
	}
	s.Update(feed.Batch{loadMsg{{Kind: ItemUser, Text: "before"}}})
	s.send("message_end", fields{"message_id": "m", "reasoning": "the thought",
		"text": "the answer"})
	s.has("› before", "the thought", "the answer")
	s.lacks("so far")
}
