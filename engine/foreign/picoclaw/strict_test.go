package picoclaw_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

func init() {
	hooks["silent"] = func(p *process) { p.receive(); p.receive() }
	hooks["ends"] = func(*process) { fmt.Fprintln(os.Stderr, "no database"); os.Exit(4) }
	hooks["refuses"] = func(p *process) {
		p.answer(p.receive(), `{"ok":false,"name":"x"}`)
		p.receive()
	}
	hooks["error"] = func(p *process) {
		p.serve(func(string, map[string]any) string {
			return `{"code":-32000,"message":"no licence"}`
		})
	}
	hooks["broken"] = func(p *process) {
		p.receive()
		p.send(`{"jsonrpc":"2.0","id":,"result":{"ok":true}}`)
		p.receive()
	}
	hooks["list"] = func(p *process) { p.answer(p.receive(), `[1]`); p.receive() }
	hooks["flood"] = func(*process) {
		for {
			fmt.Print(`{"x`, strings.Repeat("x", 1<<20)) // one endless line
		}
	}
	hooks["garbage"] = garbage
	hooks["deaf"] = func(p *process) { p.greet(); select {} }
	hooks["hangs"] = func(p *process) {
		p.greet()
		p.serve(func(string, map[string]any) string { return "none" })
	}
	hooks["late"] = late
	hooks["flaky"] = flaky
	hooks["grandchild"] = grandchild
	hooks["big"] = func(p *process) { // a line of 5 MB
		p.greet()
		p.serve(func(method string, _ map[string]any) string {
			if method == "before_tool" {
				return `{"action":"deny_tool","reason":"no","note":"` +
					strings.Repeat("x", 5<<20) + `"}`
			}
			return ""
		})
	}
}

// garbage writes other lines and messages before and between its answers: what nobody waits for is
// logged, and answers nothing.
func garbage(p *process) {
	for _, line := range []string{"loading...", "[1]", "{broken", `{"id":"1"`, `{}`,
		`{"jsonrpc":"2.0","id":1,"method":"hook.hello","params":{}}`, `{"method":"agent.run"}`,
		`{"id":77,"result":{"action":"continue"}}`, `{"id":-1,"result":{}}`,
		`{"id":1.5,"result":{}}`} {
		p.send(line)
	}
	p.greet()
	for r := p.receive(); r != nil; r = p.receive() {
		if r.ID == nil {
			continue
		}
		p.send(`{"id":9999,"result":{"action":"continue"}}`)
		p.send(`{"type":"from_the_future"}`)
		// the first answer counts, also in a text
		p.send(fmt.Sprintf(`{"id":"%v","result":{"action":"deny_tool","reason":"first"}}`, r.ID))
		p.answer(r, `{"action":"continue"}`)
	}
}

// late answers each request when it gets the next one, and goes on after the end of its input.
func late(p *process) {
	p.greet()
	for before, r := p.receive(), (*request)(nil); before != nil; before = r {
		r = p.receive()
		p.answer(before, `{"action":"continue"}`)
	}
	for range 100 {
		p.send(`{"id":1,"result":{"action":"continue"}}`)
	}
}

// flaky works when it is started first, fails at the second start, and works at the third.
func flaky(p *process) {
	starts, _ := os.ReadFile("starts")
	if err := os.WriteFile("starts", append(starts, '.'), 0o644); err != nil || len(starts) == 1 {
		os.Exit(5)
	}
	gate(p)
}

// grandchild leaves a process with its output open, and ends during a call.
func grandchild(p *process) {
	p.greet()
	p.receive()
	child := exec.Command("sleep", "1000")
	child.Stdout = os.Stdout
	if err := child.Start(); err != nil {
		os.Exit(1)
	}
	os.Exit(6)
}

// TestStartsThatFail: a file whose processes do not all start is named with the reason.
func TestStartsThatFail(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"ends": "ends: hook.hello: its process has ended: it ended with exit code 4; " +
			"its last words: no database",
		"silent":  "silent: hook.hello: stopped: used up its wall time",
		"broken":  "; it wrote meanwhile what is not understood: not JSON at byte 23",
		"refuses": "refuses: hook.hello: it is not ok",
		"error":   "error: hook.hello: it answered with the error -32000: no licence",
		"list":    `list: hook.hello: got [1], want {"ok": true, "name": "..."}`,
		"flood":   "it sent a message of more than 64 MB",
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			patience := 2.0
			if kind == "silent" || kind == "broken" { // its end is awaited
				patience = 0.05
			}
			w := newWorld(t, patience)
			w.Write("x/picoclaw.json", file(settings(t, "gate", `"priority":1`),
				settings(t, kind, `"intercept":["before_tool"]`)))
			w.start().WantEvents(want)
			if got := w.Bash("ls"); strings.Contains(got, "ran") { // it may be a guard
				t.Errorf("the call ran: %q", got)
			}
		})
	}
}

// TestGarbage: the first answer to a question counts, and other lines are in the log.
func TestGarbage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("garbage", "before_tool").start()
	for range 3 {
		if got := w.Bash("ls"); !strings.Contains(got, "first") {
			t.Errorf("got %q", got)
		}
	}
	files, _ := os.ReadDir(w.Home + "/logs")
	var log []byte
	for _, f := range files {
		text, _ := os.ReadFile(w.Home + "/logs/" + f.Name())
		log = append(log, text...)
	}
	for _, want := range []string{"loading...", "has the id 77", "a message is not understood",
		`it calls "agent.run", but hooks only answer`, "neither an id nor a method",
		"the id 9999"} {
		if !strings.Contains(string(log), want) {
			t.Errorf("the log has no %q:\n%s", want, log)
		}
	}
}

// TestLimits: an answer that does not come in time is a failure, and one that comes later answers
// nothing.
func TestLimits(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"hangs", "late"} {
		w := newWorld(t, 1)
		w.Write("x/picoclaw.json", `{"hooks":{"defaults":{"interceptor_timeout_ms":60,`+
			`"approval_timeout_ms":60},"processes":{`+settings(t, kind,
			`"intercept":["before_tool","approve_tool"]`)+`}}}`)
		w.start()
		for _, command := range []string{"one", "two"} {
			if got := w.Bash(command); strings.Contains(got, "ran") {
				t.Errorf("%s: the call ran: %q", kind, got)
			}
		}
		if asked := strings.Join(w.Asked(), "\n"); !strings.Contains(asked, "hook.before_tool") ||
			!strings.Contains(asked, "60ms") {
			t.Errorf("%s: asked %s", kind, asked)
		}
	}
}

// TestLongLines: a line of 5 MB is an answer.
func TestLongLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("big", "before_tool").start()
	if got := w.Bash("ls"); !strings.Contains(got, "no") || len(w.Asked()) > 0 {
		t.Errorf("got %q; asked %.400q", got, w.Asked())
	}
}

// TestDeaf: a process that does not read its input is ended, and holds up nothing.
func TestDeaf(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("deaf", "before_tool").start()
	w.Answers = true
	big := strings.Repeat("x", 10<<20)
	var calls sync.WaitGroup
	for i := range 8 {
		calls.Go(func() {
			w.Call(context.Background(), "bash", map[string]any{"command": fmt.Sprint(i, big)})
		})
	}
	w.WantEvents("deaf: it does not read its input")
	calls.Wait()
}

// TestCrash: when a process has ended, the calls that it guards are asked about, until it works
// again. Another process of the same file does not answer for it.
func TestCrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20)
	w.Write("x/picoclaw.json", file(settings(t, "gate", `"intercept":["before_tool"]`),
		settings(t, "report", `"intercept":["before_tool"],"priority":-1`)))
	w.start()
	if got := w.Bash("exit"); strings.Contains(got, "ran") {
		t.Errorf("the call ran: %q", got)
	}
	if asked := w.Asked(); len(asked) == 0 || !strings.Contains(asked[0],
		"its process has ended") {
		t.Errorf("asked %q", asked)
	}
	w.Until("a new process", func() bool {
		return strings.Contains(w.Bash("rm"), "Invalid arguments")
	})
}

// TestRestartThatFails: a process that has ended, and does not start again at once, is started
// again later; until then the calls that it guards are asked about.
func TestRestartThatFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("flaky", "before_tool").start()
	w.Bash("exit")
	w.WantEvents("it ended with exit code 5")
	if got := w.Bash("other"); strings.Contains(got, "ran") {
		t.Errorf("the call ran: %q", got)
	}
	w.Until("a new process", func() bool {
		return strings.Contains(w.Bash("rm"), "Invalid arguments")
	})
}

// TestGrandchild: what a process leaves running is ended with it, and its open output holds up
// nothing.
func TestGrandchild(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("grandchild", "before_tool").start()
	if got := w.Bash("ls"); strings.Contains(got, "ran") {
		t.Errorf("the call ran: %q", got)
	}
	w.WantEvents("it ended with exit code 6")
}

// TestReloadThatFails: the version in force answers until a new one works.
func TestReloadThatFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("gate", "before_tool").start()
	for text, want := range map[string]string{
		"{": "not a valid picoclaw.json",
		file(settings(t, "ends", `"intercept":["before_tool"]`)): "exit code 4",
	} {
		w.Write("x/picoclaw.json", text)
		w.WantEvents(want)
		if got := w.Bash("rm"); !strings.Contains(got, "Invalid arguments") {
			t.Errorf("%s: got %q", want, got)
		}
	}
}

// TestNoUnguardedMoment polls a call that a hook refuses, while its process is ended and the file
// replaced.
func TestNoUnguardedMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("gate", "before_tool").start()
	w.Routine = true // what nobody guards runs
	var polls sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	for range 2 {
		polls.Go(func() {
			for ctx.Err() == nil {
				if got := w.Bash("rm"); strings.Contains(got, "ran") {
					t.Errorf("the call ran: %q", got)
					return
				}
			}
		})
	}
	number := func() int {
		if g := w.Engine.Scripts.Snapshot().Generations; len(g) == 1 {
			return g[0].Number
		}
		return 0
	}
	for i := range 10 {
		before := number()
		if i%2 == 0 {
			w.Loader.Reload(ctx)
		} else if i == 1 {
			w.Bash("exit") // the pause before a restart grows with each time
		}
		if i%2 == 0 || i == 1 {
			w.Until("another generation", func() bool { return number() != before })
		}
		w.Write("x/picoclaw.json", "{") // a broken version changes nothing
		w.Loader.Rescan(ctx)
		w.install("gate", "before_tool")
	}
	cancel()
	polls.Wait()
}

// TestBesideScripts: guards in Lua, in JavaScript and of a process check the same call.
func TestBesideScripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20, lua.New(), js.New()).install("gate", "before_tool", "approve_tool")
	w.Write("a.lua", `ext.guard(function(ev)
  if ev.args.command == "lua" then return {block = true, reason = "by Lua"} end
end)
ext.on("tool_call", function(ev)
  if ev.args.command == "date" then return {args = {command = "danger"}} end
  if ev.args.command == "ls -a" then return {args = {command = "ls"}} end
end)`)
	w.Write("b.js", `ext.guard((ev) => {
  if (ev.args.command === "ls -l") return {block: true, reason: "by JavaScript"};
});`)
	w.start()
	w.Answers = true
	for command, want := range map[string]string{"lua": "by Lua", "rm": "Invalid arguments",
		"ls -a": "by JavaScript", "date": "Dangerous command", "pwd": "ran pwd"} {
		if got := w.Bash(command); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q; %s", command, got, want, w.Recorded())
		}
	}
}

// TestObservers: a process hears the events that its settings name, by their present names and by
// those of earlier versions.
func TestObservers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20)
	w.Write("x/picoclaw.json", file(settings(t, "report", `"intercept":["before_tool"],`+
		`"observe":["agent.tool.exec_start","tool_exec_end","channel.rate_limited",`+
		`"tool_exec_ends"]`)))
	w.start()
	w.Answers = true
	w.WantEvents(`report: observe: unknown event "tool_exec_ends"; did you mean "tool_exec_end"`)
	w.Bash("pwd")
	var told string
	w.Until("it is told", func() bool {
		told = w.Bash("told")
		return strings.Contains(told, "\nevent")
	})
	lines := strings.Split(told, "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "runtime_event ") ||
		!strings.HasPrefix(lines[1], "runtime_event ") {
		t.Fatalf("told %s", told)
	}
	for i, want := range []string{`"kind":"agent.tool.exec_start","payload":{"Arguments":` +
		`{"command":"pwd"},"Tool":"bash"}`, `"kind":"agent.tool.exec_end"`,
		`"Kind":"tool_exec_end","Meta":{"AgentID":"main"`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d: got %s, want %s", i, lines[i], want)
		}
	}
	var ev struct{ Scope, Source map[string]any }
	_, params, _ := strings.Cut(lines[0], " ")
	if err := json.Unmarshal([]byte(params), &ev); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(ev.Scope, ev.Source); got != "map[agent_id:main channel:cli "+
		"chat_id:session-1 chat_type:direct sender_id:user session_key:session-1 turn_id:turn-1] "+
		"map[component:agent name:]" {
		t.Errorf("got %s", got)
	}
}
