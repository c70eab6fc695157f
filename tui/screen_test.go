package tui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/tui/internal/feed"
	"github.com/agentscripts/agent/tui/internal/keymap"
	"github.com/agentscripts/agent/tui/tuitest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// patience is how long a test waits for an event.
const patience = 3 * time.Minute

// stage is a model with its own clock, which a test feeds with events and keys.
type stage struct {
	*model
	t     testing.TB
	eng   *engine.Engine
	clock time.Time
	env   *event.Envelope
	feed  *feed.Feed // the current end of the engine's stream
}

// rounds runs each test of a screen twice: without secrets, and with one that is masked.
var rounds tuitest.Rounds

// aSecret is a secret that no test shows. Its first letter is in no text either, so that no text is
// held back.
const aSecret = "§a-secret-0123456789"

func newStage(t testing.TB, b Backend, width, height int) *stage {
	t.Helper()
	s := &stage{t: t, clock: time.Unix(1_700_000_000, 0), env: &event.Envelope{}}
	options := engine.Options{Emit: func(ev *event.Event) { s.feed.Emit(ev) }}
	if rounds.Masks(t) {
		options.Secrets = []string{aSecret}
	}
	s.eng = scripttest.NewEngine(t, options)
	s.model = newModel(b, Info{Version: "1.0", Model: "offline/echo", Dir: "~/project",
		Offline: true})
	s.now = func() time.Time { return s.clock }
	s.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return s
}

// pickerKey records a key press that requests a picker, and returns its time.
func (s *stage) pickerKey() time.Time {
	s.overlays.lastKey = s.clock
	return s.overlays.lastKey
}

// advance advances the clock, and opens the gate of the dialog or panel in front if it is time.
func (s *stage) advance(d time.Duration) {
	s.clock = s.clock.Add(d)
	s.Update(armMsg{})
}

type fields = map[string]any

// send passes one event to the model.
func (s *stage) send(name string, f fields) tea.Cmd {
	s.t.Helper()
	queue := feed.New()
	s.emit(queue, name, f)
	_, cmd := s.Update(queue.Take())
	return cmd
}

// emit puts an event into a queue through the engine, which masks it in the second round. Content
// is lazy, as in the events of calls.
func (s *stage) emit(to *feed.Feed, name string, f fields) {
	f = maps.Clone(f)
	if content, ok := f["content"]; ok {
		f["content"] = value.NewLazy(func() any { return content })
	}
	s.feed = to
	s.eng.Emitter.Emit(s.eng.Events.Named(name, s.env, f))
}

// input sends the event that input takes effect.
func (s *stage) input(kind, text string) {
	s.t.Helper()
	s.send("input", fields{"kind": kind, "text": text, "source": "interactive"})
}

// tool sends an event of a bash call.
func (s *stage) tool(name, id, command string, more fields) {
	s.t.Helper()
	f := fields{"call_id": id, "tool": "bash", "kind": "execute",
		"args": fields{"command": command}}
	for k, v := range more {
		f[k] = v
	}
	s.send(name, f)
}

// userTool sends an event of a bash call of the user.
func (s *stage) userTool(name, id, command string) {
	s.t.Helper()
	env := s.env
	mine := *env
	mine.Origin = "user"
	s.env = &mine
	s.tool(name, id, command, nil)
	s.env = env
}

// press presses keys by their names, or types text.
func (s *stage) press(keys ...string) (last tea.Cmd) {
	s.t.Helper()
	for _, k := range keys {
		_, last = s.Update(tuitest.KeyPress(k))
		if held := s.overlays.held; held != nil { // no other key follows it in time
			_, last = s.Update(heldMsg{held})
		}
	}
	return last
}

func (s *stage) typeText(text string) {
	for _, r := range text {
		s.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// text returns the screen without colours.
func (s *stage) text() string {
	lines := strings.Split(ansi.Strip(s.View().Content), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

func (s *stage) has(want ...string) {
	s.t.Helper()
	for _, w := range want {
		if !strings.Contains(s.text(), w) {
			s.t.Errorf("the screen lacks %q:\n%s", w, s.text())
		}
	}
}

func (s *stage) lacks(not ...string) {
	s.t.Helper()
	for _, w := range not {
		if strings.Contains(s.text(), w) {
			s.t.Errorf("the screen has %q:\n%s", w, s.text())
		}
	}
}

// aQuestion returns a question about a call, which a guard and the mode ask.
func aQuestion() *engine.Question {
	return &engine.Question{
		Call: &engine.Call{ID: "c9", Tool: "bash",
			Args: fields{"command": "rm -rf build \\\n  dist"}},
		Kind: "execute",
		Asks: []engine.Ask{
			{Script: "guard.lua", Line: 12, Text: "Delete files?", Reason: "rm with -rf",
				Detail: fields{"paths": []any{"build", "dist"}, "count": 2.0}},
			{Script: "broken.js", Line: 3, Text: "broken.js failed",
				Failure: &fault.ScriptError{Script: "broken.js",
					Position: fault.Position{File: "broken.js", Line: 4, Column: 9},
					Message:  "x is not defined",
					Excerpt:  "    3 | ext.guard(c => {\n>   4 |   return x\n    5 | })"}},
			{Text: "bash wants to run in mode default"},
		},
	}
}

// scenes are the screens of the golden files.
var scenes = map[string]func(s *stage){
	"conversation": func(s *stage) {
		s.send("script_load", fields{"script": "guard.lua", "handlers": 2, "ms": 0.42,
			"cause": "start"})
		s.typeText("tidy up")
		s.press("enter")
		s.input("prompt", "tidy up")
		s.send("agent_start", fields{"prompt": "tidy up"})
		s.send("message_delta", fields{"message_id": "m1", "kind": "reasoning",
			"delta": "What is there to tidy?"})
		s.send("message_delta", fields{"message_id": "m1", "kind": "text",
			"delta": "I will **look** first."})
		s.send("message_end", fields{"message_id": "m1", "reasoning": "What is there to tidy?",
			"text": "I will **look** first:\n\n- one `ls`\n- then a diff"})
		s.tool("tool_start", "c1", "ls -l", nil)
		s.tool("tool_result", "c1", "ls -l",
			fields{"content": []any{fields{"type": "text",
				"text": "total 2\nbuild\ndist\x1b[31mred\x1b[0m"}}})
		s.tool("tool_end", "c1", "ls -l", fields{"duration_ms": 1500.0, "is_error": false})
		s.tool("tool_approval", "c2", "rm -rf build",
			fields{"decision": "deny", "source": "guard", "script": "guard.lua"})
		s.tool("tool_skipped", "c2", "rm -rf build",
			fields{"cause": "denied", "reason": "refused by guard.lua: no rm -rf here",
				"script": "guard.lua"})
		s.send("tool_result", fields{"call_id": "c3", "tool": "anything",
			"args": fields{"path": "a.go"}, "content": "ok",
			"display": fields{"kind": "diff", "text": "@@ -1 +1 @@\n-old line\n+new line"}})
		s.send("tool_end", fields{"call_id": "c3", "tool": "anything", "duration_ms": 3.0})
		s.tool("tool_start", "c4", "make", nil)
		s.tool("tool_output", "c4", "make", fields{"chunk": "cc main.c\n"})
		s.advance(3 * time.Second)
		s.Update(tickMsg{})
	},
	"markdown": func(s *stage) {
		s.input("prompt", "what has changed?")
		s.send("agent_start", fields{"prompt": "what has changed?"})
		s.send("tool_result", fields{"call_id": "c1", "tool": "anything",
			"args": fields{"path": "a.go"}, "content": "ok", "display": fields{"kind": "diff",
				"text": "@@ -1,2 +1,2 @@\n \tx := 1\n-\treturn x\n+\treturn x + aVeryLongName + " +
					"anotherVeryLongName + theLastName"}})
		s.send("message_delta", fields{"message_id": "m1", "kind": "text",
			"delta": "## Changes\n\n- **one** thing\n  1. nested\n- another `thing`\n\n" +
				"| file | lines |\n|:--|--:|\n| a.go | 12 |\n\n```go\nfunc f() {\n\tcall(\"a " +
				"long line of code\", 42, anotherArgument, \"and more\", 3) // text\n}\n```\n" +
				"```diff\n-old\n+new"})
	},
	"recall": func(s *stage) {
		s.Update(earlier())
		s.typeText("draft")
		s.press("ctrl+r", "t", "i", "d")
	},
	"pastes": func(s *stage) {
		s.typeText("why does this fail? ")
		s.pasteText(pasted("at line", 120))
		s.sends("why does this fail? " + pasted("at line", 120))
		s.typeText("a long draft")
		s.press("ctrl+s")
		s.typeText("and ")
		s.pasteText(pasted("or line", 120))
		s.typeText(", then ")
		s.pasteText(strings.Repeat("x", 200_000))
	},
	"search": func(s *stage) {
		s.input("prompt", "where is the parser?")
		s.send("message_end", fields{"message_id": "m1",
			"text": "The **parser** is in `parser.go`:\n\n- it reads\n- it parses"})
		s.press("ctrl+f")
		s.typeText("parse")
		s.press("enter", "N")
	},
	"trouble": func(s *stage) {
		s.send("script_error", fields{"script": "guard.lua", "handler": "load", "file": "guard.lua",
			"line": 3, "column": 5, "message": "unexpected symbol near 'end'",
			"excerpt": "     2 | ext.guard(function(c)\n>    3 |     end end\n     4 |",
			"hint":    "check the line", "kept_previous": true})
		s.send("notification", fields{"level": "warn", "message": "the build is red",
			"source": "ci.lua"})
		s.send("say", fields{"source": "hello.js",
			"markdown": "# Hello\n\nfrom a *script* with a rather long line that has to be " +
				"wrapped on a narrow screen, as you see"})
		s.send("error", fields{"stage": "model", "message": "connection refused",
			"retryable": true})
		s.send("notification", fields{"level": "error", "message": "model: connection refused",
			"source": "agent", "stage": "model"})
		s.Update(stateMsg{9, State{Broken: []string{"guard.lua"}, Failed: []string{"guard.lua"},
			Waiting: []Waiting{{Text: "the next one", Kind: "follow_up"}}}})
		s.send("script_load", fields{"script": "hello.js", "handlers": 1, "ms": 1.25,
			"cause": "save"})
		s.input("prompt", "a prompt from elsewhere")
		s.send("agent_start", fields{"prompt": "a prompt from elsewhere"})
		s.typeText("/re")
	},
	"approval": func(s *stage) {
		s.send("agent_start", fields{"prompt": "clean"})
		s.tool("tool_permission", "c9", "rm -rf build", nil)
		s.Update(feed.Batch{newApproval(aQuestion())})
		s.advance(seenFor)
		s.Update(armMsg{})
	},
	"risks": func(s *stage) {
		q := aQuestion()
		q.Asks = q.Asks[2:]
		q.Risks = []string{"writes outside of the project: /etc/one, /etc/two, /etc/three and 2 " +
			"others", "uses the network: git push\x1b[2J"}
		s.ask(q)
	},
	"edit-rule": func(s *stage) {
		q := aQuestion()
		q.Asks, q.Always = q.Asks[2:], "bash(rm -rf build *)"
		q.CheckRule = func(string) error {
			return errors.New("the rule does not let this call pass: it would ask again")
		}
		s.ask(q)
		s.press("right", "right", "enter", "backspace")
		s.runAnswers(s.press("enter"))
	},
	"edit": func(s *stage) {
		q := aQuestion()
		q.Call.Tool, q.Call.Args = "write", fields{"path": "a.txt",
			"content": "one\n\ttwo is a line that is long enough to be wrapped on a narrow " +
				"screen\n", "mode": 420.0}
		s.ask(q)
		s.press("e", "down", "end", "x", "ctrl+s")
	},
	"edit-command": func(s *stage) {
		s.ask(aQuestion())
		s.press("e")
	},
	"confirm": func(s *stage) {
		s.Update(feed.Batch{newConfirm(&ui.Dialog{Script: "deploy.lua",
			Title: "Deploy to production?", Detail: "3 commits", Yes: "Deploy", Default: true})})
	},
	"steering": func(s *stage) {
		s.env = &event.Envelope{Model: "acme/large", Permission: event.PermissionDefault,
			Window: func() fields { return fields{"percent": 42.4} },
			Cost:   func() float64 { return 1.234 }}
		s.typeText("build it")
		s.press("enter")
		s.input("prompt", "build it")
		s.send("agent_start", fields{"prompt": "build it"})
		s.tool("tool_start", "c1", "make", nil)
		s.typeText("with tests")
		s.press("enter")
		s.input("steer", "with tests")
		s.send("steering_injected", fields{"count": 2,
			"texts": []any{"with tests", "from a command"}})
		s.send("user_shell", fields{"command": "git status", "in_context": false})
		s.userTool("tool_start", "u1", "git status")
		s.Update(stateMsg{9, State{Session: "the release", Thinking: "high",
			Waiting: []Waiting{{Text: "use\nthe other compiler", Kind: kindSteer},
				{Text: "then commit, with a message that is too long for a " +
					"narrow screen and says " +
					"what was done", Kind: kindFollowUp},
				{Text: "tidy", Kind: kindFollowUp, Script: true}}}})
		s.typeText("!!ls")
	},
	"session": func(s *stage) {
		s.Update(feed.Batch{loadMsg{
			{Kind: ItemUser, Text: "what is here?", Images: []chat.Block{{Type: "image",
				MimeType: "image/webp", Data: "UklGRg=="}}},
			{Kind: ItemAssistant, Text: "I **look**.", Reasoning: "Where?"},
			{Kind: ItemTool, Tool: "bash", Args: fields{"command": "ls"},
				Content: []chat.Block{{Type: "text", Text: "a.go\nb.go"}}},
			{Kind: ItemTool, Tool: "bash", Args: fields{"command": "rm a.go"},
				Content: []chat.Block{{Type: "text", Text: "refused by guard.lua: no"}},
				Skipped: "denied", IsError: true},
			{Kind: ItemTool, Tool: "edit", Args: fields{"path": "b.go"}, Took: 90 * time.Second,
				Why:     "you allowed it",
				Display: &ui.Display{Kind: "diff", Text: "@@ -1 +1 @@\n-a\n+b"}},
			{Kind: ItemEnd, Status: "cancelled"},
			{Kind: ItemSummary, Text: "They looked around."},
			{Kind: ItemTool, Tool: "bash", Args: fields{"command": "pwd"},
				Content: []chat.Block{{Type: "text", Text: "/home"}}, ByUser: true},
			{Kind: ItemUser, Text: "go on"},
			{Kind: ItemEnd, Status: "limit", Text: "ended after 3 turns"},
			{Kind: ItemTool, Tool: "agent", Args: fields{"task": "look around"},
				Content: []chat.Block{{Type: "text", Text: "Nothing."}},
				Details: fields{"subagent_id": "s", "status": "completed", "cost": 0.05,
					"usage": fields{"input": 5.0}},
				Display: &ui.Display{Title: "explore", Kind: "markdown"}},
			{Kind: ItemEnd, Status: "completed", Used: fields{"turns": 2.0, "duration_ms": 2500.0,
				"usage": fields{"input": 1200.0, "output": 42.0}, "cost": 0.02}},
		}})
		s.send("session_start", fields{"cause": "resume"})
	},
	"picker": func(s *stage) {
		s.Update(choicesMsg{command: "resume", title: "Resume a session",
			choices: manyChoices(30), current: "id21", asked: s.pickerKey()})
		s.typeText("days 2")
		s.press("down", "down")
	},
	"around": func(s *stage) {
		s.send("agent_start", fields{"prompt": "x"})
		s.send("message_delta", fields{"message_id": "m1", "kind": "text", "delta": "half an answ"})
		s.send("message_end", fields{"message_id": "m1", "text": ""})
		s.send("llm_retry", fields{"attempt": 1, "max": 5, "cause": "overloaded",
			"error": "529: busy", "backoff_ms": 1000.0})
		s.send("llm_retry", fields{"attempt": 2, "max": 5, "cause": "overloaded",
			"error": "529: busy", "backoff_ms": 2500.0})
		s.send("llm_source", fields{"kind": "url", "url": "https://go.dev/doc",
			"title": "Documentation"})
		s.send("message_delta", fields{"message_id": "m2", "kind": "text", "delta": "Here."})
		s.send("message_end", fields{"message_id": "m2", "text": "Here."})
		s.send("llm_warning", fields{"warnings": []any{"temperature is ignored"}})
		for i, name := range []string{"reviewer", "tester", "lost"} {
			s.send("subagent_start", fields{"subagent_id": name, "name": name,
				"task": "look at part " + fmt.Sprint(i) +
					" of the program and tell what is wrong with it", "model": "acme/small"})
		}
		s.send("subagent_event", fields{"subagent_id": "reviewer", "kind": "tool_start",
			"data": fields{"tool": "bash", "args": fields{"command": "go vet ./..."}}})
		s.send("subagent_event", fields{"subagent_id": "tester", "kind": "tool_end",
			"data": fields{"tool": "bash", "skipped": "denied"}})
		s.send("subagent_event", fields{"subagent_id": "tester", "kind": "text",
			"data": fields{"text": "It is\nall fi"}})
		s.send("subagent_event", fields{"subagent_id": "tester", "kind": "text",
			"data": fields{"text": "ne now"}})
		s.send("subagent_end", fields{"subagent_id": "lost", "name": "lost", "status": "completed",
			"response": "nobody waits", "delivered": false, "cost": 0.25})
		s.send("session_compact", fields{"summary": "What was said.", "dropped": 23, "kept": 4,
			"tokens_before": 90_000, "tokens_after": 2100})
		s.send("limit_reached", fields{"kind": "cost", "value": 1.5, "limit": 1.0})
		s.send("limit_extended", fields{"kind": "turns", "previous": 10.0, "new": 20.0,
			"by": "script"})
		s.send("loop_detected", fields{"tool": "bash", "count": 5})
		s.send("permission_change", fields{"new": "plan", "previous": "default", "source": "user"})
		s.send("permission_change", fields{"new": "yolo", "previous": "plan", "source": "user"})
		s.send("model_change", fields{"new": "acme/small", "previous": "acme/large",
			"source": "fallback"})
		s.send("tool_input_start", fields{"call_id": "w1", "tool": "write", "kind": "edit"})
		s.send("tool_input_delta", fields{"call_id": "w1", "tool": "write", "kind": "edit",
			"delta": strings.Repeat("x", 1500)})
		s.send("interrupt", fields{"kind": "graceful"})
	},
	"pieces": func(s *stage) {
		s.pieces()
		s.typeText("go on")
	},
	"keys": func(s *stage) {
		s.keys, _ = keymap.New([]keymap.Binding{{Action: "search", Keys: []string{"alt+s"},
			Where: "config.toml:3"}})
		s.typeText("/keys")
		s.press("enter")
	},
	"help": func(s *stage) {
		s.Update(commandsMsg{{"compact", "summarise the conversation so far", "", false, ""},
			{"todo", "lists what is to be done", "todo.lua", false, ""}})
		s.typeText("/help")
		s.press("enter")
	},
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for name, play := range allScenes() {
		for _, width := range []int{40, 80, 140} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				s := newStage(t, Backend{}, width, 36)
				play(s)
				s.golden(fmt.Sprintf("%s-%d", name, width))
			})
		}
	}
}

func (s *stage) golden(name string) {
	s.t.Helper()
	got := s.text() + "\n"
	for i, l := range strings.Split(s.View().Content, "\n") {
		if w := ansi.StringWidth(l); w > s.window.width {
			s.t.Errorf("line %d is %d cells wide, the screen %d: %q", i+1, w, s.window.width, l)
		}
	}
	if n := strings.Count(got, "\n"); n != s.window.height {
		s.t.Errorf("%d lines on a screen of %d", n, s.window.height)
	}
	s.goldenText(name, got)
}

// goldenText compares a text with a golden file.
func (s *stage) goldenText(name, got string) {
	s.t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	if got != string(want) {
		s.t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
	}
}

// within runs f and fails if it does not end in time.
func within(t *testing.T, f func(ctx context.Context)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	done := make(chan struct{})
	go func() { defer close(done); f(ctx) }()
	select {
	case <-done:
	case <-time.After(patience + time.Second):
		t.Fatal("it does not end")
	}
}
