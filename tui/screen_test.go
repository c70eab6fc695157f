package tui

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/spec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// patience is how long a test waits for what must happen.
const patience = 10 * time.Second

// stage is a model with a clock of its own, events to feed it and keys to press.
type stage struct {
	*model
	t     testing.TB
	eng   *engine.Engine
	clock time.Time
	env   *engine.Envelope
}

func newStage(t testing.TB, b Backend, width, height int) *stage {
	t.Helper()
	eng, err := engine.New(engine.Options{Events: spec.Events()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(eng.Close)
	s := &stage{t: t, eng: eng, clock: time.Unix(1_700_000_000, 0), env: &engine.Envelope{}}
	s.model = newModel(b, Info{Version: "1.0", Model: "offline/echo", Dir: "~/project", Offline: true})
	s.now = func() time.Time { return s.clock }
	s.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return s
}

func (s *stage) pass(d time.Duration) { s.clock = s.clock.Add(d) }

type fields = map[string]any

// send feeds one event.
func (s *stage) send(name string, f fields) tea.Cmd {
	s.t.Helper()
	feed := newFeed()
	feed.emit(s.eng.NewEvent(name, s.env, f))
	_, cmd := s.Update(feed.take())
	return cmd
}

// tool feeds an event of a bash call.
func (s *stage) tool(name, id, command string, more fields) {
	s.t.Helper()
	f := fields{"call_id": id, "tool": "bash", "kind": "execute", "args": fields{"command": command}}
	for k, v := range more {
		f[k] = v
	}
	s.send(name, f)
}

// press presses a key by its name, or types text.
func (s *stage) press(keys ...string) (last tea.Cmd) {
	s.t.Helper()
	for _, k := range keys {
		_, last = s.Update(keyPress(k))
	}
	return last
}

func (s *stage) typeText(text string) {
	for _, r := range text {
		s.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// keyPress is the message of a key by its name.
func keyPress(name string) tea.KeyPressMsg {
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "end": tea.KeyEnd, "home": tea.KeyHome,
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete}
	var k tea.KeyPressMsg
	for {
		switch {
		case strings.HasPrefix(name, "ctrl+"):
			k.Mod, name = k.Mod|tea.ModCtrl, name[len("ctrl+"):]
			continue
		case strings.HasPrefix(name, "alt+"):
			k.Mod, name = k.Mod|tea.ModAlt, name[len("alt+"):]
			continue
		case strings.HasPrefix(name, "shift+"):
			k.Mod, name = k.Mod|tea.ModShift, name[len("shift+"):]
			continue
		}
		break
	}
	if c, ok := codes[name]; ok {
		k.Code = c
		return k
	}
	k.Code = []rune(name)[0]
	if k.Mod == 0 {
		k.Text = name
	}
	return k
}

// text is the screen without colours.
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

// aQuestion is a call that a guard and the mode ask about.
func aQuestion() *engine.Question {
	return &engine.Question{
		Call: &engine.Call{ID: "c9", Tool: "bash", Args: fields{"command": "rm -rf build \\\n  dist"}},
		Kind: "execute",
		Asks: []engine.Ask{
			{Script: "guard.lua", Line: 12, Text: "Delete files?", Reason: "rm with -rf", Detail: fields{"paths": []any{"build", "dist"}, "count": 2.0}},
			{Script: "broken.js", Line: 3, Text: "broken.js failed", Failure: &engine.ScriptError{Script: "broken.js",
				Position: engine.Position{File: "broken.js", Line: 4, Column: 9}, Message: "x is not defined", Excerpt: "    3 | ext.guard(c => {\n>   4 |   return x\n    5 | })"}},
			{Text: "bash wants to run in mode default"},
		},
	}
}

// scenes are what the golden files show.
var scenes = map[string]func(s *stage){
	"conversation": func(s *stage) {
		s.send("script_load", fields{"script": "guard.lua", "handlers": 2, "ms": 0.42, "cause": "start"})
		s.typeText("tidy up")
		s.press("enter")
		s.send("agent_start", fields{"prompt": "tidy up"})
		s.send("message_delta", fields{"message_id": "m1", "kind": "reasoning", "delta": "What is there to tidy?"})
		s.send("message_delta", fields{"message_id": "m1", "kind": "text", "delta": "I will **look** first."})
		s.send("message_end", fields{"message_id": "m1", "text": "I will **look** first:\n\n- one `ls`\n- then a diff"})
		s.tool("tool_start", "c1", "ls -l", nil)
		s.tool("tool_result", "c1", "ls -l", fields{"content": []any{fields{"type": "text", "text": "total 2\nbuild\ndist\x1b[31mred\x1b[0m"}}})
		s.tool("tool_end", "c1", "ls -l", fields{"duration_ms": 1500.0, "is_error": false})
		s.tool("tool_approval", "c2", "rm -rf build", fields{"decision": "deny", "source": "guard", "script": "guard.lua"})
		s.tool("tool_skipped", "c2", "rm -rf build", fields{"cause": "denied", "reason": "refused by guard.lua: no rm -rf here", "script": "guard.lua"})
		s.send("tool_result", fields{"call_id": "c3", "tool": "anything", "args": fields{"path": "a.go"}, "content": "ok",
			"display": fields{"kind": "diff", "text": "@@ -1 +1 @@\n-old line\n+new line"}})
		s.send("tool_end", fields{"call_id": "c3", "tool": "anything", "duration_ms": 3.0})
		s.tool("tool_start", "c4", "make", nil)
		s.tool("tool_output", "c4", "make", fields{"chunk": "cc main.c\n"})
		s.pass(3 * time.Second)
		s.Update(tickMsg{})
	},
	"trouble": func(s *stage) {
		s.send("script_error", fields{"script": "guard.lua", "handler": "load", "file": "guard.lua", "line": 3, "column": 5, "message": "unexpected symbol near 'end'",
			"excerpt": "     2 | ext.guard(function(c)\n>    3 |     end end\n     4 |", "hint": "check the line", "kept_previous": true})
		s.send("notification", fields{"level": "warn", "message": "the build is red", "source": "ci.lua"})
		s.send("say", fields{"source": "hello.js", "markdown": "# Hello\n\nfrom a *script* with a rather long line that has to be wrapped on a narrow screen, as you see"})
		s.send("error", fields{"stage": "model", "message": "connection refused", "retryable": true})
		s.Update(brokenMsg{"guard.lua"})
		s.send("script_load", fields{"script": "hello.js", "handlers": 1, "ms": 1.25, "cause": "save"})
		s.send("agent_start", fields{"prompt": "a prompt from elsewhere"})
		s.typeText("the next one")
		s.press("enter")
		s.typeText("/re")
	},
	"approval": func(s *stage) {
		s.send("agent_start", fields{"prompt": "clean"})
		s.tool("tool_permission", "c9", "rm -rf build", nil)
		s.Update(batch{newApproval(aQuestion())})
		s.pass(quiet)
		s.Update(armMsg{})
	},
	"edit": func(s *stage) {
		q := aQuestion()
		q.Call.Tool, q.Call.Args = "write", fields{"path": "a.txt", "content": "one\n\ttwo is a line that is long enough to be wrapped on a narrow screen\n", "mode": 420.0}
		s.ask(q)
		s.press("e", "down", "end", "x", "ctrl+s")
	},
	"edit-command": func(s *stage) {
		s.ask(aQuestion())
		s.press("e")
	},
	"confirm": func(s *stage) {
		s.Update(batch{newConfirm(&engine.Dialog{Script: "deploy.lua", Title: "Deploy to production?", Detail: "3 commits", Yes: "Deploy", Default: true})})
	},
	"help": func(s *stage) {
		s.Update(commandsMsg{{"todo", "lists what is to be done", "todo.lua"}})
		s.typeText("/help")
		s.press("enter")
	},
}

func TestScreens(t *testing.T) {
	for name, play := range scenes {
		for _, width := range []int{60, 80, 120} {
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
		if w := ansi.StringWidth(l); w > s.width {
			s.t.Errorf("line %d is %d cells wide, the screen %d: %q", i+1, w, s.width, l)
		}
	}
	if n := strings.Count(got, "\n"); n != s.height {
		s.t.Errorf("%d lines on a screen of %d", n, s.height)
	}
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
		t.Fatal("it did not end")
	}
}
