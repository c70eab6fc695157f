package tui

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
)

// run executes a command and its parts, except timers, and returns their messages.
func run(cmd tea.Cmd) (msgs []tea.Msg) {
	if cmd == nil || strings.Contains(runtime.FuncForPC(reflect.ValueOf(cmd).Pointer()).Name(),
		"Tick.func") {
		return nil
	}
	msg := cmd()
	list := reflect.ValueOf(msg)
	if msg == nil || !list.Type().ConvertibleTo(reflect.TypeFor[[]tea.Cmd]()) {
		return append(msgs, msg)
	}
	for i := range list.Len() { // of tea.Batch or tea.Sequence
		msgs = append(msgs, run(list.Index(i).Interface().(tea.Cmd))...)
	}
	return msgs
}

func quits(cmd tea.Cmd) bool {
	return slices.ContainsFunc(run(cmd), func(m tea.Msg) bool {
		_, ok := m.(tea.QuitMsg)
		return ok
	})
}

func TestPromptIsSubmittedOnceAndShown(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.typeText("hello")
	s.press("enter")
	if got := <-s.work.submits; got != (submission{"hello", kindPrompt}) {
		t.Errorf("submitted %q", got)
	}
	s.input("prompt", "hello")
	s.send("agent_start", fields{"prompt": "hello"})
	if n := strings.Count(s.text(), "› hello"); n != 1 {
		t.Errorf("shown %d times:\n%s", n, s.text())
	}
	s.press("enter")
	if len(s.work.submits) != 0 {
		t.Error("submitted an empty prompt")
	}
}

func TestEditor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		keys []string
		want string
	}{
		{"backslash", []string{"a", `\`, "enter", "b"}, "a\nb"},
		{"shift+enter", []string{"a", "shift+enter", "b"}, "a\nb"},
		{"ctrl+j", []string{"a", "ctrl+j", "b"}, "a\nb"},
		{"backspace over a wide character", []string{"日", "本", "backspace"}, "日"},
		{"backspace over a cluster", []string{"e", "\u0301", "x", "left", "backspace"}, "x"},
		{"insert in the middle", []string{"a", "c", "left", "b"}, "abc"},
		{"up and down in lines", []string{"a", "b", "ctrl+j", "c", "up", "x", "down", "y"},
			"axb\ncy"},
		{"home and end", []string{"b", "home", "a", "end", "c"}, "abc"},
		{"delete word", []string{"a", "b", " ", "c", "d", "ctrl+w"}, "ab "},
		{"kill line", []string{"a", "b", "left", "ctrl+k"}, "a"},
		{"complete", []string{"/", "r", "e", "tab"}, "/reload "},
		{"complete the second", []string{"/", "down", "tab"}, "/scripts "},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, Backend{}, 80, 20)
			s.press(test.keys...)
			if got := s.editor.value(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestArgumentsAreCompleted checks that tab after a command asks it for completions, and that late
// ones are not shown.
func TestArgumentsAreCompleted(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{Complete: func(line string) []Completion {
		return []Completion{{Value: "stage\x1b[2J", Description: "for " + line}, {Value: "live"}}
	}}, 80, 20)
	s.typeText("/deploy ")
	s.Update(s.press("tab")())
	s.has("stage", "for /deploy", "live")
	s.press("down", "tab")
	if got := s.editor.value(); got != "/deploy live" {
		t.Errorf("got %q", got)
	}
	late := s.press("tab")()
	s.typeText("x")
	s.Update(late)
	s.lacks("stage")
}

func TestHistory(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	for _, text := range []string{"one", "two"} {
		s.typeText(text)
		s.press("enter")
	}
	s.typeText("draft")
	for _, step := range []struct{ key, want string }{{"up", "two"}, {"up", "one"}, {"up", "one"},
		{"down", "two"}, {"down", "draft"}, {"down", "draft"}} {
		s.press(step.key)
		if got := s.editor.value(); got != step.want {
			t.Errorf("%s: got %q, want %q", step.key, got, step.want)
		}
	}
}

func TestPasteIsCleanedAndKeepsItsLines(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.Update(tea.PasteMsg{Content: "a\r\nb\x1b[2Jc\td"})
	if got, want := s.editor.value(), "a\nbc    d"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.Update(tea.PasteMsg{Content: strings.Repeat("x", editorLimit)})
	s.has("too long for the editor", "the 1024 KB are not pasted")
	s.editor.setText(strings.Repeat("x", editorLimit-1))
	s.typeText("abc")
	if got := strings.Count(s.text(), "the editor is full at 1024 KB"); got != 1 ||
		!strings.HasSuffix(s.editor.value(), "xa") {
		t.Errorf("reported %d times that the editor is full:\n%s", got, s.text())
	}
}

func TestEscInterrupts(t *testing.T) {
	t.Parallel()
	called := 0
	s := newStage(t, Backend{Interrupt: func() []string { called++; return nil }}, 80, 20)
	s.send("agent_start", fields{"prompt": "x"})
	run(s.press("esc"))
	if called != 1 {
		t.Errorf("esc: interrupted %d times", called)
	}
	run(s.press("ctrl+c"))
	if called != 2 {
		t.Errorf("ctrl+c: interrupted %d times", called)
	}
	s.send("agent_end", fields{"status": "cancelled"})
	s.has("interrupted")
}

func TestQuit(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.typeText("text")
	if quits(s.press("ctrl+d")) {
		t.Error("ctrl+d quit though the editor had text")
	}
	if quits(s.press("ctrl+c")) || s.editor.value() != "" {
		t.Error("the first ctrl+c must only empty the editor")
	}
	s.advance(quitWithin + time.Millisecond)
	if quits(s.press("ctrl+c")) {
		t.Error("a late second ctrl+c quit")
	}
	s.advance(time.Second)
	if !quits(s.press("ctrl+c")) {
		t.Error("ctrl+c twice did not quit")
	}
	if !quits(s.press("ctrl+d")) {
		t.Error("ctrl+d did not quit")
	}
	s.typeText("/quit")
	if !quits(s.press("enter")) {
		t.Error("/quit did not quit")
	}
}

func TestCommandsOfTheScreen(t *testing.T) {
	t.Parallel()
	var called []string
	s := newStage(t, Backend{
		Reload:  func() { called = append(called, "reload") },
		Scripts: func() ([]Script, string) { return []Script{{Name: "guard.lua"}}, "a line" },
	}, 80, 20)
	for _, c := range []string{"/reload", "/scripts"} {
		s.typeText(c)
		for _, msg := range run(s.press("enter")) {
			s.Update(msg)
		}
	}
	s.has("── scripts", "guard.lua", "a line")
	s.press("esc")
	s.lacks("── scripts")
	if want := []string{"reload"}; !slices.Equal(called, want) {
		t.Errorf("called %q, want %q", called, want)
	}
	if len(s.work.submits) != 0 {
		t.Errorf("%q went to the backend", <-s.work.submits)
	}
	s.typeText("/todo list")
	s.press("enter")
	if got := <-s.work.submits; got.text != "/todo list" {
		t.Errorf("submitted %q", got)
	}
}

// TestPermissionModesCycle checks that shift+tab never switches to yolo, and that it switches from
// yolo to a mode that asks.
func TestPermissionModesCycle(t *testing.T) {
	t.Parallel()
	for start, want := range map[event.Permission][]event.Permission{
		event.PermissionDefault: {"accept-edits", "auto", "plan", "default"},
		event.PermissionYolo:    {"default", "accept-edits", "auto", "plan"},
	} {
		var got []event.Permission
		s := newStage(t, Backend{SetPermission: func(p event.Permission) { got = append(got, p) }},
			80, 20)
		s.status.permission = start
		for range want {
			run(s.press("shift+tab"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("from %s: got %v, want %v", start, got, want)
		}
	}
}

func TestBrokenGuardsAndErrorsStayInTheStatus(t *testing.T) {
	t.Parallel()
	broken, gone, failed := []string{"guard.lua"}, []string{"old.lua"}, []string{"x.lua"}
	s := newStage(t, Backend{State: func() State {
		return State{Broken: broken, Gone: gone, Failed: failed}
	}}, 80, 20)
	queue := feed.New()
	s.emit(queue, "script_error", fields{"script": "x.lua", "handler": "load", "message": "bad",
		"file": "x.lua", "line": 2})
	_, cmd := s.Update(queue.Take())
	for _, msg := range run(cmd) {
		s.Update(msg)
	}
	s.has("BROKEN guard.lua", "✗ gone: old.lua", "✗ x.lua", "x.lua:2: bad")
	broken, gone, failed = nil, nil, nil
	for _, msg := range run(s.send("notification", fields{"level": "warn", "message": "x.lua: gone",
		"source": "agent"})) {
		s.Update(msg)
	}
	s.lacks("BROKEN", "✗ gone", "✗ x.lua ·")
}

// TestBuiltinScriptsLoadSilently checks that the screen does not name scripts of the program,
// which users do not have.
func TestBuiltinScriptsLoadSilently(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	for _, cause := range []string{"start", "manual"} {
		s.send("script_load", fields{"script": cause + "-own.lua", "path": "/x.lua",
			"cause": cause})
		s.send("script_load", fields{"script": cause + "-builtin.lua", "path": "builtin:x.lua",
			"cause": cause})
	}
	s.has("start-own.lua loaded", "manual-own.lua reloaded")
	s.lacks("builtin.lua")
}

// TestScriptsToReviewAreInTheStatus checks scripts that wait for a review, and that /trust goes to
// the program at once, not to the agent.
func TestScriptsToReviewAreInTheStatus(t *testing.T) {
	t.Parallel()
	waiting, opened, sent := 1, 0, 0
	s := newStage(t, Backend{State: func() State { return State{Review: waiting} },
		Trust: func() { opened++ },
		Send:  func(string, string) error { sent++; return nil }}, 80, 20)
	update := func() {
		for _, msg := range run(s.send("script_load", fields{"script": "x.lua", "handlers": 1,
			"ms": 0.1, "cause": "save"})) {
			s.Update(msg)
		}
	}
	update()
	s.has("1 script waits: /trust")
	waiting = 2
	update()
	s.has("2 scripts wait: /trust")
	waiting = 0
	update()
	s.lacks("/trust")
	s.typeText("/trust")
	run(s.press("enter"))
	if opened != 1 || sent != 0 {
		t.Errorf("opened %d times, sent %d times", opened, sent)
	}
}

func TestDeltasAndFinalText(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	for _, d := range []string{"Hel", "lo **wo", "rld**"} {
		s.send("message_delta", fields{"message_id": "m", "kind": "text", "delta": d})
	}
	s.has("Hello world")
	s.send("message_end", fields{"message_id": "m", "text": "Hello **world**"})
	s.has("Hello world")
	s.lacks("**")
}

// TestMessageDoesNotSnap checks that the end of a message changes nothing that was complete.
func TestMessageDoesNotSnap(t *testing.T) {
	t.Parallel()
	const text = "# Title\n\n- **one**\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n" +
		"```go\nfunc f() {}\n```\n\nThe end."
	s := newStage(t, Backend{}, 80, 30)
	for piece := range strings.SplitAfterSeq(text, " ") {
		s.send("message_delta", fields{"message_id": "m", "kind": "text", "delta": piece})
	}
	before := s.View().Content
	s.send("message_end", fields{"message_id": "m", "text": text})
	if after := s.View().Content; after != before {
		t.Errorf("got\n%s\nwant\n%s", after, before)
	}
	s.send("message_delta", fields{"message_id": "n", "kind": "text", "delta": "**a** secr"})
	s.send("message_end", fields{"message_id": "n", "text": "**another** text"})
	s.has("another text")
	s.lacks("secr")
}

func TestResultsAreFoldedAndUnfolded(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 60)
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	s.tool("tool_result", "c1", "seq", fields{"content": text.String()})
	s.has("line 7", "28 more lines", "line 36", "line 39") // head and tail
	s.lacks("line 8", "line 35")
	s.press("ctrl+o")
	s.has("line 8", "line 35", "line 39")
	s.lacks("more lines")
	s.press("ctrl+o")
	s.lacks("line 35")
	s.send("tool_result", fields{"call_id": "c2", "tool": "cat", "args": fields{"path": "a"},
		"content": strings.Repeat("x\n", 5000) + "\x1b[31mthe end\x1b[0m"})
	s.press("ctrl+o", "ctrl+end")
	s.has("the end")
	last := len(s.transcript.entries) - 1
	if n := len(s.transcript.lines(last)); n > unfolded+10 { // for the time that a frame takes
		t.Errorf("%d lines of 5001 are drawn", n)
	}
}

// TestThinkingSaysHowMuchThereIs checks folded reasoning while it streams, at its end and unfolded.
func TestThinkingSaysHowMuchThereIs(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 20, 5, 1} {
		s := newStage(t, Backend{}, width, 40)
		thought := ""
		for i := range 30 {
			thought += fmt.Sprintf("thought %d\n", i)
		}
		s.send("message_delta", fields{"message_id": "m", "kind": "reasoning", "delta": thought})
		if width == 80 {
			s.has("… 22 lines before", "thought 29")
			s.lacks("thought 21")
		}
		s.send("message_end", fields{"message_id": "m", "reasoning": thought, "text": "yes"})
		if width == 80 {
			s.has("∴ thought 0  30 lines of thinking")
			s.lacks("thought 1")
			s.press("ctrl+o")
			s.has("thought 1", "thought 29")
			s.lacks("lines of thinking")
		}
	}
}

// TestRepeatedRemarksAreOneLine checks that notifications in a row that are the same are counted.
func TestRepeatedRemarksAreOneLine(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	before := len(s.transcript.entries)
	for range 10_000 {
		s.send("notification", fields{"level": "info", "message": "tick", "source": "a.lua"})
	}
	if n := len(s.transcript.entries) - before; n != 1 {
		t.Errorf("%d entries", n)
	}
	s.has("i [a.lua] tick (10000 times)")
	s.send("notification", fields{"level": "warn", "message": "tick", "source": "a.lua"})
	s.send("notification", fields{"level": "info", "message": "tick", "source": "a.lua"})
	s.has("! [a.lua] tick", "i [a.lua] tick\n")
}

// TestBurstOfNotices checks that a script that notifies all the time does not push the conversation
// out of sight, and that its notices are lines again after a pause.
func TestBurstOfNotices(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 120)
	notify := func(source, text string) {
		s.send("notification", fields{"level": "info", "message": text, "source": source})
	}
	before := len(s.transcript.entries)
	for i := range 10_000 {
		notify("a.lua", fmt.Sprint("tick ", i%3))
	}
	if n := len(s.transcript.entries) - before; n != burstShown+1 {
		t.Errorf("%d entries", n)
	}
	s.has("i [a.lua] 9950 more notices, the last: tick 0")
	notify("b.lua", "another")
	notify("a.lua", "once more")
	s.has("i [b.lua] another\n", "i [a.lua] once more\n")
	for i := range burstShown {
		s.advance(2 * burstPause)
		notify("a.lua", fmt.Sprint("slow ", i))
	}
	notify("a.lua", "the end")
	s.has("slow 0\n", "slow 49\n", "i [a.lua] the end\n")
}

func TestRunningToolShowsTheEndOfItsOutput(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 60)
	s.tool("tool_start", "c1", "seq", nil)
	for i := range 40 {
		s.tool("tool_output", "c1", "seq", fields{"chunk": fmt.Sprintf("line %d\n", i)})
	}
	s.has("line 39", "line 32")
	s.lacks("line 31")
}

func TestUnfinishedCallsAreCancelled(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.tool("tool_start", "c1", "sleep 9", nil)
	s.send("agent_end", fields{"status": "cancelled"})
	s.has("sleep 9  cancelled")
}

func TestScreenHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	const evil = "a\x1b]52;c;ZXZpbA==\x07b\x1b[2Jc\u009b31md\x07e\u202ef"
	s := newStage(t, Backend{}, 80, 60)
	s.tool("tool_start", "c1", evil, nil)
	s.tool("tool_output", "c1", "x", fields{"chunk": evil})
	s.tool("tool_skipped", "c2", evil, fields{"cause": "denied", "reason": evil})
	for _, kind := range []string{"text", "markdown", "diff", "code"} {
		s.send("tool_result", fields{"call_id": kind, "tool": evil, "args": fields{"x": evil},
			"content": evil,
			"display": fields{"kind": kind, "title": evil}, "for_user": evil})
	}
	s.send("message_delta", fields{"message_id": "m", "kind": "text", "delta": evil})
	s.send("message_end", fields{"message_id": "m", "text": evil + " &#27;[31m &#x9b;2J"})
	s.send("say", fields{"source": evil, "markdown": "`" + evil + "`\n\n    " + evil})
	s.send("notification", fields{"level": "error", "message": evil, "source": evil})
	s.send("error", fields{"stage": evil, "message": evil})
	s.send("script_error", fields{"script": evil, "file": evil, "handler": evil, "message": evil,
		"excerpt": evil, "hint": evil})
	s.send("script_load", fields{"script": evil, "cause": "save"})
	s.send("agent_start", fields{"prompt": evil})
	s.Update(stateMsg{9, State{Session: evil, Thinking: evil, Broken: []string{evil},
		Gone: []string{evil}, Failed: []string{evil}, Disabled: []string{evil},
		Waiting: []Waiting{{Text: evil,
			Kind: evil}}}})
	s.Update(commandsMsg{{evil, evil, evil, false, evil}})
	s.send("input", fields{"kind": "steer", "text": evil, "source": "queue"})
	s.send("session_compact", fields{"summary": evil, "dropped": 3})
	s.send("subagent_start", fields{"subagent_id": "s", "name": evil, "task": evil, "model": evil})
	s.send("subagent_event", fields{"subagent_id": "s", "kind": "tool_start",
		"data": fields{"tool": evil, "args": fields{"command": evil}}})
	s.send("subagent_event", fields{"subagent_id": "s", "kind": "text",
		"data": fields{"text": evil}})
	s.send("subagent_end", fields{"subagent_id": "s", "status": "error", "error": evil,
		"response": evil})
	s.send("llm_retry", fields{"cause": evil, "error": evil, "backoff_ms": 100.0, "attempt": 1,
		"max": 3})
	s.send("llm_warning", fields{"warnings": []any{evil}})
	s.send("llm_source", fields{"title": evil, "url": evil})
	s.send("turn_end", fields{"cause": "normal"})
	s.send("limit_reached", fields{"kind": evil, "value": 1.0, "limit": 1.0})
	s.send("loop_detected", fields{"tool": evil, "count": 3})
	s.send("model_change", fields{"new": evil, "previous": evil, "source": "fallback"})
	s.send("agent_switch", fields{"from": evil, "to": evil, "kind": "handoff"})
	s.send("tool_input_start", fields{"call_id": "w", "tool": evil})
	s.Update(choicesMsg{command: evil, title: evil,
		choices: []ui.Choice{{Label: evil, Value: evil, Description: evil}}, asked: s.pickerKey()})
	s.press("esc")
	check := func() {
		t.Helper()
		content := s.View().Content
		if left := colorsOnly(content); left != content {
			t.Errorf("the screen has control characters: %q", content)
		}
	}
	for range 5 {
		check()
		s.press("pgup")
	}
	s.typeText("/")
	check()
	s.Update(feed.Batch{newConfirm(&ui.Dialog{Script: evil, Title: evil, Detail: evil, Yes: evil,
		No: evil})})
	check()
	s.has("␛")
	q := aQuestion()
	q.Call.Tool, q.Call.Args = evil, fields{evil: evil, "lines": evil + "\n" + evil}
	q.Asks[0].Text, q.Asks[0].Reason, q.Asks[0].Script, q.Asks[0].Detail = evil, evil, evil,
		fields{evil: evil}
	q.Asks[1].Failure.Message = evil
	s.overlays.dialogs.queue = nil
	s.ask(q)
	check()
	s.has("␛", "<U+202E>")
	s.press("e")
	check()
	s.has("edit the arg", `\u001b`, `\u202e`)
}

func TestStatusShowsModeAndModelOfEvents(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.env = &event.Envelope{Model: "acme/large", Permission: event.PermissionYolo}
	s.send("session_start", fields{"cause": "startup"})
	s.has("yolo", "acme/large")
	s.lacks("default")
}

// TestEscInterruptsAtADialog checks that Esc interrupts whatever is visible, and that the agent
// knows before the question is answered.
func TestEscInterruptsAtADialog(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]*dialog{
		"approval": newApproval(aQuestion()),
		"confirm":  newConfirm(&ui.Dialog{Script: "x.lua", Title: "Really?"}),
	} {
		t.Run(name, func(t *testing.T) {
			answeredFirst := false
			s := newStage(t,
				Backend{Interrupt: func() []string {
					answeredFirst =
						len(d.answer) > 0
					return nil
				}}, 80, 40)
			s.send("agent_start", fields{"prompt": "x"})
			s.Update(feed.Batch{d})
			s.advance(seenFor)
			s.Update(armMsg{})
			run(s.press("esc"))
			if a, done := answered(d); !done || a.Allow {
				t.Errorf("answer %+v, %v", a, done)
			}
			if answeredFirst {
				t.Error("the question was answered before the agent was interrupted")
			}
			if s.overlays.dialogs.front() != nil {
				t.Error("the dialog is still there")
			}
		})
	}
}

func TestFailureIsShownOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	for _, event := range []bool{true, false} {
		s.send("agent_start", fields{"prompt": "x"})
		if event {
			s.send("error", fields{"stage": "model", "message": "no such model"})
			s.send("notification", fields{"level": "error", "message": "model: no such model",
				"source": "agent", "stage": "model"})
		}
		s.send("agent_end", fields{"status": "error", "error": "no such model"})
	}
	if n := strings.Count(s.text(), "no such model"); n != 2 { // once for each prompt
		t.Errorf("shown %d times:\n%s", n, s.text())
	}
}

// TestStatusShowsBranch checks that the branch of git is read outside of Update, and again with
// each turn.
func TestStatusShowsBranch(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	branch := "main"
	s.env = &event.Envelope{Branch: func() string { return branch }}
	for _, name := range []string{"main", "a/very\x1b[31m-long-name-of-a-branch"} {
		branch = name
		s.Update(s.send("turn_end", fields{})())
		s.has(" · " + name[:4])
	}
	s.has(" · a/very-long-name-of-a-b…")
}

// TestStatusReportsMissingSandbox checks that the status line says that programs run without a
// sandbox.
func TestStatusReportsMissingSandbox(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 40, 12)
	s.Update(stateMsg{9, State{}})
	s.lacks("no sandbox")
	s.Update(stateMsg{10, State{Unfenced: true}})
	s.has("no sandbox · default")
}
