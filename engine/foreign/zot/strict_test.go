package zot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/foreign/internal/foreigntest"
	"github.com/agentscripts/agent/engine/scriptfile"
)

func init() {
	extensions["wrong"] = wrongAnswers
	extensions["twice"] = twice
	extensions["circle"] = circle
	extensions["flaky"] = flaky
	extensions["garbled"] = func(x *extension) {
		x.begin(`{"type":"subscribe","intercept":["tool_call"]}`)
		x.serve(func(map[string]any) string { return `{"type":"event_intercept_response","id":,}` })
	}
	extensions["list"] = func(x *extension) {
		x.begin(`{"type":"subscribe","intercept":"tool_call"}`)
		x.receive()
	}
	extensions["ignores"] = func(x *extension) { // shutdown, and ends with its input
		x.begin(`{"type":"register_command","name":"zot"}`)
		for x.receive() != nil {
		}
	}
}

// wrongAnswers answers with fields of wrong types.
func wrongAnswers(x *extension) {
	x.begin(`{"type":"register_tool","name":"weather"}`,
		`{"type":"subscribe","intercept":["tool_call"]}`)
	x.serve(func(f map[string]any) string {
		switch {
		case f["type"] == "tool_call":
			return `{"type":"tool_result","id":"ID","content":"sunny"}`
		case f["tool_name"] == "bash":
			return `{"type":"event_intercept_response","id":"ID","block":"true"}`
		}
		return `{"type":"event_intercept_response","id":"ID"}`
	})
}

// twice subscribes to the same twice, and counts what it gets.
func twice(x *extension) {
	const subscribe = `{"type":"subscribe","events":["tool_call","tool_call"],` +
		`"intercept":["tool_call","tool_call"]}`
	x.begin(`{"type":"register_command","name":"zot"}`, subscribe, subscribe)
	got := map[string]int{}
	x.serve(func(f map[string]any) string {
		switch f["type"] {
		case "event_intercept":
			got["asked"]++
			return `{"type":"event_intercept_response","id":"ID"}`
		case "event":
			got["told"]++
		case "command_invoked":
			return fmt.Sprintf(`{"type":"command_response","id":"ID","action":"display",`+
				`"display":"asked %d told %d"}`, got["asked"], got["told"])
		}
		return ""
	})
}

// TestGarbledAnswer: a line that cannot be read is named when the time of what waits is over.
func TestGarbledAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0.2).install("x", "garbled").start()
	if got := w.Bash("ls"); strings.Contains(got, "ran") {
		t.Errorf("the call ran: %q", got)
	}
	w.WantEvents("; it wrote meanwhile what is not understood: a frame")
}

// TestWrongAnswers: an answer whose fields have wrong types is the failure of what waits for it,
// and names the field: nothing waits until its time is over.
func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000).install("x", "wrong").start()
	if got := w.Bash("echo"); strings.Contains(got, "ran") {
		t.Errorf("the call ran: %q", got)
	}
	if len(w.Asked()) == 0 || !strings.Contains(w.Asked()[0], "block") {
		t.Errorf("asked %q", w.Asked())
	}
	w.Answers = true
	got := w.Call(context.Background(), "weather", map[string]any{})
	if text := fmt.Sprint(got.Content); !got.IsError || !strings.Contains(text, "content") {
		t.Errorf("got %s", text)
	}
}

// TestWrongSubscription: an extension whose subscription is not understood does not load, because
// it may be a guard.
func TestWrongSubscription(t *testing.T) {
	t.Parallel()
	newWorld(t, 20).install("x", "list").start().WantEvents("subscribe: ")
}

// TestSubscribedTwice: an event that is named more than once is sent once.
func TestSubscribedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "twice").start()
	w.Answers = true
	w.Bash("echo")
	w.Until("it is told", func() bool { return !strings.Contains(w.command(""), "told 0") })
	if got := w.command(""); !strings.Contains(got, "asked 1 told 1") {
		t.Errorf("got %s", got)
	}
}

// TestEndsWithInput: a program that does not know shutdown ends with its input, and is not waited
// for: the time for it to end is unlimited in tests.
func TestEndsWithInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "ignores").start()
	if err := os.RemoveAll(w.Path("x")); err != nil {
		t.Fatal(err)
	}
	w.Until("it is unloaded", func() bool {
		return len(w.Engine.Scripts.Snapshot().Generations) == 0
	})
	ended := make(chan struct{})
	go func() { w.format.Wait(); close(ended) }()
	w.Until("it has ended", func() bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	})
}

// TestArgumentsThatLookLikeFiles: what an interpreter runs belongs to the extension wherever it
// stands; an argument that only looks like a file does not matter.
func TestArgumentsThatLookLikeFiles(t *testing.T) {
	t.Parallel()
	foreigntest.HaveProgram(t, "sh")
	w := newWorld(t, 20)
	const program = "echo '{\"type\":\"hello\"}'\n" +
		"echo '{\"type\":\"register_command\",\"name\":\"%s\"}'\n" +
		"echo '{\"type\":\"ready\"}'\nread a\n read b\n"
	m, _ := json.Marshal(map[string]any{"name": "x", "exec": "sh", "args": []string{"-e", "main.sh",
		"https://example.com/x", "text/plain", "--at=./x.y", "1.5"}})
	w.write("x", string(m))
	main := w.Path("x/main.sh")
	install := func(command string) {
		if err := os.WriteFile(main, fmt.Appendf(nil, program, command), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	has := func(command string) bool {
		_, err := w.Engine.Commands.Run(context.Background(), &event.Envelope{}, command, "")
		return err == nil || !strings.Contains(err.Error(), "unknown")
	}
	install("first")
	w.start()
	w.Until("it is loaded", func() bool { return has("first") })
	install("second")
	w.Until("its program is watched", func() bool { return has("second") })
}

// TestLogs: each extension has a log of its own, though all manifests have the same name, and what
// is said of it has no line, which a manifest does not have.
func TestLogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("a", "garbage").install("b", "garbage").start()
	for _, name := range []string{"a", "b"} {
		path := filepath.Join(w.Home, "logs", scriptfile.LogName(name+"/extension.json"))
		w.Until("the log of "+name, func() bool {
			text, _ := os.ReadFile(path)
			return strings.Count(string(text), "loading...") == 1
		})
	}
	w.WantEvents("so the one of b/extension.json (")
}

// circle has a tool that calls itself, and returns what that call returned.
func circle(x *extension) {
	x.begin(`{"type":"register_tool","name":"circle"}`)
	x.serve(func(f map[string]any) string {
		switch f["type"] {
		case "tool_call": // the id of the call that waits is that of the one that it makes
			return `{"type":"call_tool","id":"ID","name":"circle","args":{}}`
		case "tool_result":
			content, _ := json.Marshal(f["content"])
			return `{"type":"tool_result","id":"ID","content":` + string(content) + `}`
		}
		return ""
	})
}

// TestCircle: a program that calls its own tool from that tool is stopped.
func TestCircle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000).install("x", "circle").start()
	w.Answers = true
	got := fmt.Sprint(w.Call(context.Background(), "circle", map[string]any{}).Content)
	if !strings.Contains(got, "this is a circle") {
		t.Errorf("got %.300s", got)
	}
}

// flaky works when it is started first, fails at the second start, and works at the third.
func flaky(x *extension) {
	starts, _ := os.ReadFile("starts")
	if err := os.WriteFile("starts", append(starts, '.'), 0o644); err != nil || len(starts) == 1 {
		os.Exit(5)
	}
	guard(x)
}

// TestRestartThatFails: a program that has ended, and does not start again at once, is started
// again later; until then the calls that it guards are asked about.
func TestRestartThatFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "flaky").start()
	w.Bash("exit")
	w.WantEvents("it ended with exit code 5")
	if got := w.Bash("other"); strings.Contains(got, "ran") {
		t.Errorf("the call ran: %q", got)
	}
	w.Until("a new process", func() bool { return strings.Contains(w.Bash("rm"), "never") })
}
