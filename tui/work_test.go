package tui

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
)

// onEvent sends an event and runs the commands that follow.
func (s *stage) onEvent(name string, f fields) {
	s.t.Helper()
	s.settle(s.send(name, f))
}

func TestSentTextsHaveAKind(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 24)
	for _, step := range []struct {
		busy bool
		text string
		key  string
		want string
	}{
		{false, "a", "enter", kindPrompt},
		{true, "b", "enter", kindSteer},
		{true, "c", "alt+enter", kindFollowUp},
		{true, "/d", "enter", kindSteer},
		{true, "!ls", "enter", kindSteer},
		{true, "/etc/hosts is what?", "enter", kindSteer}, // no command
	} {
		if step.busy {
			s.send("agent_start", fields{"prompt": "a"})
		}
		s.typeText(step.text)
		s.press(step.key)
		if got := <-s.work.submits; got != (submission{step.text, step.want}) {
			t.Errorf("sent %q, want %q as %s", got, step.text, step.want)
		}
	}
	s.has("› a", "› /d")
	s.lacks("› b", "› c", "!ls", "/etc/hosts")
	if n := strings.Count(s.text(), "› a"); n != 1 {
		t.Errorf("shown %d times", n)
	}
}

func TestInputIsShownOnceWhenItTakesEffect(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 24)
	s.typeText("first")
	s.press("enter")
	s.input("prompt", "first, as a script has rewritten it")
	s.send("agent_start", fields{"prompt": "first"})
	s.typeText("steer me")
	s.press("enter")
	s.lacks("rewritten", "steer me")
	s.input("steer", "steer me")
	s.send("steering_injected", fields{"count": 2, "texts": []any{"steer me", "of a command"}})
	s.has("› first", "↳ steer me", "↳ of a command")
	s.send("input", fields{"kind": "follow_up", "text": "later", "source": "queue"})
	s.has("› later")
	for _, text := range []string{"› first", "steer me", "› later"} {
		if n := strings.Count(s.text(), text); n != 1 {
			t.Errorf("%q is shown %d times:\n%s", text, n, s.text())
		}
	}
}

func TestWaitingTextIsShownAndTakenBack(t *testing.T) {
	t.Parallel()
	waiting := []Waiting{{Text: "left", Kind: kindSteer}, {Text: "right", Kind: kindFollowUp}}
	s := newStage(t, Backend{
		State: func() State { return State{Waiting: slices.Clone(waiting)} },
		TakeBack: func() string {
			last := waiting[len(waiting)-1]
			waiting = waiting[:len(waiting)-1]
			return last.Text
		},
		Interrupt: func() (texts []string) {
			for _, w := range waiting {
				texts = append(texts, w.Text)
			}
			waiting = nil
			return texts
		},
	}, 80, 24)
	s.onEvent("input_queued", fields{"kind": "follow_up", "waiting": 2})
	s.has("steering: left", "follow-up: right", "2 queued")
	s.settle(s.press("up"))
	if got := s.editor.value(); got != "right" {
		t.Errorf("the editor has %q", got)
	}
	s.has("steering: left", "1 queued")
	s.lacks("follow-up: right")
	s.typeText(" on")
	s.settle(s.press("esc"))
	if got := s.editor.value(); got != "left\nright on" {
		t.Errorf("the editor has %q", got)
	}
	s.lacks("queued", "steering:")
}

func TestUpDoesNotTakeBackTextOfScripts(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{
		State: func() State {
			return State{Waiting: []Waiting{
				{Text: "x", Kind: kindSteer, Script: true}}}
		},
		TakeBack: func() string { t.Error("taken back"); return "" },
	}, 80, 24)
	s.onEvent("input_queued", fields{"kind": "steer", "waiting": 1})
	s.has("steering of a script: x")
	s.settle(s.press("up"))
}

// TestLateStateIsIgnored checks that a late answer to an earlier request does not replace that of
// a later one.
func TestLateStateIsIgnored(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 24)
	s.Update(stateMsg{2, State{}})
	s.Update(stateMsg{1, State{Session: "old"}})
	s.lacks("old")
}

func TestBusy(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 24)
	working := func(want bool, when string) {
		t.Helper()
		s.Update(tickMsg{})
		if got := strings.Contains(s.text(), "working"); got != want {
			t.Errorf("%s: working %v, want %v", when, got, want)
		}
	}
	s.typeText("/slow")
	s.press("enter")
	working(true, "a command was sent")
	s.Update(feed.Batch{endMsg{"/slow", false}})
	working(false, "it has ended")
	s.send("busy_change", fields{"state": "working"})
	s.send("agent_start", fields{"prompt": "x"})
	s.send("agent_end", fields{"status": "completed"})
	working(true, "the next prompt follows")
	s.send("busy_change", fields{"state": "idle"})
	working(false, "idle")
	s.typeText("lost")
	s.press("enter")
	s.send("wait_input", fields{"cause": "idle"})
	working(true, "the agent may have waited before it got the text")
	s.send("wait_input", fields{"cause": "idle"})
	working(false, "the agent waits for the user")
}

// TestTextSentWhileTheAgentBeginsToWait: the agent reports that it waits a moment after the end of
// its work, and a text that is sent in this moment is under way nevertheless, and is shown once.
func TestTextSentWhileTheAgentBeginsToWait(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"/slow", "a prompt"} {
		s := newStage(t, Backend{}, 80, 24)
		for range 2 { // the second time it is not mistaken for the first one
			s.typeText(text)
			s.press("enter")
			s.send("wait_input", fields{"cause": "idle"})
			s.input("prompt", text)
			s.Update(tickMsg{})
			s.has("working")
			s.Update(feed.Batch{endMsg{text, false}})
			s.send("wait_input", fields{"cause": "idle"})
			s.Update(tickMsg{})
			s.lacks("working")
		}
		if n := strings.Count(s.text(), "› "+text); n != 2 {
			t.Errorf("%q is shown %d times, and was sent twice:\n%s", text, n, s.text())
		}
	}
}

func TestCommandsAndTheShellAreInterrupted(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{Interrupt: func() []string { return nil }}, 80, 24)
	s.typeText("/slow")
	s.press("enter")
	s.settle(s.press("esc"))
	s.Update(feed.Batch{endMsg{"/slow", true}})
	s.has("interrupted")
	s.send("agent_start", fields{"prompt": "x"})
	s.send("agent_end", fields{"status": "cancelled"})
	s.Update(feed.Batch{endMsg{"x", true}})
	if n := strings.Count(s.text(), "interrupted"); n != 2 { // once for each
		t.Errorf("shown %d times:\n%s", n, s.text())
	}
}

func TestRejectedTextReturnsToTheEditor(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 24)
	s.typeText("hello")
	s.press("enter")
	s.Update(sentMsg{<-s.work.submits, errors.New("the session has ended")})
	s.has("the session has ended")
	s.lacks("working")
	if s.editor.value() != "hello" {
		t.Errorf("the editor has %q", s.editor.value())
	}
}

func TestShellLines(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 24)
	s.typeText("!")
	s.has("shell: the model sees it", "$ !")
	s.press("enter")
	s.typeText("!!")
	s.has("shell: the model does not see it")
	s.press("enter")
	if len(s.work.submits) > 0 {
		t.Errorf("sent %v", <-s.work.submits)
	}
	s.send("user_shell", fields{"command": "ls", "in_context": false})
	s.userTool("tool_start", "u1", "ls")
	s.has("bash  ls  not in context  running")
	s.send("agent_end", fields{"status": "completed"}) // it runs independently of the agent
	s.has("running")
	s.userTool("tool_end", "u1", "ls")
	s.lacks("running")
	s.send("user_shell", fields{"command": "pwd", "in_context": true})
	s.userTool("tool_start", "u2", "pwd")
	s.has("bash  pwd  yours")
	s.send("user_shell", fields{"command": "for all", "in_context": true})
	s.send("user_shell", fields{"command": "for me", "in_context": false})
	s.userTool("tool_start", "u4", "for me") // they run concurrently
	s.userTool("tool_start", "u3", "for all")
	s.has("bash  for me  not in context", "bash  for all  yours")
	s.tool("tool_start", "c3", "id", nil)
	s.lacks("id  yours")
}

func TestDiscardedMessagesAreRemoved(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 24)
	before := s.text()
	s.send("message_delta", fields{"message_id": "m", "kind": "reasoning", "delta": "a thought"})
	s.send("message_delta", fields{"message_id": "m", "kind": "text", "delta": "words"})
	s.send("message_delta", fields{"message_id": "m", "kind": "reasoning", "delta": "another"})
	s.send("tool_input_start", fields{"call_id": "c", "tool": "write"})
	s.has("a thought", "words", "another", "is being written")
	s.send("message_end", fields{"message_id": "m", "text": ""})
	if got := s.text(); got != before {
		t.Errorf("left over:\n%s", got)
	}
	s.send("message_delta", fields{"message_id": "n", "kind": "reasoning", "delta": "seen"})
	s.send("message_end", fields{"message_id": "n", "text": "", "reasoning": "seen"})
	s.has("∴ seen")
}

func TestCallsBeingWritten(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 24)
	s.send("message_delta", fields{"message_id": "m", "kind": "text", "delta": "I write"})
	s.send("tool_input_start", fields{"call_id": "c", "tool": "write"})
	for range 3 {
		s.send("tool_input_delta", fields{"call_id": "c", "tool": "write",
			"delta": strings.Repeat("x", 500)})
	}
	s.has("write  is being written, 1.5 KB")
	s.send("tool_input_end", fields{"call_id": "c", "tool": "write"})
	s.send("message_end", fields{"message_id": "m", "text": "I write."})
	s.send("tool_call", fields{"call_id": "c", "tool": "write", "args": fields{"path": "a"}})
	s.has("I write.", "write  a")
	s.lacks("is being written")
	s.send("tool_input_start", fields{"call_id": "d", "tool": "never"})
	s.send("turn_end", fields{"cause": "error"})
	s.lacks("never")
	if n := strings.Count(s.text(), "○ write"); n != 1 {
		t.Errorf("drawn %d times:\n%s", n, s.text())
	}
}

func TestRetriesInARowAreOneEntry(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 24)
	for i := range 3 {
		s.send("message_delta", fields{"message_id": fmt.Sprint(i), "kind": "text",
			"delta": "half"})
		s.send("message_end", fields{"message_id": fmt.Sprint(i), "text": ""})
		s.send("llm_retry", fields{"attempt": i + 1, "max": 4, "cause": "rate_limit",
			"error": "slow down", "backoff_ms": 2000.0})
	}
	s.has("retrying in 2 s: rate limit (attempt 3 of 4 failed): slow down")
	if n := strings.Count(s.text(), "retrying"); n != 1 {
		t.Errorf("%d entries:\n%s", n, s.text())
	}
}

// TestSubAgentsStayOutOfTheConversation checks that the messages and calls of a sub-agent belong to
// its entry.
func TestSubAgentsStayOutOfTheConversation(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 100, 24)
	s.send("subagent_start", fields{"subagent_id": "s1", "name": "reviewer", "task": "review"})
	s.env = &event.Envelope{AgentID: "s1", Depth: 1, Agent: "reviewer"}
	s.send("agent_start", fields{"prompt": "review"})
	s.input("prompt", "review this")
	s.send("message_delta", fields{"message_id": "m", "kind": "text", "delta": "secret words"})
	s.send("message_end", fields{"message_id": "m", "text": "secret words"})
	s.tool("tool_start", "c1", "ls /secret", nil)
	s.send("subagent_event", fields{"subagent_id": "s1", "kind": "tool_start",
		"data": fields{"tool": "grep", "args": fields{"pattern": "todo"}}})
	s.send("subagent_event", fields{"subagent_id": "s1", "kind": "tool_end",
		"data": fields{"tool": "grep"}})
	s.lacks("secret", "review this", "working")
	s.has("◆ reviewer  review", "works · 1 call", "│ grep  todo", "1 agent: reviewer grep  todo")
	s.send("subagent_end", fields{"subagent_id": "s1", "name": "reviewer", "status": "error",
		"error": "no model", "response": "r", "delivered": true})
	s.has("error · 1 call", "no model")
	s.lacks("1 agent:", "│ r\n")
}

func TestResumedSessionIsShown(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	s.typeText("before")
	s.press("enter")
	s.Update(feed.Batch{loadMsg{{Kind: ItemUser, Text: "hello"},
		{Kind: ItemAssistant, Text: "**good** day"}, {Kind: ItemTool, Tool: "bash",
			Args: fields{"command": "seq 40"}, Content: []chat.Block{
				{Type: "text", Text: strings.Repeat("line\n", 40)}}}}})
	s.has("› hello", "good day", "bash  seq 40", "28 more lines")
	s.lacks("before", "**")
	s.send("session_start", fields{"cause": "resume"})
	s.has("› hello")
	s.Update(feed.Batch{loadMsg(nil)})
	s.lacks("hello")
	s.has("/help shows keys")
}

// TestSenderIsShown checks that a prompt of a script names it, also in a session that is continued,
// and that one which looks like a command of the user does not pass for one.
func TestSenderIsShown(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	s.input("prompt", "mine")
	s.env = &event.Envelope{Origin: "script:a\x1b[31m.lua"}
	s.send("input", fields{"kind": "prompt", "text": "theirs", "source": "script"})
	s.has("› mine\n", "› [a.lua] sends\n  theirs\n")
	s.Update(feed.Batch{loadMsg{{Kind: ItemUser, Text: "hello"},
		{Kind: ItemUser, Text: "go on", Sender: "b.js"}}})
	s.has("› hello\n", "› [b.js] sends\n  go on\n")
}

func TestCommandsWithChoices(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{Choices: func(command string) (string, []ui.Choice) {
		if command == "empty" {
			return "Nothing", nil
		}
		return "Pick a " + command, []ui.Choice{{Value: "one"}, {Value: "two"}}
	}}, 80, 24)
	s.Update(commandsMsg{{Name: "model", Picks: true}, {Name: "empty", Picks: true},
		{Name: "plain"}})
	s.typeText("/model")
	s.settle(s.press("enter"))
	s.has("Pick a model", "› one")
	s.press("down") // it takes keys at once: the user has opened it
	s.press("enter")
	if got := <-s.work.submits; got.text != "/model two" {
		t.Errorf("sent %q", got)
	}
	s.lacks("Pick a")
	s.send("agent_start", fields{"prompt": "x"})
	s.typeText("/model")
	s.settle(s.press("enter"))
	s.settle(s.press("esc"))
	s.lacks("Pick a")
	s.typeText("/model three")
	s.settle(s.press("enter"))
	if got := <-s.work.submits; got.text != "/model three" {
		t.Errorf("sent %q", got)
	}
	s.typeText("/empty")
	s.settle(s.press("enter"))
	s.has("nothing to pick from")
	s.typeText("/plain")
	s.settle(s.press("enter"))
	if got := <-s.work.submits; got.text != "/plain" {
		t.Errorf("sent %q", got)
	}
}

func TestResizeIsReportedWhenStable(t *testing.T) {
	t.Parallel()
	var got []string
	s := newStage(t, Backend{Resized: func(w, h int) { got = append(got, fmt.Sprint(w, "x", h)) }},
		80, 24)
	for _, w := range []int{90, 100, 100, 110} {
		s.Update(tea.WindowSizeMsg{Width: w, Height: 30})
	}
	for n := range s.window.resizes { // the timers of all changes
		s.settle(func() tea.Msg { return resizedMsg(n + 1) })
	}
	if want := []string{"110x30"}; !slices.Equal(got, want) {
		t.Errorf("reported %v, want %v", got, want)
	}
}

// TestFastKeysAreDrawnTogether checks that text that arrives as keys is drawn in pieces
// and that none of it is lost.
func TestFastKeysAreDrawnTogether(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 24)
	s.pace = time.Hour
	s.Update(tickMsg{}) // drawn now
	before := s.View().Content
	s.typeText("pasted")
	if s.View().Content != before {
		t.Error("each key was drawn")
	}
	s.Update(layoutMsg{})
	s.has("› pasted")
}

func TestUsageOfPromptsIsShown(t *testing.T) {
	t.Parallel()
	usage := map[string]any{"input": 12_000.0, "output": 900.0, "cache_read": 90_000.0,
		"cache_write": 0.0}
	for _, tt := range []struct {
		name   string
		fields fields
		want   string
	}{
		{"priced", fields{"usage": usage, "cost": 0.123, "turns": 3.0, "duration_ms": 61000.0},
			"· 3 turns · 102k in (90k from cache), 900 out · $0.12 · 1m 01s"},
		{"unknown price", fields{"usage": map[string]any{"input": 1500.0, "output": 2.0},
			"turns": 1.0, "duration_ms": 900.0}, "· 1 turn · 1.5k in, 2 out · $? · 0s"},
		{"free", fields{"usage": map[string]any{"input": 1500.0, "output": 2.0}, "turns": 1.0,
			"cost": 0.0, "duration_ms": 900.0}, "· 1 turn · 1.5k in, 2 out · 0s"},
		{"no counts", fields{"usage": map[string]any{"input": 0.0}, "turns": 1.0}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, Backend{}, 100, 20)
			tt.fields["status"] = "completed"
			s.send("agent_end", tt.fields)
			if tt.want == "" {
				s.lacks("turn")
				return
			}
			s.has(tt.want)
		})
	}
}

func TestStatusShowsUsageOfTheSession(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		cost    float64
		unknown bool
		want    string
	}{{0, true, "12k tokens · $?"}, {0.5, true, "12k tokens · $0.50 + ?"},
		{0.001, false, "12k tokens · under $0.01"}} {
		s := newStage(t, Backend{}, 120, 20)
		s.status.cost = tt.cost
		s.Update(stateMsg{1, State{Tokens: 12_345, Unpriced: tt.unknown}})
		s.has(tt.want)
	}
}

// TestReasoningIsDrawnBeforeTheAnswer checks that reasoning that was not shown while it arrived is
// drawn before the answer, and that a final rewrite is applied.
func TestReasoningIsDrawnBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	for _, streamed := range []string{"", "quux", "I ask myself quux\n"} {
		s := newStage(t, Backend{}, 60, 20)
		s.send("agent_start", fields{"prompt": "x"})
		if streamed != "" {
			s.send("message_delta", fields{"message_id": "m", "kind": "reasoning",
				"delta": streamed})
		}
		s.send("message_delta", fields{"message_id": "m", "kind": "text", "delta": "The answer"})
		s.send("message_end", fields{"message_id": "m", "text": "The answer",
			"reasoning": "I ask myself quux"})
		s.has("\n\n∴ I ask myself quux\n\n◇ The answer")
		if strings.Count(s.text(), "quux") != 1 {
			t.Errorf("%q: got\n%s", streamed, s.text())
		}
	}
}

// TestCtrlCTwiceInARow checks that the second ctrl+c quits only right after the first one.
func TestCtrlCTwiceInARow(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 60, 20)
	for _, between := range []func(){func() { s.typeText("a") },
		func() { s.Update(tea.PasteMsg{Content: "a"}) }} {
		s.press("ctrl+c")
		s.has("ctrl+c again within 2 s quits")
		if between(); strings.Contains(s.text(), "quits") {
			t.Error("it still says that the next ctrl+c quits")
		}
		if quits(s.press("ctrl+c")) {
			t.Error("it quits though the user typed in between")
		}
		s.advance(quitWithin + 1)
	}
	s.press("ctrl+c")
	s.Update(toastOver(s.quitToast)) // after quitWithin
	s.lacks("quits")
	if !quits(s.press("ctrl+c")) {
		t.Error("it does not quit")
	}
}

// TestEnterTakesTheHighlightedCommand checks that Enter runs the highlighted command, and that a
// complete name means itself.
func TestEnterTakesTheHighlightedCommand(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{"/thi": "/thinking", "/think": "/think"} {
		s := newStage(t, Backend{}, 60, 20)
		s.Update(commandsMsg{{Name: "thinking"}, {Name: "think"}})
		s.typeText(typed)
		s.press("enter")
		if got := (<-s.work.submits).text; got != want {
			t.Errorf("%s runs %q, want %q", typed, got, want)
		}
	}
}

// TestNoticesOfAnotherSessionStay checks that notices that arrive while another session is opened
// stay on the screen.
func TestNoticesOfAnotherSessionStay(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 60, 20)
	s.send("notification", fields{"level": "info", "message": "of the old one", "source": "agent"})
	s.typeText("/new")
	s.press("enter")
	s.send("notification", fields{"level": "info", "message": "not saved", "source": "a.lua"})
	s.send("say", fields{"source": "a.lua", "markdown": "a remark"})
	s.Update(feed.Batch{loadMsg{{Kind: ItemUser, Text: "an old prompt"}}})
	s.lacks("of the old one")
	s.has("an old prompt", "[a.lua] not saved", "a remark")
}

// TestHeldTextIsDrawnBeforeCalls checks that text and reasoning of a message which redactors hold
// back until its end are drawn before the calls of the same message.
func TestHeldTextIsDrawnBeforeCalls(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"pieces", "end"} {
		s := newStage(t, Backend{}, 80, 24)
		s.send("message_start", fields{"message_id": "m"})
		for _, id := range []string{"c1", "c2"} {
			call := fields{"call_id": id, "tool": "bash", "kind": "execute"}
			s.send("tool_input_start", call)
			s.send("tool_input_end", call)
		}
		if when == "pieces" {
			s.send("message_delta", fields{"message_id": "m", "kind": "reasoning",
				"delta": "I reason."})
			s.send("message_delta", fields{"message_id": "m", "kind": "text", "delta": "I answer."})
		}
		s.send("message_end", fields{"message_id": "m", "text": "I answer.",
			"reasoning": "I reason."})
		for _, id := range []string{"c1", "c2"} {
			s.send("tool_call", fields{"call_id": id, "tool": "bash", "kind": "execute",
				"args": fields{"command": "echo " + id}})
		}
		last := -1
		for _, part := range []string{"I reason.", "I answer.", "echo c1", "echo c2"} {
			at := strings.Index(s.text(), part)
			if at <= last {
				t.Errorf("%s: %s is not in its place:\n%s", when, part, s.text())
			}
			last = at
		}
		lines := strings.Split(s.text(), "\n")
		at := slices.IndexFunc(lines,
			func(l string) bool { return strings.Contains(l, "I answer.") })
		if strings.TrimSpace(lines[at-1]) != "" || strings.TrimSpace(lines[at+1]) != "" {
			t.Errorf("%s: no blank lines around the answer:\n%s", when, s.text())
		}
	}
}

// TestWaitingCallsShowTheirArguments checks that a call shows its arguments as soon as the model
// has written them, and the final ones once it begins.
func TestWaitingCallsShowTheirArguments(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 24)
	call := func(more fields) fields {
		out := fields{"call_id": "c", "tool": "bash", "kind": "execute"}
		maps.Copy(out, more)
		return out
	}
	s.send("tool_input_start", call(nil))
	for _, delta := range []string{`{"command": "ls`, ` one\u001b[2Jtwo"}`} {
		s.send("tool_input_delta", call(fields{"delta": delta}))
		s.lacks("one")
	}
	s.send("tool_input_end", call(nil))
	s.has("bash  ls one␛[2Jtwo")
	s.send("tool_call", call(fields{"args": fields{"command": "ls three"}}))
	s.has("bash  ls three")
	s.lacks("one")
	big := `{"command": "` + strings.Repeat("x", inputKept) + `"}`
	for id, text := range map[string]string{"broken": `{"command": `, "big": big, "list": "[1]"} {
		call := fields{"call_id": id, "tool": "bash", "kind": "execute"}
		s.send("tool_input_start", call)
		s.send("tool_input_delta", fields{"call_id": id, "tool": "bash", "kind": "execute",
			"delta": text})
		s.send("tool_input_end", call)
	}
	s.lacks("xxx", "[1]")
}
