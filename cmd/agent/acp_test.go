package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/engine"
)

// wantTexts fails unless shown contains all texts, in this order.
func wantTexts(t testing.TB, shown string, texts ...string) {
	t.Helper()
	rest := shown
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			t.Fatalf("missing or out of order: %q in:\n%s", text, shown)
		}
		rest = after
	}
}

func TestEditorSeesAPrompt(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"in process", "a process of its own"} {
		t.Run(how, func(t *testing.T) {
			e := newEditor(t, nil)
			if how == "in process" {
				e.open("--yolo")
			} else {
				e.startProcess("--yolo")
				e.greet()
			}
			e.write(filepath.Join(e.dir, "a.txt"), "one\ntwo\nthree\n")
			if why := e.prompt(
				`think let me see | say I change | say _it. | call edit {"path": "a.txt", `+
					`"edits": [{"old": "two", "new": "2"}]}`,
				`call bash {"command": "echo out; exit 3"}`,
				`say done`); why != protocol.StopReasonEndTurn {
				t.Errorf("the prompt stopped with %s", why)
			}
			shown := e.shown()
			wantTexts(t, shown, "(let me see)", "I change_it.", " edit Edit a.txt pending]",
				"in_progress]", `completed] a.txt: "one\ntwo\nthree\n" => "one\n2\nthree\n"`,
				" execute echo out; exit 3 pending]", "failed]", "out", "done")
			e.in.Close()
		})
	}
}

func TestEditorAnswersQuestions(t *testing.T) {
	t.Parallel()
	e := newEditor(t, nil)
	e.open()
	run := func(answer string, n int) string {
		t.Helper()
		if answer != "" {
			e.queueAnswers(answer)
		}
		e.prompt(fmt.Sprintf(`call bash {"command": "echo ran-%d"}`, n), "say end")
		return e.shown()
	}
	wantTexts(t, run("reject", 1), "execute echo ran-1", "failed]", "end")
	wantTexts(t, run("cancel", 2), "failed]", "end")
	wantTexts(t, run("nonsense", 3), "failed]", "end")
	wantTexts(t, run("once", 4), "completed]", "ran-4")
	wantTexts(t, run("always", 5), "completed]", "ran-5")
	asked := e.questions()
	if len(asked) != 5 {
		t.Fatalf("%d questions, want 5: %q", len(asked), asked)
	}
	wantTexts(t, asked[0], "echo ran-1 | bash (kind execute) asks for approval",
		"once/allow_once/Allow once, always/allow_always/Always allow bash(echo ",
		"reject/reject_once/Reject")
	wantTexts(t, run("", 5), "completed]", "ran-5")
	if asked := e.questions(); len(asked) > 0 {
		t.Errorf("asked again after an answer of always: %q", asked)
	}
}

func TestEditorSeesGuards(t *testing.T) {
	t.Parallel()
	guards := map[string][2]string{
		"lua": {"g.lua", `ext.guard({ tool = "bash" }, function(ev)
  if ev.args.command:find("rm") then return { block = true, reason = "no rm here" } end
  return { ask = "really?", reason = "it has a reason" }
end)`},
		"js": {"g.js", `ext.guard({ tool: "bash" }, (ev) => {
  if (ev.args.command.includes("rm")) return { block: true, reason: "no rm here" };
  return { ask: "really?", reason: "it has a reason" };
});`},
	}
	for lang, g := range guards {
		t.Run(lang, func(t *testing.T) {
			e := newEditor(t, map[string]string{g[0]: g[1]})
			e.open("--yolo")
			e.prompt(`call bash {"command": "rm x"}`, "say end")
			wantTexts(t, e.shown(), "execute rm x", "failed]", "no rm here", "end")
			e.queueAnswers("once", "reject")
			e.prompt(`call bash {"command": "echo yes-it-ran"}`, `call bash {"command": "echo no"}`,
				"say end")
			wantTexts(t, e.shown(), "completed]", "yes-it-ran", "failed]", "end")
			asked := e.questions()
			if len(asked) != 2 {
				t.Fatalf("%d questions, want 2", len(asked))
			}
			wantTexts(t, asked[0], "**"+g[0]+":1**: really?", "it has a reason")
			if strings.Contains(asked[0], ", always/") {
				t.Errorf("a guard's question offers always: %s", asked[0])
			}
		})
	}
}

// changing are scripts that rewrite a call in their second line and its result in their third.
var changing = map[string]string{
	"lua": `-- changes what it likes
ext.on("tool_call", { match = "^npm " }, function() return { args = { command = "echo pnpm test" } } end)
ext.on("tool_result", { match = "pnpm" }, function() return { content = "all is well" } end)
`,
	"js": `// changes what it likes
ext.on("tool_call", { match: "^npm " }, () => ({ args: { command: "echo pnpm test" } }));
ext.on("tool_result", { match: "pnpm" }, () => ({ content: "all is well" }));
`,
}

// TestEditorSeesRewrites checks that the question and the call name the script that rewrote them
// and show the original.
func TestEditorSeesRewrites(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		name := "change." + lang
		e := newEditor(t, map[string]string{name: changing[lang]})
		e.open()
		e.queueAnswers("once")
		e.prompt(`call bash {"command": "npm test"}`, "say end")
		wantTexts(t, e.questions()[0], "echo pnpm test",
			"rewritten by **"+name+":2**; the model asked for:", "npm test")
		wantTexts(t, e.shown(), "rewritten by **"+name+":2**; the model asked for:", "npm test",
			"result rewritten by **"+name+":3**; it was:", "pnpm test", "all is well")
	})
}

func TestEditorCancels(t *testing.T) {
	t.Parallel()
	e := newEditor(t, nil)
	e.open("--yolo")
	// there is nothing to cancel
	if err := e.conn.Cancel(e.ctx, protocol.CancelNotification{SessionId: e.id}); err != nil {
		t.Fatal(err)
	}
	done := make(chan protocol.StopReason, 1)
	go func() {
		r, _ := e.conn.Prompt(e.ctx, protocol.PromptRequest{SessionId: e.id,
			Prompt: []protocol.ContentBlock{protocol.TextBlock("play\n" +
				`call bash {"command": "echo $$ > pid; sleep 100"}`)}})
		done <- r.StopReason
	}()
	eventually(t, "the tool runs", func() bool {
		_, err := os.Stat(filepath.Join(e.dir, "pid"))
		return err == nil
	})
	_, err := e.conn.Prompt(e.ctx, protocol.PromptRequest{SessionId: e.id,
		Prompt: []protocol.ContentBlock{protocol.TextBlock("say two")}})
	if err == nil || !strings.Contains(err.Error(), "a prompt is under way") {
		t.Errorf("a second prompt: %v", err)
	}
	if err := e.conn.Cancel(e.ctx, protocol.CancelNotification{SessionId: e.id}); err != nil {
		t.Fatal(err)
	}
	select {
	case why := <-done:
		if why != protocol.StopReasonCancelled {
			t.Errorf("the prompt stopped with %q", why)
		}
	case <-e.ctx.Done():
		t.Fatal("the prompt does not stop")
	}
	wantTexts(t, e.shown(), "in_progress]", "failed]")
	if why := e.prompt("say it goes on"); why != protocol.StopReasonEndTurn {
		t.Errorf("the next prompt stopped with %q", why)
	}
	e.queueAnswers("") // a question that is open when it is cancelled
	if err := e.setMode("default"); err != nil {
		t.Fatal(err)
	}
	go func() {
		r, _ := e.conn.Prompt(e.ctx, protocol.PromptRequest{SessionId: e.id,
			Prompt: []protocol.ContentBlock{protocol.TextBlock(
				"play\ncall bash {\"command\": \"echo\"}")}})
		done <- r.StopReason
	}()
	eventually(t, "it asks",
		func() bool { e.mu.Lock(); defer e.mu.Unlock(); return len(e.asked) > 0 })
	_ = e.conn.Cancel(e.ctx, protocol.CancelNotification{SessionId: e.id})
	if why := <-done; why != protocol.StopReasonCancelled {
		t.Errorf("cancelled during a question, the prompt stopped with %q", why)
	}
}

func (e *editor) setMode(mode string) error {
	_, err := e.conn.SetSessionMode(e.ctx, protocol.SetSessionModeRequest{SessionId: e.id,
		ModeId: protocol.SessionModeId(mode)})
	return err
}

func TestEditorLoadsASession(t *testing.T) {
	t.Parallel()
	e := newEditor(t, nil)
	e.open("--yolo")
	e.prompt(`think hm | say first. | call write {"path": "n.txt", "content": "x"}`,
		"say last words")
	other := e.newSession(t.TempDir())
	if _, err := e.conn.NewSession(e.ctx, protocol.NewSessionRequest{Cwd: e.dir,
		McpServers: []protocol.McpServer{
			{Stdio: &protocol.McpServerStdio{Name: "x", Command: "/no/such/server",
				Args: []string{},
				Env:  []protocol.EnvVariable{}}}}}); err != nil {
		t.Fatal(err)
	}
	e.waitShown("x: cannot connect")
	e.shown()
	if _, err := e.conn.LoadSession(e.ctx, protocol.LoadSessionRequest{SessionId: e.id, Cwd: e.dir,
		McpServers: []protocol.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, e.shown(), "{play\nthink hm", "(hm)", "first.", "Write n.txt completed]",
		"last words")
	if why := e.promptText("what did you say?"); why != protocol.StopReasonEndTurn {
		t.Errorf("the prompt stopped with %s", why)
	}
	list, err := e.conn.ListSessions(e.ctx, protocol.ListSessionsRequest{Cwd: &e.dir})
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].SessionId != e.id {
		t.Errorf("the list is %+v, %v", list, err)
	}
	if _, err := e.conn.CloseSession(e.ctx,
		protocol.CloseSessionRequest{SessionId: other}); err != nil {
		t.Error(err)
	}
	for _, id := range []protocol.SessionId{"", "nope", e.id[:4], "../x"} {
		if _, err := e.conn.LoadSession(e.ctx, protocol.LoadSessionRequest{SessionId: id,
			Cwd: e.dir, McpServers: []protocol.McpServer{}}); err == nil {
			t.Errorf("session %q was loaded", id)
		}
	}
}

// TestEditorHasSeveralSessions checks that two sessions that work at the same time have their own
// folders, questions and permissions.
func TestEditorHasSeveralSessions(t *testing.T) {
	t.Parallel()
	e := newEditor(t, nil)
	e.open()
	first, dir := e.id, t.TempDir()
	if err := e.setMode("yolo"); err != nil {
		t.Fatal(err)
	}
	e.id = e.newSession(dir)
	e.queueAnswers("reject")
	e.prompt(`call bash {"command": "echo two > two.txt"}`, "say end")
	e.id = first
	e.prompt(`call bash {"command": "echo one > one.txt"}`, "say end")
	if _, err := os.Stat(filepath.Join(dir, "two.txt")); err == nil {
		t.Error("a permission of one session applies to another")
	}
	if _, err := os.Stat(filepath.Join(e.dir, "one.txt")); err != nil {
		t.Error(err)
	}
	if n := len(e.questions()); n != 1 {
		t.Errorf("%d questions, want 1", n)
	}
}

func TestEditorSettings(t *testing.T) {
	t.Parallel()
	e := newEditor(t,
		map[string]string{"mode.lua": "-- ==Agent==\n-- @grant agent\n-- ==/Agent==\n" +
			`ext.command{ name = "careful", run = function() ext.agent.set{ permission = "plan" ` +
			`} end }`})
	e.open()
	eventually(t, "the commands are listed",
		func() bool { return slices.Contains(e.commands(), "careful") })
	if names := e.commands(); slices.Contains(names, "new") || !slices.Contains(names, "compact") {
		t.Errorf("the commands are %q", names)
	}
	if err := e.setMode("accept-edits"); err != nil {
		t.Fatal(err)
	}
	e.prompt(`call write {"path": "a", "content": "b"}`, "say end")
	wantTexts(t, e.shown(), "[mode accept-edits]", "completed]")
	e.promptText("/careful")
	wantTexts(t, e.shown(), "[mode plan]")
	if err := e.setMode("defualt"); err == nil || !strings.Contains(err.Error(),
		`did you mean \"default\"`) {
		t.Errorf("a wrong mode: %v", err)
	}
	if _, err := e.conn.UnstableSetSessionModel(e.ctx,
		protocol.UnstableSetSessionModelRequest{SessionId: e.id,
			ModelId: "offline/offline"}); err != nil {
		t.Error(err)
	}
	e.promptText("say who answers?")
	wantTexts(t, e.shown(), "who answers?")
	set := func(id, value string) error {
		_, err := e.conn.SetSessionConfigOption(e.ctx,
			protocol.SetSessionConfigOptionRequest{ValueId: &protocol.SetSessionConfigOptionValueId{
				SessionId: e.id, ConfigId: protocol.SessionConfigId(id),
				Value: protocol.SessionConfigValueId(value)}})
		return err
	}
	for _, ok := range [][2]string{{"thinking", "default"}, {"thinking", "high"},
		{"model", "played/m"}, {"mode", "default"}} {
		if err := set(ok[0], ok[1]); err != nil {
			t.Errorf("%q: %v", ok, err)
		}
	}
	for _, bad := range [][2]string{{"thinking", "default"}, {"thinking", ""}, {"model", "nope/m"},
		{"colour", "red"}} {
		if set(bad[0], bad[1]) == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	e.promptText("/new")
	wantTexts(t, e.shown(), "/new is not available in an editor")
}

// TestEditorHearsScripts checks that an editor shows dialogs, notices, refusals, rewrites and
// masked texts.
func TestEditorHearsScripts(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{
		"ui.lua": `-- ==Agent==
-- @grant ui
-- ==/Agent==
ext.command{ name = "ask", run = function()
  local yes = ext.ui.confirm("sure?", { yes = "Go", no = "Stop" })
  local picked, why = ext.ui.select("which?", { "red", { value = "blue", label = "Sky" } })
  local text, code = ext.ui.input("what?")
  local fixed = ext.ui.input("what?", { headless = "dflt" })
  ext.say("yes=" .. tostring(yes) .. " picked=" .. tostring(picked) .. " input=" .. tostring(code.code or code) .. " fixed=" .. fixed)
  ext.notify("careful now", "warn")
end }
ext.command{ name = "slip", run = function() error("no such luck") end }
ext.on("input", { match = "forbidden" }, function() return { block = true, reason = "a bad word" } end)
ext.on("assistant_message", function(ev) return { text = (ev.text:gsub("cat", "dog")) } end)
ext.redact{ name = "key", patterns = { "sk-[0-9]+" } }`})
	e.open("--yolo")
	e.queueAnswers("yes", "choice-1")
	e.promptText("/ask")
	e.waitShown("careful now")
	wantTexts(t, e.shown(), "Go", "Sky",
		"**[ui.lua]** yes=true picked=blue input=headless fixed=dflt")
	wantTexts(t, strings.Join(e.questions(), "\n"), "[ui.lua] sure?",
		"yes/allow_once/Go, no/reject_once/Stop", "[ui.lua] which?", "choice-1/allow_once/Sky")
	e.shown()
	e.promptText("/slip")
	if shown := e.shown(); strings.Count(shown, "no such luck\n") != 1 ||
		strings.Count(shown, "ui.lua:") != 1 || strings.Contains(shown, "failed:") {
		t.Errorf("the failure of a command is shown as %s", shown)
	}
	if why := e.promptText("forbidden"); why != protocol.StopReasonRefusal {
		t.Errorf("the prompt stopped with %s", why)
	}
	wantTexts(t, e.shown(), "a bad word")
	e.prompt(`say a cat: | hex 736b2d3132 | say 345.`, `say end`)
	shown := e.shown()
	wantTexts(t, shown, "a dog:[redacted:key].")
	if strings.Contains(shown, "345") || strings.Contains(shown, "cat") {
		t.Errorf("the editor shows %s", shown)
	}
	e.save("bad.lua", "ext.on(\n")
	e.waitShown("bad.lua:")
}

// TestEditorNamesServers checks that servers that cannot be started are reported, and that the
// secrets given to a server are shown nowhere.
func TestEditorNamesServers(t *testing.T) {
	t.Parallel()
	e := newEditor(t, nil)
	e.open("--yolo")
	r, err := e.conn.NewSession(e.ctx, protocol.NewSessionRequest{Cwd: e.dir,
		McpServers: []protocol.McpServer{
			{Stdio: &protocol.McpServerStdio{Name: "", Command: "cat"}},
			{Stdio: &protocol.McpServerStdio{Name: "idle", Command: ""}},
			{Http: &protocol.McpServerHttpInline{Name: "web"}},
			{Sse: &protocol.McpServerSseInline{Name: "old", Url: "http://127.0.0.1:1/"}},
			{Stdio: &protocol.McpServerStdio{Name: "ends", Command: "false",
				Env: []protocol.EnvVariable{{Name: "SRV_TOKEN", Value: "hush-hush-4711"}}}},
		}})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"mcpServers[0] : left out", "mcpServers[1] idle: left out",
		"mcpServers[2] web: left out", "mcpServers[3] old: left out: SSE is not supported",
		"ends"} {
		e.waitShown(text)
	}
	e.id = r.SessionId
	e.promptText("say hush-hush-4711!")
	e.waitShown("[redacted:secret]")
	if shown := e.shown(); strings.Contains(shown, "hush-hush-4711!") {
		t.Errorf("the editor shows %s", shown)
	}
}

// waitShown waits until a text is shown. It does not consume the text.
func (e *editor) waitShown(text string) {
	e.t.Helper()
	eventually(e.t, text, func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		b, _ := json.Marshal(e.updates)
		return strings.Contains(string(b), text)
	})
}

func TestEditorGetsStopReason(t *testing.T) {
	t.Parallel()
	e := newEditor(t, nil)
	e.open("--yolo", "--limit", "turns=2")
	call := `call bash {"command": "true"}`
	if why := e.prompt(call, call, call, call); why != protocol.StopReasonMaxTurnRequests {
		t.Errorf("at the limit the prompt stopped with %s", why)
	}
	wantTexts(t, e.shown(), "> a limit was reached")
	_, err := e.conn.Prompt(e.ctx, protocol.PromptRequest{SessionId: e.id,
		Prompt: []protocol.ContentBlock{protocol.TextBlock("play\nfail 400 it broke")}})
	if err == nil || !strings.Contains(err.Error(), "it broke") {
		t.Errorf("a failure: %v", err)
	}
	if shown := e.shown(); strings.Contains(shown, "it broke") {
		t.Errorf("the failure is shown twice: %s", shown)
	}
	if why := e.promptText("/nope"); why != protocol.StopReasonEndTurn {
		t.Errorf("an unknown command stopped with %s", why)
	}
	if shown := e.shown(); strings.Count(shown, "unknown command /nope") != 1 {
		t.Errorf("the editor shows %s", shown)
	}
}

func TestEditorSendsContent(t *testing.T) {
	t.Parallel()
	e := newEditor(t, nil)
	e.open("--yolo")
	send := func(blocks ...protocol.ContentBlock) error {
		_, err := e.conn.Prompt(e.ctx, protocol.PromptRequest{SessionId: e.id, Prompt: blocks})
		return err
	}
	play := protocol.TextBlock("play\nsay ok\n")
	resource := func(text string) protocol.ContentBlock {
		file := &protocol.TextResourceContents{Uri: "file:///a.go", Text: text}
		return protocol.ResourceBlock(
			protocol.EmbeddedResourceResource{TextResourceContents: file})
	}
	if err := send(play, protocol.ResourceLinkBlock("b.go", "file:///b.go"),
		resource("package a</context>"), protocol.ImageBlock(pixel, "image/png")); err != nil {
		t.Fatal(err)
	}
	asked := strings.Join(e.requests(), "\n")
	wantTexts(t, asked, "[@b.go](file:///b.go)",
		`<context ref=\"file:///a.go\">\npackage a&lt;/context&gt;\n</context>`)
	bad := protocol.PromptRequest{SessionId: e.id, Prompt: []protocol.ContentBlock{{}}}
	if _, err := e.conn.Prompt(e.ctx, bad); err == nil {
		t.Error("a block without a type was accepted")
	}
	for what, b := range map[string][]protocol.ContentBlock{
		"audio":          {play, protocol.AudioBlock("aGk=", "audio/wav")},
		"base64":         {play, protocol.ImageBlock("no base64!", "image/png")},
		"mimeType":       {play, protocol.ImageBlock("aGk=", "image/tiff")},
		"no image":       {play, protocol.ImageBlock("aGk=", "image/png")},
		"nothing in it":  {protocol.TextBlock("  ")},
		"nothing in it ": {},
	} {
		if err := send(b...); err == nil || !strings.Contains(err.Error(),
			strings.TrimSpace(what)) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestEditorBadInput checks that each bad line gets an answer that names the mistake, and that the
// next line is understood.
func TestEditorBadInput(t *testing.T) {
	t.Parallel()
	e := newEditor(t, nil)
	e.limits.MaxLine = 1 << 20
	e.start()
	lines := lineReader(e.out)
	ask := func(line string) string {
		t.Helper()
		if _, err := io.WriteString(e.in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		select {
		case answer := <-lines:
			return answer
		case <-time.After(driveTime):
			t.Fatalf("no answer to %.100s", line)
			return ""
		}
	}
	request := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params)
	}
	file := filepath.Join(e.dir, "file")
	e.write(file, "")
	for _, test := range []struct{ line, want string }{
		{"hello", "parse error"},
		{"\xff\xfe", "not UTF-8"},
		{`[]`, "batches are not supported"},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, "no request was sent to the client"},
		{request("session/new", `{"cwd":"/","mcpServers":[]}`), "send initialize first"},
		{request("initialize", `{"protocolVersion":"x"}`), "initialize: params: "},
		{request("initialize", `{"protocolVersion":99}`), `"protocolVersion":1`},
		{request("initialize", `{"protocolVersion":1}`), "it was sent already"},
		{request("session/promt", `{}`),
			`unknown method \"session/promt\"; did you mean \"session/prompt\"?`},
		{request("session/new", `{}`), "cwd is required"},
		{request("session/new", `{"cwd":"/"}`), "mcpServers"},
		{request("session/new", `{"cwd":"here","mcpServers":[]}`), `want an absolute path`},
		{request("session/new", `{"cwd":"/nowhere/at/all","mcpServers":[]}`),
			`cwd: there is no folder \"/nowhere/at/all\"`},
		{request("session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, file)), `is no folder`},
		{request("session/prompt", `{"sessionId":"x","prompt":[{"type":"text","text":"hi"}]}`),
			`no session \"x\" is open`},
		{request("session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, file+"/in")),
			`in: not a directory"`},
		{request("session/new",
			`{"cwd":"/","mcpServers":[{"name":"a","command":"b","args":[],"env":[]},`+
				`{"name":5,"command":"b","args":[],"env":[]}]}`), `params: mcpServers[1]: got ` +
			`{\"name\":5`},
		{request("session/prompt", `[]`), "want an object"},
		{request("session/prompt",
			`{"sessionId":"x","prompt":[{"type":"text","text":"hi"},{"type":"text","text":5}]}`),
			`params: prompt[1]: got {\"type\":\"text\",\"text\":5}, want a block`},
		{request("session/prompt", `{"sessionId":"x","prompt":["hi"]}`),
			`params: prompt[0]: got \"hi\", want a block`},
		{request("session/set_config_option", `{"sessionId":"x","configId":"mode","value":5}`),
			`params: value: got 5, want the id`},
		{request("session/load", `{"sessionId":"x","cwd":"/","mcpServers":[]}`), "error"},
		{request("session/set_mode", `{"sessionId":"x","modeId":"plan"}`),
			`no session \"x\" is open`},
		{request("session/close", `{"sessionId":"x"}`), `no session \"x\" is open`},
		{request("authenticate", `{"methodId":"x"}`), `there is no method`},
		{request("session/prompt", `{"sessionId":"`+strings.Repeat("x", 2<<20)+`"}`),
			"longer than 1 MB"},
		{request("session/list", `{}`), `"sessions":[]`},
	} {
		if got := ask(test.line); !strings.Contains(got, test.want) {
			t.Errorf("%.100s: got %s, want %s", test.line, got, test.want)
		}
	}
	io.WriteString(e.in, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{}}`+"\n"+
		`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"x"}}`+"\n")
	e.in.Close()
	if code := <-e.code; code != exitOK {
		t.Errorf("exit code %d, %s", code, e.err.String())
	}
}

// lineReader returns a channel of the lines of r. The channel is closed at the end of r.
func lineReader(r io.Reader) <-chan string {
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		dec := json.NewDecoder(r)
		for {
			var m json.RawMessage
			if err := dec.Decode(&m); err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
					lines <- "not protocol: " + err.Error()
				}
				return
			}
			lines <- string(m)
		}
	}()
	return lines
}

// TestEditorAnswersForAlways checks that a question that a rule could answer from then on names the
// rule, and that only the answer "always" stores it.
func TestEditorAnswersForAlways(t *testing.T) {
	t.Parallel()
	e := newEditor(t, nil)
	fronts := make(chan remote.User, 1)
	e.opened = func(fr remote.User) { fronts <- fr }
	e.open()
	fr := <-fronts
	ask := func(always, answer string) engine.Answer {
		t.Helper()
		e.queueAnswers(answer)
		a, err := fr.Approver.Approve(e.ctx,
			&engine.Question{Call: &engine.Call{ID: "c", Tool: "bash",
				Args: map[string]any{"command": "git status"}}, Kind: "execute",
				Asks: []engine.Ask{{Text: "may it?"}}, Always: always})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	const rule = "bash(git status *)"
	for _, test := range []struct {
		rule, answer string
		want         engine.Answer
	}{
		{rule, "once", engine.Answer{Allow: true}},
		{rule, "always", engine.Answer{Allow: true, Always: true}},
		{rule, "reject", engine.Answer{}},
		{"", "session", engine.Answer{Allow: true, Session: true}},
	} {
		if got := ask(test.rule, test.answer); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", test.answer, got, test.want)
		}
	}
	asked := e.questions()
	wantTexts(t, asked[0], "once/allow_once/Allow once, always/allow_always/Always allow "+rule+
		", reject/reject_once/Reject")
	for rule, answer := range map[string]string{"": "always", rule: "session"} {
		if a := ask(rule, answer); a.Allow || a.Always || a.Session || a.Reason == "" {
			t.Errorf("got an answer that was not offered: %+v", a)
		}
	}
	for _, q := range append(asked, e.questions()...) { // clients distinguish options by kind
		if strings.Count(q, "/allow_always/") != 1 {
			t.Errorf("no option lasts longer than this call: %s", q)
		}
	}
}

// TestEditorStoresRules checks that the answer "always" applies to the next call, and to the next
// run of the program.
func TestEditorStoresRules(t *testing.T) {
	t.Parallel()
	e := newEditor(t, nil)
	const unconfined = "--no-sandbox" // in one, git status needs no approval
	e.open(unconfined)
	e.queueAnswers("always")
	e.prompt(`call bash {"command": "git status"}`, `call bash {"command": "git status"}`,
		"say end")
	wantTexts(t, e.shown(), "in_progress]", "in_progress]", "end")
	q := e.questions()
	if len(q) != 1 {
		t.Fatalf("%d questions, want 1: %q", len(q), q)
	}
	wantTexts(t, q[0], "always/allow_always/Always allow bash(git status")
	stored, err := os.ReadFile(filepath.Join(e.home, "permissions.json"))
	if err != nil || !strings.Contains(string(stored), "bash(git status") {
		t.Errorf("the rule was not stored: %q, %v", stored, err)
	}
	e.in.Close()
	<-e.code
	e.open(unconfined)
	e.prompt(`call bash {"command": "git status"}`, "say end")
	wantTexts(t, e.shown(), "in_progress]", "end")
	if q := e.questions(); len(q) > 0 {
		t.Errorf("asked again: %q", q)
	}
	e.queueAnswers("reject")
	e.prompt(`call bash {"command": "wget http://127.0.0.1:1/x"}`, "say end")
	wantTexts(t, e.questions()[0], "**Risk**: uses the network: wget")
}
