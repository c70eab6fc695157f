package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
)

// auditLog holds the answers of a fake audit log.
type auditLog map[string]string

func (w auditLog) why(call, source string, over bool) (string, bool) {
	if !over {
		return "not yet: " + source, false
	}
	text, ok := w[call]
	return text, ok
}

// refusedAnswer is an answer with a long line.
const refusedAnswer = "bash c1: did not run: guard.lua:2 decided (blocked it)\n" +
	"  asked for: bash {\"command\":\"git push --force origin main\"}\n" +
	"  1. guard.lua:2 (version 9918500b01ec), guard: blocked it: no push"

// runAnswers runs a command and passes its answers to the model.
func (s *stage) runAnswers(cmd tea.Cmd) {
	s.t.Helper()
	for _, msg := range messages(cmd) {
		s.Update(msg)
	}
}

// messages runs a command and returns the answers among its messages.
func messages(cmd tea.Cmd) (out []tea.Msg) {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			out = append(out, messages(c)...)
		}
	case answerMsg, ruleCheckedMsg:
		out = append(out, msg)
	}
	return out
}

// refuseCall sends the events of a call that a guard refused.
func (s *stage) refuseCall(id, command string) {
	s.tool("tool_call", id, command, nil)
	s.tool("tool_approval", id, command, fields{"decision": "deny", "source": "guard"})
	s.tool("tool_skipped", id, command, fields{"cause": "denied", "reason": "no push"})
}

// TestSelectedCallSaysWhoDecided checks that one key selects a call and another shows the answer,
// wrapped at words with its indent.
func TestSelectedCallSaysWhoDecided(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{40, 12}, {100, 40}} {
		s := newStage(t, Backend{Why: auditLog{"c1": refusedAnswer}.why}, size[0], size[1])
		s.refuseCall("c1", "git push --force origin main")
		s.press("shift+up")
		s.runAnswers(s.press("w"))
		if size[0] == 40 {
			s.golden("why-40")
		} else {
			s.golden("why-100")
		}
		s.press("w")
		s.lacks("decided (blocked it)")
		s.press("esc")
		s.typeText("w?")
		s.has("› w?")
		s.lacks("decided (blocked it)")
	}
}

// TestSelectionMoves checks that the selection moves between entries that show something and folds
// each by itself, and that ctrl+o folds all alike again.
func TestSelectionMoves(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 60, 20)
	long := strings.TrimSuffix(strings.Repeat("a line\n", 20), "\n")
	for _, id := range []string{"c1", "c2"} {
		s.tool("tool_start", id, "cat "+id, nil)
		s.tool("tool_result", id, "cat "+id, fields{"content": long + "\nthe end of " + id +
			strings.Repeat("\n", 5) + "."})
		s.tool("tool_end", id, "cat "+id, fields{"duration_ms": 1.0})
	}
	s.lacks("the end of c2")
	s.press("tab", "enter", "pgdown")
	s.has("the end of c2")
	s.press("up", "up", "up") // above the remark at the start there is nothing
	s.has("cat c1")
	s.lacks("the end of c1")
	if at := s.transcript.entries[s.transcript.selected].block.(*toolBlock).id; at != "c1" {
		t.Errorf("selected: %s", at)
	}
	s.press("ctrl+o", "ctrl+end")
	s.has("the end of c2")
	s.press("ctrl+o", "ctrl+end")
	s.lacks("the end of c2")
	s.press("down")
	s.press("tab")
	if s.selection.active() {
		t.Error("tab did not return to the editor")
	}
	s.press("ctrl+home") // now new entries must not scroll the screen
	top := s.text()
	s.tool("tool_start", "c3", "ls", nil)
	if s.text() == "" || strings.Split(s.text(), "\n")[0] != strings.Split(top, "\n")[0] {
		t.Errorf("the screen moved:\n%s", s.text())
	}
}

// TestSelectionStays checks that entries added below do not move the selected entry, and that the
// transcript follows its end again after the selection.
func TestSelectionStays(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 60, 12)
	s.tool("tool_start", "c1", "ls", nil)
	s.tool("tool_end", "c1", "ls", fields{"duration_ms": 1.0})
	s.press("shift+up")
	for range 30 {
		s.send("say", fields{"markdown": "more"})
	}
	s.has("bash  ls")
	s.press("esc", "ctrl+end")
	s.send("say", fields{"markdown": "the newest"})
	s.has("the newest")
	s.lacks("bash  ls")
}

// TestSelectionAnswersNoQuestion checks that keys of the selection never answer an open question,
// and that the question takes keys again after a pause.
func TestSelectionAnswersNoQuestion(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{40, 12}, {100, 40}} {
		s := newStage(t, Backend{Why: auditLog{"c1": refusedAnswer}.why}, size[0], size[1])
		s.send("agent_start", fields{"prompt": "x"})
		s.refuseCall("c1", "git push")
		d := newApproval(aQuestion())
		s.Update(feed.Batch{d})
		s.advance(seenFor)
		if !d.opened {
			t.Fatal("the question takes no keys")
		}
		s.press("shift+up")
		s.runAnswers(s.press("w"))
		s.press("enter", "enter", " ", " ")
		s.advance(time.Minute)
		s.press("up", "down")
		s.has("decided (blocked it)", "bash", "esc")
		if len(d.answer) > 0 || d.opened {
			t.Fatal("the question was answered, or takes keys")
		}
		s.press("esc")
		s.press("y") // right after the selection: for the editor
		s.has("› y")
		s.press("backspace")
		s.advance(seenFor + typingPause)
		if s.press("n"); len(d.answer) == 0 && d.form.(*question).line == nil {
			t.Errorf("the question takes no keys after a pause:\n%s", s.text())
		}
	}
}

// TestHeldAnswerIsNotGiven checks that a held answer is not given if the next key selects an entry:
// the key was for the editor.
func TestHeldAnswerIsNotGiven(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 30)
	s.refuseCall("c1", "git push")
	d := newApproval(aQuestion())
	s.Update(feed.Batch{d})
	s.advance(seenFor)
	s.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
	held := s.overlays.held
	if held == nil {
		t.Fatal("y is not held")
	}
	s.press("shift+up")
	s.Update(heldMsg{held})
	if len(d.answer) > 0 {
		t.Error("the question was answered")
	}
	s.has("› y")
}

// TestAnswerOfRunningCall checks that the answer says that a call waits or runs, and becomes
// complete when the call has ended.
func TestAnswerOfRunningCall(t *testing.T) {
	t.Parallel()
	log := auditLog{}
	s := newStage(t, Backend{Why: log.why}, 80, 30)
	s.tool("tool_call", "c1", "ls", nil)
	s.press("shift+up")
	s.runAnswers(s.press("w"))
	s.has("? not yet:")
	s.tool("tool_approval", "c1", "ls", fields{"decision": "allow", "source": "mode"})
	s.tool("tool_start", "c1", "ls", nil)
	s.press("w")
	s.runAnswers(s.press("w"))
	s.has("not yet: mode")
	s.runAnswers(s.send("tool_end", fields{"call_id": "c1", "tool": "bash",
		"args": fields{"command": "ls"}, "duration_ms": 1.0}))
	s.has("asking the audit log") // the event precedes the log entry
	log["c1"] = "bash c1: ran"
	s.runAnswers(s.send("turn_end", fields{}))
	s.has("bash c1: ran")
	if len(s.selection.pending) > 0 {
		t.Error("requested again")
	}
}

// TestAnswersOfSubagent checks that the entry of a sub-agent answers for all of its calls.
func TestAnswersOfSubagent(t *testing.T) {
	t.Parallel()
	log := auditLog{}
	s := newStage(t, Backend{Why: log.why}, 80, 30)
	s.send("subagent_start", fields{"subagent_id": "a", "name": "tester", "task": "test it"})
	for _, id := range []string{"s1", "s2"} {
		log[id] = "bash " + id + ": ran"
		s.send("subagent_event", fields{"subagent_id": "a", "kind": "tool_end",
			"data": fields{"call_id": id, "tool": "bash"}})
	}
	s.press("shift+up")
	s.runAnswers(s.press("?"))
	s.has("? bash s1: ran", "bash s2: ran")
}

// TestAnswerOfResumedCall checks that calls of a resumed session have answers, and that an entry
// without calls says that it has none.
func TestAnswerOfResumedCall(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{Why: auditLog{"c1": "bash c1: \x1b[31mran"}.why}, 80, 30)
	s.Update(feed.Batch{loadMsg{
		{Kind: ItemUser, Text: "what is here?"},
		{Kind: ItemTool, Call: "c1", Tool: "bash", Args: fields{"command": "ls"},
			Content: []chat.Block{{Type: "text", Text: "a.go"}}},
	}})
	s.press("shift+up")
	s.runAnswers(s.press("w"))
	s.has("? bash c1: ran")
	s.press("up", "w")
	s.has("nothing was decided here")
}

// TestMouseSelects checks that a click selects, a second one folds and the right button asks. A
// click that only focused the window does nothing, and one elsewhere returns to the editor.
func TestMouseSelects(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{Why: auditLog{"c1": refusedAnswer}.why}, 80, 30)
	long := strings.Repeat("a line\n", 14) + "the end of it" + strings.Repeat("\n", 5) + "."
	s.tool("tool_start", "c1", "ls", nil)
	s.tool("tool_result", "c1", "ls", fields{"content": long})
	s.tool("tool_end", "c1", "ls", fields{"duration_ms": 1.0})
	row := -1
	for i, l := range strings.Split(s.text(), "\n") {
		if strings.Contains(l, "bash  ls") {
			row = i
		}
	}
	s.Update(tea.FocusMsg{})
	s.Update(tea.MouseClickMsg{Y: row, Button: tea.MouseLeft})
	if s.selection.active() {
		t.Error("the click that focused the window selected")
	}
	s.advance(time.Second)
	s.Update(tea.MouseClickMsg{Y: row, Button: tea.MouseLeft})
	s.lacks("the end of it")
	s.Update(tea.MouseClickMsg{Y: row, Button: tea.MouseLeft})
	s.has("the end of it")
	_, cmd := s.Update(tea.MouseClickMsg{Y: row, Button: tea.MouseRight})
	s.runAnswers(cmd)
	s.has("decided (blocked it)")
	s.Update(tea.MouseClickMsg{Y: 28, Button: tea.MouseLeft})
	if s.selection.active() {
		t.Error("a click on the editor does not return to it")
	}
}

// TestPasteEndsSelection checks that pasted text goes to the editor.
func TestPasteEndsSelection(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 30)
	s.refuseCall("c1", "git push")
	s.press("shift+up")
	s.Update(tea.PasteMsg{Content: "www"})
	s.has("› www")
	if s.selection.active() {
		t.Error("an entry is still selected")
	}
}

// TestMouseCopiesText checks that text over which the mouse is dragged is marked and copied, and
// that the drag neither selects nor folds an entry.
func TestMouseCopiesText(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 60, 20)
	s.transcript.clearEntries()
	s.send("say", fields{"source": "agent", "markdown": "one **two** three\n\n漢字 four"})
	s.send("say", fields{"source": "agent", "markdown": strings.Repeat("- item\n", 30)})
	s.press("ctrl+home")
	s.advance(time.Second)
	mouse := func(fromX, fromY, toX, toY int) string {
		s.Update(tea.MouseClickMsg{X: fromX, Y: fromY, Button: tea.MouseLeft})
		s.Update(tea.MouseMotionMsg{X: fromX + 1, Y: fromY, Button: tea.MouseLeft})
		s.Update(tea.MouseMotionMsg{X: toX, Y: toY, Button: tea.MouseLeft})
		if !strings.Contains(s.View().Content, "\x1b[7m") {
			t.Errorf("nothing is marked:\n%q", s.View().Content)
		}
		s.send("say", fields{"source": "agent", "markdown": "news"})
		_, cmd := s.Update(tea.MouseReleaseMsg{X: toX, Y: toY, Button: tea.MouseLeft})
		if s.selection.active() || strings.Contains(s.View().Content, "\x1b[7m") {
			t.Errorf("it is still marked:\n%s", s.text())
		}
		return string(findMsg[copyMsg](cmd))
	}
	for _, test := range []struct {
		fromX, fromY, toX, toY int
		want                   string
	}{
		{6, 0, 8, 0, "two"}, {8, 0, 6, 0, "two"}, {10, 0, 3, 2, "three\n\n漢"},
		{7, 2, 50, 4, "four\n\n• item"}, {0, 0, 4, 99, "one two three\n\n漢字 four\n\n" +
			strings.TrimSuffix(strings.Repeat("• item\n", 12), "\n") + "\n• i"},
	} {
		if got := mouse(test.fromX, test.fromY, test.toX, test.toY); got != test.want {
			t.Errorf("%v: got %q, want %q", test, got, test.want)
		}
	}
	s.transcript.clearEntries()
	s.send("tool_result", fields{"call_id": "c1", "tool": "cat", "content": "aa\nbb\ncc"})
	if got := mouse(0, 1, 4, 3); got != "aa\nbb\nc" {
		t.Errorf("got %q of a result", got)
	}
	s.transcript.clearEntries()
	s.send("message_end", fields{"message_id": "m", "text": "one\n\n    code"})
	if got := mouse(0, 0, 50, 2); got != "one\n\n  code" {
		t.Errorf("got %q of a message", got)
	}
	s.transcript.clearEntries()
	s.send("tool_result", fields{"call_id": "c2", "tool": "cat", "content": "aa\nbb\ncc"})
	s.piece(ui.Piece{Script: "a.lua", Kind: ui.PieceHeader, Lines: lines("head", "of two lines")})
	if got := mouse(0, 3, 4, 5); got != "aa\nbb\nc" {
		t.Errorf("got %q of a result below a header", got)
	}
	s.Update(tea.MouseClickMsg{X: 2, Y: 2, Button: tea.MouseLeft})
	_, cmd := s.Update(tea.MouseReleaseMsg{X: 2, Y: 0, Button: tea.MouseLeft})
	if got := findMsg[copyMsg](cmd); got != "" || s.transcript.selected != 0 {
		t.Errorf("a click copied %q and selected %d", got, s.transcript.selected)
	}
	s.Update(tea.MouseMotionMsg{X: 9, Y: 0})
	s.transcript.clearEntries()
	s.Update(tea.MouseMotionMsg{X: 9, Y: 0, Button: tea.MouseLeft})
}
