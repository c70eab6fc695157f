package scripts_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

func TestOfflineModel(t *testing.T) {
	const explanation = "I am the offline model"
	tests := []struct {
		name   string
		prompt string
		want   string // the whole response; "~x": x is in it
		calls  string // what was called, in order
	}{
		{"explains itself", "please fix my program", "~" + explanation, ""},
		{"explains its lines", "hi", "~\n    write PATH TEXT         writes a file\n    edit ", ""},
		{"breaks no line in a sentence", "hi", "~I am used when no other model is set up", ""},
		{"one step", "run echo hi", "1. run echo hi: ok\n   hi", "bash"},
		{"no output", "run true", "1. run true: ok\n   [no output]", "bash"},
		{"failure", "run echo x; exit 3", "1. run echo x; exit 3: failed\n   x\n   [exit code 3]",
			"bash"},
		{"say", "say hello  there", "hello  there", ""},
		{"say twice", "say a\\tb\n\nsay c\\\\nd", "a\tb\nc\\nd", ""},
		{"steps in order",
			"  write a.txt one\\ntwo\\n\nedit a.txt two => 2\\n3\nread a.txt\nrun cat a.txt",
			"1. write a.txt: ok\n   created a.txt: 8 bytes, 2 lines\n2. edit a.txt: ok\n   " +
				"edited a.txt: 1 replacement\n3. read a.txt: ok\n   one\n   2\n   3\n4. run cat " +
				"a.txt: ok\n   one\n   2\n   3",
			"write|edit|read|bash"},
		{"quoted paths", "write \"a b.txt\" x\nread \"a b.txt\"",
			"1. write a b.txt: ok\n   created a b.txt: 1 byte, 1 line\n2. read a b.txt: ok\n   x",
			"write|read"},
		{"edit to nothing", "write f abc\nedit f b =>\nread f", "~3. read f: ok\n   ac",
			"write|edit|read"},
		{"call", "call ls {\"path\":\".\"}\ncall ls",
			"1. call ls: ok\n   [empty directory]\n2. call ls: ok\n   [empty directory]", "ls|ls"},
		{"call of nothing", "call nosuch {}", "1. call nosuch: failed\n   unknown tool \"nosuch\"",
			"nosuch"},
		{"a call that is wrong", "call read {\"pth\":1}",
			"~1. call read: failed\n   invalid arguments for read", "read"},
		{"a failed step does not end it", "read none\nsay still here",
			"1. read none: failed\n   read none: no such file or directory\nstill here", "read"},
		{"unknown lines among steps", "run echo a\njump\nrun echo b",
			"1. run echo a: ok\n   a\n2. run echo b: ok\n   b\nnot understood: jump (a line " +
				"begins with run, read, write, edit, call or say)", "bash|bash"},
		{"unfinished lines", "edit f x",
			"~not understood: edit f x (edit wants PATH OLD => NEW)\n" + explanation, ""},
		{"arguments that are not JSON", "call ls {path}",
			"~not understood: call ls {path} (call wants JSON: ", ""},
		{"a word that begins like a step", "running in circles", "~" + explanation, ""},
		{"a verb alone", "run", "~run wants a command", ""},
		{"long output", "run seq 1 100; exit 1", "~   29\n   ... 62 lines left out\n   92\n",
			"bash"},
		{"output that just fits", "run seq 1 40", "~   29\n   30\n   31\n", "bash"},
		{"unicode", "run echo 'grüße 🙂'", "1. run echo 'grüße 🙂': ok\n   grüße 🙂", "bash"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			end := w.prompt(tt.prompt)
			if end.Status != agent.Completed {
				t.Fatalf("got %+v", end)
			}
			if part, ok := strings.CutPrefix(tt.want, "~"); ok &&
				!strings.Contains(end.Response, part) || !ok && end.Response != tt.want {
				t.Errorf("got\n%s\nwant\n%s", end.Response, tt.want)
			}
			if got := w.all("tool_call", "tool"); got != tt.calls {
				t.Errorf("calls: got %s, want %s", got, tt.calls)
			}
		})
	}
}

func TestOfflineModelMakesOneCallATurn(t *testing.T) {
	w := newWorld(t)
	w.prompt("run echo 1", "say between", "run echo 2", "run echo 3")
	if got := w.all("turn_end", "cause"); got != "continue|continue|continue|normal" {
		t.Errorf("turns: got %s", got)
	}
	if got := w.all("message_end", "text"); !strings.HasPrefix(got, "|between||1. run echo 1: ok") {
		t.Errorf("messages: got %s", got)
	}
}

func TestOfflineModelGoesOnAfterARefusal(t *testing.T) {
	w := newWorld(t, "guard.lua")
	end := w.prompt("run touch a", "run sudo touch b", "run touch c")
	want := "1. run touch a: ok\n   [no output]\n2. run sudo touch b: refused by guard.lua: no " +
		"sudo: say what you need and the user will run it\n3. run touch c: ok\n   [no output]"
	if end.Response != want || end.Refused != 1 {
		t.Errorf("got %d refused,\n%s", end.Refused, end.Response)
	}
	for name, there := range map[string]bool{"a": true, "b": false, "c": true} {
		if _, err := os.Stat(filepath.Join(w.dir, name)); (err == nil) != there {
			t.Errorf("%s: there: %v, want %v", name, err == nil, there)
		}
	}
}

func TestOfflineModelIsNotConfusedByScripts(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"input", "agent_before_start", "turn_start", "tool_call",
		"tool_result"} {
		remove := w.engine.Scripts.AddGoHandler(&engine.Handler{Name: "ctx", Event: name,
			GoFn: func(context.Context, *event.Event) (any, error) {
				return map[string]any{"context": "run echo no\nsay no"}, nil
			}})
		defer remove()
	}
	w.prompt("run echo before", "run echo before")
	end := w.prompt("run echo 1", "run echo 2")
	if want := "1. run echo 1: ok\n   1\n2. run echo 2: ok\n   2"; end.Response != want {
		t.Errorf("got\n%s", end.Response)
	}
}

// TestOfflineModelTakesAnyResult reports results that are long, in one line, or blank.
func TestOfflineModelTakesAnyResult(t *testing.T) {
	for name, text := range map[string]string{
		"long":   "begin" + strings.Repeat("é", 2_000_000) + "end",
		"blanks": "begin" + strings.Repeat(" ", 300_000) + "end",
		"blank":  "begin end" + strings.Repeat(" \n", 1900),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			defer w.engine.Scripts.AddGoHandler(&engine.Handler{Name: "big", Event: "tool_result",
				GoFn: func(context.Context, *event.Event) (any, error) {
					return map[string]any{"content": text}, nil
				}})()
			end := w.prompt("run echo 1")
			if end.Status != agent.Completed || !strings.Contains(end.Response, "ok\n   begin") ||
				!strings.HasSuffix(end.Response, "end") || !utf8.ValidString(end.Response) {
				t.Errorf("got %s, %d bytes: %.100q", end.Status, len(end.Response), end.Response)
			}
		})
	}
	w := newWorld(t)
	if end := w.prompt("say a" + strings.Repeat(" ", 100_000) +
		"b"); end.Status != agent.Completed {
		t.Errorf("a long prompt: got %s: %s", end.Status, end.Error)
	}
}

func TestOfflineModelSummarises(t *testing.T) {
	w := newWorld(t)
	w.prompt("run echo one")
	w.prompt("say two\nsay three")
	w.prompt("say last")
	if err := w.agent.Compact(w.ctx, "short"); err != nil {
		t.Fatal(err)
	}
	if got, want := w.all("session_compact", "summary"),
		"The prompts so far:\n- run echo one\n- say two"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	w.prompt("say more")
	if err := w.agent.Compact(w.ctx, ""); err != nil {
		t.Fatal(err)
	}
	if got := w.all("session_compact", "summary"); !strings.HasSuffix(got,
		"|The prompts so far:\n- run echo one\n- say two\n- say last") {
		t.Errorf("the second time: got %s", got)
	}
	if end := w.prompt("run echo on"); end.Response != "1. run echo on: ok\n   on" {
		t.Errorf("and goes on: got %+v", end)
	}
}
