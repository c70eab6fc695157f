// This file tests agent rpc: prompts, sessions, settings, bad input, and how the program ends.

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/jsonrpc"
)

func TestRPCPrompt(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	hello := c.openSession(false)
	if hello["protocol"] != 1.0 || hello["events"] != 1.0 || hello.text("model") != "played/m" {
		t.Errorf("initialize: %v", hello)
	}
	id := c.prompt("play\nsay one two | call ls {}\nsay done")
	end := c.waitEnd(id)
	if end.text("status") != "completed" || end.text("response") != "done" ||
		end["refused"] != 0.0 {
		t.Errorf("prompt.end: %v", end)
	}
	_, endAt := c.find(0, func(m message) bool { return m.text("method") == "prompt.end" })
	said := ""
	last := -1
	for i := 0; ; i++ {
		m, at := c.find(i, func(m message) bool {
			return m.event() != "" &&
				m.params()["prompt_id"] == id
		})
		if at < 0 {
			break
		}
		i, last = at, at
		if m.event() == "message_delta" {
			said += m.params().text("delta")
		}
		if m.event() == "agent_end" && at > endAt {
			t.Error("prompt.end came before agent_end")
		}
	}
	if last < 0 || strings.TrimSpace(said) != "one two done" && said != "one twodone" {
		t.Errorf("deltas %q of the prompt %s", said, id)
	}
	if _, again := c.find(endAt+1,
		func(m message) bool { return m.text("method") == "prompt.end" }); again >= 0 {
		t.Error("the end of the prompt was sent twice")
	}
	c.endSession()
	if !strings.Contains(c.output(), `"event":"session_end"`) {
		t.Error("session_end was not sent")
	}
}

// untilLetGo is a tool call that runs until letGo is called.
const untilLetGo = `call bash {"command":"until [ -e go ]; do sleep 0.02; done"}`

// letGo ends untilLetGo.
func (d *drive) letGo() {
	d.t.Helper()
	d.write(filepath.Join(d.dir, "go"), "")
}

func TestRPCSteering(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	c.openSession(false, "--yolo")
	first := c.prompt("play\nsay working | " + untilLetGo + "\nseen turn left")
	c.waitEvent("tool_start")
	later := c.call("follow_up", map[string]any{"text": "and then"}).text("id")
	steer := c.call("steer", map[string]any{"text": "turn left"}).text("id")
	queue, _ := c.call("state", nil)["queue"].([]any)
	if len(queue) != 2 {
		t.Errorf("%d inputs wait: %v", len(queue), queue)
	}
	c.letGo()
	if end := c.waitEnd(steer); end.text("status") != "steered" {
		t.Errorf("the steering ended as %v", end)
	}
	if end := c.waitEnd(first); end.text("response") != "seen" {
		t.Errorf("the prompt ended as %v", end)
	}
	if end := c.waitEnd(later); end.text("response") != "heard: and then" {
		t.Errorf("the follow-up ended as %v", end)
	}
	c.endSession()
}

func TestRPCAbort(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	c.openSession(false, "--yolo")
	first := c.prompt("play\nwait 20")
	c.waitEvent("turn_start") // otherwise it may be dropped, too
	second := c.call("follow_up", map[string]any{"text": "never"}).text("id")
	dropped, _ := c.call("abort", nil)["dropped"].([]any)
	if len(dropped) != 1 || dropped[0] != second {
		t.Errorf("dropped %v, want %s", dropped, second)
	}
	for _, id := range []string{first, second} {
		if end := c.waitEnd(id); end.text("status") != "cancelled" {
			t.Errorf("%s ended as %v", id, end)
		}
	}
	if end := c.runPrompt("play\nsay on"); end.text("status") != "completed" {
		t.Errorf("the next prompt ended as %v", end)
	}
	// a prompt and its abort in one write: they take effect in this order
	c.line(`{"jsonrpc":"2.0","id":"a","method":"prompt","params":{"text":"play\nwait 20"}}` + "\n" +
		`{"jsonrpc":"2.0","id":"b","method":"abort"}`)
	m := c.wait("the answer", func(m message) bool { return m["id"] == "a" })
	if end := c.waitEnd(message(m["result"].(map[string]any)).text("id")); end.text(
		"status") != "cancelled" {
		t.Errorf("the prompt ended as %v", end)
	}
	graceful := c.prompt("play\n" + untilLetGo + "\nsay never")
	c.waitEvent("tool_start")
	c.call("abort", map[string]any{"kind": "graceful"})
	c.letGo()
	if end := c.waitEnd(graceful); end.text("status") != "stopped" {
		t.Errorf("stopped gracefully, the prompt ended as %v", end)
	}
	c.endSession()
}

// TestRPCScriptDropsQueue checks that the client is told when a script drops queued prompts.
func TestRPCScriptDropsQueue(t *testing.T) {
	t.Parallel()
	c := newClient(t,
		map[string]string{"a.lua": `ext.on("tool_result", function() return { abort = "agent" } ` +
			`end)`})
	c.openSession(false, "--yolo")
	first := c.prompt("play\n" + untilLetGo + "\nsay never")
	second := c.call("follow_up", map[string]any{"text": "never"}).text("id")
	c.letGo()
	if end := c.waitEnd(first); end.text("status") != "error" {
		t.Errorf("the prompt ended as %v", end)
	}
	if end := c.waitEnd(second); end.text("status") != "cancelled" {
		t.Errorf("the queued prompt ended as %v", end)
	}
	c.endSession()
}

func TestRPCScriptOutput(t *testing.T) {
	t.Parallel()
	scripts := map[string]string{
		"lua": `ext.command{ name = "greet", description = "greets", complete = function(p) return { "you", { value = "world", description = "all" } } end,
  run = function(args) ext.say("**said**") ext.notify("noted", "warn") return { display = "hello " .. args } end }`,
		"js": `ext.command({ name: "greet", description: "greets", complete: (p) => ["you", { value: "world", description: "all" }],
  run: (args) => { ext.say("**said**"); ext.notify("noted", "warn"); return { display: "hello " + args }; } });`,
	}
	for lang, text := range scripts {
		t.Run(lang, func(t *testing.T) {
			c := newClient(t, map[string]string{"s." + lang: text})
			c.openSession(false)
			if end := c.runPrompt("/greet you"); end.text("status") != "handled" {
				t.Errorf("the prompt ended as %v", end)
			}
			if ev := c.waitEvent("say"); ev.text("markdown") != "**said**" ||
				ev.text("source") != "s."+lang {
				t.Errorf("said %v", ev)
			}
			if ev := c.waitEvent("notification"); ev.text("message") != "noted" ||
				ev.text("level") != "warn" {
				t.Errorf("noted %v", ev)
			}
			if ev := c.waitEvent("say"); ev.text("markdown") != "hello you" {
				t.Errorf("displayed %v", ev)
			}
			got := fmt.Sprint(c.call("command.complete",
				map[string]any{"name": "greet"})["completions"])
			if got != "[map[value:you] map[description:all value:world]]" {
				t.Errorf("completions: %s", got)
			}
			if list := fmt.Sprint(c.call("commands.list", nil)["commands"]); !strings.Contains(list,
				"source:s."+lang) || !strings.Contains(list, "name:compact") {
				t.Errorf("commands: %s", list)
			}
			if text, code, _ := c.refused("command.complete",
				map[string]any{"name": "gret"}); code != -32000 ||
				!strings.Contains(text, `did you mean "greet"`) {
				t.Errorf("%v %s", code, text)
			}
			c.endSession()
		})
	}
}

func TestRPCSessions(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	first, _ := c.openSession(false, "--name", "one")["session"].(map[string]any)
	if first["name"] != "one" {
		t.Errorf("initialize: %v", first)
	}
	prompt := c.prompt("first words")
	c.waitEnd(prompt)
	next, _ := c.call("sessions.new", nil)["session"].(map[string]any)
	if next["id"] == first["id"] {
		t.Error("the new session has the old id")
	}
	if text, code, data := c.refused("sessions.resume",
		map[string]any{"id": "nosuch"}); code != -32000 ||
		fmt.Sprint(data) != "map[code:not_found]" {
		t.Errorf("%v %v %s", code, data, text)
	}
	back, _ := c.call("sessions.resume",
		map[string]any{"id": first["id"]})["session"].(map[string]any)
	if back["id"] != first["id"] {
		t.Errorf("resumed %v", back)
	}
	list, _ := c.call("messages", nil)["messages"].([]any)
	if len(list) != 2 || list[0].(map[string]any)["id"] != prompt ||
		list[1].(map[string]any)["text"] != "heard: first words" {
		t.Errorf("messages: %v", list)
	}
	if text := c.call("sessions.export", nil).text("text"); !strings.Contains(text, "first words") {
		t.Errorf("exported %s", text)
	}
	if s := fmt.Sprint(c.call("sessions.name", map[string]any{"name": "two"})); !strings.Contains(s,
		"name:two") {
		t.Errorf("named: %s", s)
	}
	c.call("sessions.fork", map[string]any{"entry": prompt, "before": true})
	if list, _ := c.call("messages", nil)["messages"].([]any); len(list) != 0 {
		t.Errorf("after the fork: %v", list)
	}
	all, _ := c.call("sessions.list", nil)["sessions"].([]any)
	if len(all) != 2 && len(all) != 1 { // an empty session may have no file
		t.Errorf("sessions: %v", all)
	}
	running := c.prompt("play\nwait 20")
	if _, code, data := c.refused("sessions.new", nil); code != -32000 ||
		fmt.Sprint(data) != "map[code:busy]" {
		t.Errorf("during a prompt: %v %v", code, data)
	}
	c.call("abort", nil)
	c.waitEnd(running)
	c.endSession()
}

func TestRPCSettings(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	c.openSession(false)
	models := fmt.Sprint(c.call("models.list", map[string]any{"known": true}))
	if !strings.Contains(models, "id:played/free") || !strings.Contains(models, "price:<nil>") ||
		!strings.Contains(models, "model:played/m") {
		t.Errorf("models: %s", models)
	}
	c.call("model.set", map[string]any{"model": "played/free"})
	c.call("thinking.set", map[string]any{"thinking": "high"})
	c.call("permission.set", map[string]any{"permission": "plan"})
	c.runPrompt("costs what nobody knows")
	s := c.call("state", nil)
	if s.text("model") != "played/free" || s.text("thinking") != "high" ||
		s.text("permission") != "plan" || s["cost"] != nil || s.text("state") != "idle" {
		t.Errorf("state: %v", s)
	}
	for method, params := range map[string]map[string]any{"model.set": {"model": "played/fre"},
		"thinking.set": {"thinking": "hig"}, "permission.set": {"permission": "plam"}} {
		if text, _, _ := c.refused(method, params); !strings.Contains(text, "did you mean") {
			t.Errorf("%s: %s", method, text)
		}
	}
	if tools := fmt.Sprint(c.call("tools.list", nil)); !strings.Contains(tools, "name:bash") ||
		!strings.Contains(tools, "read_only:true") {
		t.Errorf("tools: %s", tools)
	}
	c.endSession()
}

func TestRPCToolsAreMasked(t *testing.T) {
	t.Parallel()
	c := newClient(t,
		map[string]string{"told.lua": `ext.redact{ name = "k", patterns = { "key-[0-9]+" } }
ext.tool{ name = "told", description = "with key-12345", schema = { a = "string?: of key-12345" }, run = function() return "x" end }`})
	c.openSession(false)
	if tools := fmt.Sprint(c.call("tools.list", nil)); strings.Contains(tools, "key-12345") ||
		strings.Count(tools, "[redacted:k]") != 2 {
		t.Errorf("tools: %s", tools)
	}
	c.endSession()
}

func TestRPCCompact(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	c.openSession(false)
	if _, code, data := c.refused("compact", nil); code != -32000 ||
		fmt.Sprint(data) != "map[code:unsupported]" {
		t.Errorf("nothing to compact: %v %v", code, data)
	}
	for range 4 {
		c.runPrompt(strings.Repeat("many words ", 3000))
	}
	got := c.call("compact", map[string]any{"instructions": "short"})
	if n, _ := got["dropped"].(float64); n < 1 {
		t.Errorf("compacted: %v", got)
	}
	c.waitEvent("session_compact")
	c.endSession()
}

func TestRPCReload(t *testing.T) {
	t.Parallel()
	c := newClient(t,
		map[string]string{"a.lua": `ext.guard({ tool = "ls" }, function() return { block = true, ` +
			`reason = "one" } end)`})
	c.openSession(false)
	if end := c.runPrompt("play\ncall ls {}\nseen one"); end.text("response") != "seen" ||
		end["refused"] != 1.0 {
		t.Errorf("before: %v", end)
	}
	c.save("a.lua", `this is no Lua`)
	list := fmt.Sprint(c.call("scripts.reload", nil))
	if !strings.Contains(list, "state:error") || !strings.Contains(list, "error:a.lua:1") {
		t.Errorf("scripts: %s", list)
	}
	if end := c.runPrompt("play\ncall ls {}\nseen one"); end.text("response") != "seen" ||
		end["refused"] != 1.0 {
		t.Errorf("the last good version: %v", end)
	}
	if s := fmt.Sprint(c.call("state", nil)["scripts"]); !strings.Contains(s,
		"name:a.lua state:error") {
		t.Errorf("state: %s", s)
	}
	c.endSession()
}

// TestRPCBadInput sends invalid lines. Each gets an error, and the program continues.
func TestRPCBadInput(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	c.limits.MaxLine = 1 << 20
	c.open("-e", played, "--model", "played/m")
	try := func(line, id string, code float64, text string) {
		t.Helper()
		c.line(line)
		m := c.wait(line[:min(len(line), 200)], func(m message) bool { return m["error"] != nil })
		e, _ := m["error"].(map[string]any)
		if fmt.Sprint(m["id"]) != id || e["code"] != code ||
			!strings.Contains(fmt.Sprint(e["message"]), text) {
			t.Errorf("%.200s: id %v, %v, want %v with %q", line, m["id"], e, code, text)
		}
	}
	try(`{"jsonrpc":"2.0","id":1,"method":"state"}`, "1", -32002, "state: send initialize first")
	try(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":2,`+
		`"client":{"name":"x"}}}`, "1", -32602, "protocol: got 2, want 1")
	try(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1}}`, "1", -32602,
		"initialize: client: got nothing, want table")
	try(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,`+
		`"client":{"name":"x"},"capabilities":{"uis":true}}}`, "1", -32602,
		`capabilities: unknown key "uis"; did you mean "ui"`)
	try(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,`+
		`"client":{"name":"x"},"events":["tool_cal"]}}`, "1", -32602, `events[0]: got "tool_cal",`+
		` want the name of an event or a glob; did you mean "tool_call"`)
	try(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,`+
		`"client":{"name":"x"},"events":[7]}}`, "1", -32602, `events[0]`)
	c.ids = 100
	c.call("initialize", map[string]any{"protocol": 1, "client": map[string]any{"name": "x"},
		"events": []string{"agent_*", "!agent_start"}})
	long := strings.Repeat("x", 2<<20)
	for _, test := range []struct {
		line, id string
		code     float64
		text     string
	}{
		{`nonsense`, "<nil>", -32700, "parse error: not JSON at byte"},
		{`{"jsonrpc":"2.0","id":1,"method":"prompt"`, "<nil>", -32700,
			"parse error: the JSON ends too early"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "<nil>", -32700, "not UTF-8"},
		{strings.Repeat("[", 20000) + strings.Repeat("]", 20000), "<nil>", -32700,
			"exceeded max depth"},
		{`[{"jsonrpc":"2.0","id":1,"method":"state"}]`, "<nil>", -32600,
			"batches are not supported"},
		{`7`, "<nil>", -32600, "got 7, want an object"},
		{`null`, "<nil>", -32600, "got null, want an object"},
		{`{"jsonrpc":"1.0","id":1,"method":"state"}`, "1", -32600, `jsonrpc: got "1.0"`},
		{`{"id":1,"method":"state"}`, "1", -32600, `jsonrpc: got nothing`},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, "1", -32600, "method: got 7"},
		{`{"jsonrpc":"2.0","id":1}`, "1", -32600, "method: got nothing"},
		{`{"jsonrpc":"2.0","id":{},"method":"state"}`, "<nil>", -32600, "id: got {}"},
		{`{"jsonrpc":"2.0","id":null,"method":"state"}`, "<nil>", -32600, "id: got null"},
		{`{"jsonrpc":"2.0","id":1,"method":"state","param":{}}`, "1", -32600,
			`unknown key "param"`},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, "1", -32600, "no request was sent to the client"},
		{`{"jsonrpc":"2.0","id":1,"method":"state","params":[1]}`, "1", -32602,
			"params: got [1], want an object"},
		{`{"jsonrpc":"2.0","id":"x","method":"promt","params":{}}`, "x", -32601,
			`unknown method "promt"; did you mean "prompt"`},
		{`{"jsonrpc":"2.0","id":1,"method":"prompt"}`, "1", -32602,
			"prompt: text: got nothing, want string"},
		{`{"jsonrpc":"2.0","id":1,"method":"prompt","params":{"text":7}}`, "1", -32602,
			"prompt: text: got number, want string"},
		{`{"jsonrpc":"2.0","id":1,"method":"prompt","params":{"text":" \n"}}`, "1", -32602,
			"prompt: text: there is nothing in it"},
		{`{"jsonrpc":"2.0","id":1,"method":"prompt","params":{"text":"x","kind":"stear"}}`, "1",
			-32602,
			`kind: got "stear", want one of prompt, steer, follow_up; did you mean "steer"`},
		{`{"jsonrpc":"2.0","id":1,"method":"prompt","params":{"txt":"x"}}`, "1", -32602,
			`prompt: params: unknown key "txt"; did you mean "text"`},
		{`{"jsonrpc":"2.0","id":1,"method":"prompt","params":{"text":"x",` +
			`"images":[{"mime_type":"image/png","data":"*"}]}}`, "1", -32602,
			"prompt: images[0].data: it is not base64"},
		{`{"jsonrpc":"2.0","id":1,"method":"prompt","params":{"text":"x",` +
			`"images":[{"mime_type":"image/png","data":"aGk="}]}}`, "1", -32602,
			"prompt: images[0].data: it holds no image"},
		{`{"jsonrpc":"2.0","id":1,"method":"prompt","params":{"text":"x",` +
			`"images":[{"mime_type":"image/bmp","data":""}]}}`, "1", -32602,
			"prompt: images[0]: mime_type: got"},
		{`{"jsonrpc":"2.0","id":1,"method":"prompt","params":{"text":"x","images":["a.png"]}}`, "1",
			-32602, "prompt: images[0]: got string, want table"},
		{`{"jsonrpc":"2.0","id":1,"method":"sessions.new","params":{"prompt":"x"}}`, "1", -32602,
			`unknown key "prompt": it takes no parameters`},
		{`{"jsonrpc":"2.0","id":1,"method":"sessions.list","params":{"limit":0}}`, "1", -32602,
			"limit: got 0"},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,` +
			`"client":{"name":"x"}}}`, "1", -32600, "it was sent already"},
		{`{"jsonrpc":"2.0","id":1,"method":"ui.respond","params":{"id":"ui7","value":true}}`, "1",
			-32000, `no dialog "ui7" is open`},
		{`{"jsonrpc":"2.0","id":1,"method":"prompt","params":{"text":"` + long + `"}}`, "<nil>",
			-32600, "longer than 1 MB: it was skipped"},
	} {
		try(test.line, test.id, test.code, test.text)
	}
	c.line("\r\n   \n" + `{"jsonrpc":"2.0","method":"promt","params":{}}` + "\r\n" +
		`{"jsonrpc":"2.0","method":"prompt","params":{"text":"as a notification"}}`)
	c.wait("an end", func(m message) bool { return m.text("method") == "prompt.end" })
	if end := c.runPrompt("it goes on"); end.text("status") != "completed" {
		t.Errorf("the prompt ended as %v", end)
	}
	c.endSession()
	if !strings.Contains(c.err.String(),
		`notification promt: unknown method "promt"; did you mean "prompt"?`) {
		t.Errorf("stderr: %s", c.err.String())
	}
	for _, m := range c.got {
		if name := m.event(); name != "" && (!strings.HasPrefix(name, "agent_") ||
			name == "agent_start") {
			t.Errorf("an event that the client did not want: %s", name)
		}
	}
}

// TestRPCLargeRequest sends a request of 10 MB.
func TestRPCLargeRequest(t *testing.T) {
	t.Parallel()
	c := newClient(t,
		map[string]string{"a.lua": `ext.command{ name = "count", complete = function(text) ` +
			`return { tostring(#text) } end, run = function() end }`})
	c.openSession(false)
	got := c.call("command.complete", map[string]any{"name": "count",
		"prefix": strings.Repeat("0123456789", 1<<20)})
	if fmt.Sprint(got["completions"]) != "[map[value:10485760]]" {
		t.Errorf("completions: %v", got)
	}
	c.endSession()
}

func TestRPCDuplicateID(t *testing.T) {
	t.Parallel()
	c := newClient(t, map[string]string{"a.lua": `local go = false
ext.command{ name = "slow", complete = function() while not go do ext.sleep(0.01) end return { "x" } end, run = function() go = true end }`})
	c.openSession(false)
	line := `{"jsonrpc":"2.0","id":"twice","method":"command.complete","params":{"name":"slow"}}`
	c.line(line + "\n" + line)
	c.wait("the error", func(m message) bool { return m["id"] == "twice" && m["error"] != nil })
	c.runPrompt("/slow")
	c.wait("the answer", func(m message) bool { return m["id"] == "twice" && m["result"] != nil })
	c.endSession()
}

// TestRPCSlowRequestsDoNotBlock sends a quick request while a slow one is running.
func TestRPCSlowRequestsDoNotBlock(t *testing.T) {
	t.Parallel()
	c := newClient(t,
		map[string]string{"a.lua": `ext.command{ name = "slow", complete = function() ` +
			`ext.sleep(20) return { "x" } end, run = function() end }`})
	c.openSession(false)
	slow := c.send("command.complete", map[string]any{"name": "slow"})
	c.call("state", nil)
	c.runPrompt("and a prompt")
	c.call("abort", nil)
	if m := c.waitAnswer(slow); m["error"] == nil {
		t.Errorf("the aborted request was answered with %v", m)
	}
	c.endSession()
}

// TestRPCEnds ends the program in every possible way. Each time, the session must end normally and
// no goroutine or process may be left.
func TestRPCEnds(t *testing.T) {
	ways := map[string]struct {
		end   func(c *client)
		code  int
		cause string
		reads bool // the client reads to the end
	}{
		"shutdown":     {func(c *client) { c.call("shutdown", nil) }, exitOK, "exit", true},
		"end of input": {func(c *client) { c.in.Close() }, exitOK, "exit", true},
		"signal":       {func(c *client) { c.stop() }, exitOK, "signal", true},
		"output closed": {func(c *client) {
			c.out.CloseWithError(io.ErrClosedPipe)
			c.tryLine(`{"jsonrpc":"2.0","id":"x","method":"state"}`)
		}, exitError, "exit", false},
		"a script": {func(c *client) { c.runPrompt("/leave"); c.send("abort", nil) },
			exitOK, "exit", true},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			c := newClient(t, map[string]string{"a.lua": `-- ==Agent==
-- @grant agent
-- ==/Agent==
ext.on("session_end", function(ev) ext.log.info("ended " .. ev.cause) end)
ext.command{ name = "leave", run = function() ext.agent.exit() end }`})
			c.openSession(false, "--yolo")
			id := c.prompt("play\nsay working | wait 20")
			c.waitEvent("message_start")
			way.end(c)
			c.waitExit(way.code)
			if way.reads {
				if end := c.waitEnd(id); end.text("status") != "cancelled" {
					t.Errorf("the prompt ended as %v", end)
				}
			}
			if got := fmt.Sprint(c.logged("a.lua")); got != "[ended "+way.cause+"]" {
				t.Errorf("the script logged %s", got)
			}
			c.in.Close()
			c.out.Close()
			eventually(t, "no goroutine is left",
				func() bool { return runtime.NumGoroutine() <= before })
		})
	}
}

// TestRPCAnswersBeforeTheEnd sends all requests and then closes the input: every request is
// answered.
func TestRPCAnswersBeforeTheEnd(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	c.open("-e", played, "--model", "played/m")
	go c.line(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"x"}}}
{"jsonrpc":"2.0","id":2,"method":"models.list"}
{"jsonrpc":"2.0","id":3,"method":"prompt","params":{"text":"hello"}}
{"jsonrpc":"2.0","id":4,"method":"shutdown","params":{"when":"idle"}}
{"jsonrpc":"2.0","id":5,"method":"prompt","params":{"text":"too late"}}`)
	c.waitExit(exitOK)
	for id := range 3 {
		if m := c.waitAnswer(float64(id + 1)); m["result"] == nil {
			t.Errorf("%v", m)
		}
	}
	if end := c.waitEnd(c.waitAnswer(3)["result"].(map[string]any)["id"].(string)); end.text(
		"response") != "heard: hello" {
		t.Errorf("the prompt ended as %v", end)
	}
	if m := c.waitAnswer(5); m["error"] == nil {
		t.Errorf("a request after the end: %v", m)
	}
}

// TestRPCClientStopsReading checks that the agent ends normally with an error, and that its guards
// answer until then.
func TestRPCClientStopsReading(t *testing.T) {
	t.Parallel()
	c := newClient(t,
		map[string]string{"a.lua": `ext.on("session_end", function(ev) ext.log.info("ended") end)
ext.guard({ tool = "bash" }, function(ev) ext.log.info("guarded") return { block = true, reason = "no" } end)`})
	c.limits = jsonrpc.Options{MaxWaiting: 4 << 10, Patience: 200 * time.Millisecond}
	c.start("-e", played, "--model", "played/m", "--yolo")
	c.line(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"x"}}}
{"jsonrpc":"2.0","id":2,"method":"prompt","params":{"text":"play\ncall bash {\"command\":\"touch made\"}\ncall bash {\"command\":\"touch made\"}\nwait 20"}}`)
	c.waitExit(exitError)
	if text := c.err.String(); !strings.Contains(text, "the client does not read") {
		t.Errorf("stderr: %s", text)
	}
	log := fmt.Sprint(c.logged("a.lua"))
	if !strings.HasSuffix(log, "ended]") {
		t.Errorf("the script logged %s", log)
	}
}

// TestRPCWaitsForASlowReader checks that no output is lost if the client reads slowly.
func TestRPCWaitsForASlowReader(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	c.limits = jsonrpc.Options{MaxWaiting: 1 << 10, Patience: driveTime}
	c.start("-e", played, "--model", "played/m", "--yolo")
	go c.line(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"x"}}}
{"jsonrpc":"2.0","id":2,"method":"prompt","params":{"text":"play\ncall ls {}\ncall ls {}\ncall ls {}\nsay done"}}
{"jsonrpc":"2.0","id":3,"method":"shutdown","params":{"when":"idle"}}`)
	var all strings.Builder
	piece := make([]byte, 500)
	for {
		n, err := c.out.Read(piece)
		all.Write(piece[:n])
		if err != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	c.waitExit(exitOK)
	for line := range strings.Lines(all.String()) {
		c.addMessage([]byte(line))
	}
	c.wait("the end", func(m message) bool { return m.text("method") == "prompt.end" })
	c.waitEvent("session_end")
}

// TestRPCProcess runs the program as a separate process, and ends it by a signal.
func TestRPCProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("signals")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t,
		map[string]string{"a.lua": `ext.on("session_end", function(ev) ext.log.info("ended " .. ` +
			`ev.cause) end)`})
	cmd := exec.Command(self, "rpc", "-e", mustAbs(t, played), "--model", "played/m", "--yolo")
	cmd.Args[0], cmd.Dir, cmd.Env, cmd.Stderr = "agent", c.dir,
		append(os.Environ(), "AGENT_HOME="+c.home), &c.err
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	read := make(chan struct{})
	go func() {
		defer close(read)
		lines := bufio.NewScanner(out)
		for lines.Buffer(nil, 1<<20); lines.Scan(); {
			c.addMessage(append(lines.Bytes(), '\n'))
		}
	}()
	c.write = in
	c.call("initialize", map[string]any{"protocol": 1, "client": map[string]any{"name": "test"}})
	if end := c.runPrompt("play\ncall bash {\"command\":\"echo out\"}\nsay done"); end.text(
		"response") != "done" {
		t.Errorf("the prompt ended as %v", end)
	}
	id := c.prompt("play\nsay working | call bash {\"command\":\"sleep 20\"}")
	c.waitEvent("message_start")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-read:
	case <-time.After(driveTime):
		t.Fatal("the program does not exit")
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 128+int(syscall.SIGTERM) {
		t.Errorf("%v: %s", err, c.err.String())
	}
	if end := c.waitEnd(id); end.text("status") != "cancelled" {
		t.Errorf("the prompt ended as %v", end)
	}
	if got := fmt.Sprint(c.logged("a.lua")); got != "[ended signal]" {
		t.Errorf("the script logged %s", got)
	}
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
