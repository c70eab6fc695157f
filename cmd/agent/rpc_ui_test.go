// This file tests the dialogs of agent rpc, and that rpc masks secrets everywhere.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// asking are guards that ask, and show the arguments that they got.
var asking = map[string]string{
	"lua": `ext.guard({ tool = "bash" }, function(ev) ext.log.info("saw " .. ev.args.command) ` +
		`return { ask = "sure?", reason = "it runs", detail = { why = "because" } } end)`,
	"js": `ext.guard({ tool: "bash" }, (ev) => { ext.log.info("saw " + ev.args.command); return ` +
		`{ ask: "sure?", reason: "it runs", detail: { why: "because" } }; });`,
}

func inBoth(t *testing.T, f func(t *testing.T, lang string)) {
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) { f(t, lang) })
	}
}

// respond answers a dialog.
func (c *client) respond(dialog message, answer map[string]any) {
	c.t.Helper()
	answer["id"] = dialog["id"]
	c.call("ui.respond", answer)
}

// slowRedactors take long for each text, and mask nothing. All texts of an event, about 30, still
// take far less than a redactor's time limit, even with the race detector on a busy machine.
var slowRedactors = map[string]string{
	"lua": `ext.redact{ name = "slow", find = function()
  for i = 1, 1000 do local s = tostring(i) end
  return {}
end }`,
	"js": `ext.redact({ name: "slow", find: () => {
  for (let i = 0; i < 1000; i++) String(i);
  return [];
} });`,
}

// TestRPCQuestionsFollowTheirEvents checks that a question is sent after its events, even if
// redactors delay the events.
func TestRPCQuestionsFollowTheirEvents(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		c := newClient(t, map[string]string{"g." + lang: asking[lang],
			"slow." + lang: slowRedactors[lang]})
		c.openSession(true)
		c.prompt(touch)
		q := c.waitDialog("approve")
		if m, _ := c.find(0, func(m message) bool {
			e, _ := m["params"].(map[string]any)
			return m["method"] == "event" && e["event"] == "tool_permission"
		}); m == nil {
			t.Errorf("the question came before its event; messages:\n%s", c.output())
		}
		c.respond(q, map[string]any{"decision": "reject"})
	})
}

const touch = "play\ncall bash {\"command\":\"touch made\"}\nseen refused by the user: not now"

func TestRPCApproval(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		c := newClient(t, map[string]string{"g." + lang: asking[lang]})
		c.openSession(true)
		made := func() bool {
			_, err := os.Stat(filepath.Join(c.dir, "made"))
			os.Remove(filepath.Join(c.dir, "made"))
			return err == nil
		}
		// once
		id := c.prompt(touch)
		q := c.waitDialog("approve")
		asks, _ := q["asks"].([]any)
		if q.text("tool") != "bash" || q.text("tool_kind") != "execute" ||
			fmt.Sprint(q["args"]) != "map[command:touch made]" ||
			fmt.Sprint(q["options"]) != "[once session reject]" || len(asks) != 2 {
			t.Errorf("asked %v", q)
		}
		if a := fmt.Sprint(
			asks[0]); a != "map[detail:map[why:because] line:1 reason:it runs script:g."+lang+
			" text:sure?]" {
			t.Errorf("asked %s", a)
		}
		if open := fmt.Sprint(c.call("state", nil)["dialogs"]); open != fmt.Sprintf("[%v]",
			q["id"]) {
			t.Errorf("open dialogs: %s", open)
		}
		for answer, text := range map[string]string{
			`"decision":"onse"`:                  `decision: got "onse", want one of`,
			`"decision":"always"`:                "want one of once, session, reject",
			`"value":true`:                       "it does not belong to an answer of kind approve",
			`"decision":"once","reason":"x"`:     "reason: it goes with reject",
			`"decision":"reject","args":{}`:      "args: they do not run",
			`"decision":"once","cancelled":true`: "decision: there is no answer if it is cancelled",
			`"decision":7`:                       "decision: got number"} {
			c.ids++
			c.line(fmt.Sprintf(
				`{"jsonrpc":"2.0","id":%d,"method":"ui.respond","params":{"id":%q,%s}}`, c.ids,
				q["id"], answer))
			if m := c.waitAnswer(float64(c.ids)); !strings.Contains(fmt.Sprint(m["error"]), text) {
				t.Errorf("%s: %v, want %s", answer, m, text)
			}
		}
		c.respond(q, map[string]any{"decision": "once"})
		if c.waitEnd(id); !made() {
			t.Error("the call that was allowed once did not run")
		}
		// rejected, with a reason for the model
		id = c.prompt(touch)
		c.respond(c.waitDialog("approve"),
			map[string]any{"decision": "reject", "reason": "not now"})
		if end := c.waitEnd(id); end.text("response") != "seen" || end["refused"] != 1.0 || made() {
			t.Errorf("the rejected prompt ended as %v", end)
		}
		// edited arguments: the guard gets them, but does not ask again
		id = c.prompt(touch)
		c.respond(c.waitDialog("approve"), map[string]any{"decision": "once",
			"args": map[string]any{"command": "touch other"}})
		c.waitEnd(id)
		if _, err := os.Stat(filepath.Join(c.dir, "other")); err != nil || made() {
			t.Error("the edited call did not run")
		}
		if log := c.logged("g." + lang); log[len(log)-1] != "saw touch other" {
			t.Errorf("the guard logged %v", log)
		}
		// cancelled
		id = c.prompt(touch)
		c.respond(c.waitDialog("approve"), map[string]any{"cancelled": true})
		if c.waitEnd(id); made() {
			t.Error("the cancelled call ran")
		}
		// for the session: asked once
		id = c.prompt("play\ncall bash {\"command\":\"touch made\"}\ncall bash " +
			"{\"command\":\"touch made\"}")
		c.respond(c.waitDialog("approve"), map[string]any{"decision": "session"})
		if c.waitEnd(id); !made() {
			t.Error("the call that was allowed for the session did not run")
		}
		if m, at := c.find(c.seen,
			func(m message) bool { return m.text("method") == "ui.request" }); at >= 0 {
			t.Errorf("asked again: %v", m)
		}
		c.endSession()
	})
}

// TestRPCAlways stores the rule that the dialog shows: the next such call runs without a question.
func TestRPCAlways(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	c.openSession(true)
	id := c.prompt("play\ncall write {\"path\":\"a.txt\",\"content\":\"x\"}\ncall write " +
		"{\"path\":\"b.txt\",\"content\":\"x\"}")
	q := c.waitDialog("approve")
	if fmt.Sprint(q["options"]) != "[once session always reject]" || q.text("always") == "" {
		t.Errorf("asked %v", q)
	}
	for rule, want := range map[string]string{"write(": "rule: ", "bash(ls)": "rule: ",
		"write(./*.md)": "rule: "} {
		if text, _, _ := c.refused("ui.respond", map[string]any{"id": q["id"], "rule": rule,
			"decision": "always"}); !strings.HasPrefix(text, "ui.respond: "+want) {
			t.Errorf("%s: %s", rule, text)
		}
	}
	if text, _, _ := c.refused("ui.respond", map[string]any{"id": q["id"], "rule": "write(./*.txt)",
		"decision": "once"}); text != "ui.respond: rule: it goes with always" {
		t.Error(text)
	}
	c.respond(q, map[string]any{"decision": "always", "rule": "write(./*.txt)"})
	c.waitEnd(id)
	if _, err := os.Stat(filepath.Join(c.dir, "b.txt")); err != nil {
		t.Errorf("the second call did not run: %v", err)
	}
	for _, source := range []string{"user_always", "rule_allow"} {
		if ev := c.waitEvent("tool_approval"); ev.text("source") != source {
			t.Errorf("allowed by %v, want %s", ev, source)
		}
	}
	c.endSession()
}

// TestRPCPreview checks that the question about overwriting a file shows the change before it is
// made.
func TestRPCPreview(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	c.openSession(true)
	if err := os.WriteFile(filepath.Join(c.dir, "a.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ call, want string }{
		{`write {"path":"a.txt","content":"one\nthree\n"}`,
			"map[exists:true kind:diff lang:txt note:replaces a file of 2 lines path:" +
				filepath.Join(c.dir, "a.txt") +
				" text:@@ -1,2 +1,2 @@\n one\n-two\n+three title:a.txt]"},
		{`write {"path":"b.go","content":"x\n"}`,
			"map[exists:false kind:code lang:go note:new file, 1 line path:" + filepath.Join(c.dir,
				"b.go") + " text:x\n title:b.go]"},
		{`edit {"path":"a.txt","edits":[{"old":"zzz","new":"y"}]}`,
			"map[fails:edit a.txt: edit 1 of 1: old was not found; no line is like it: read the " +
				"file again; nothing was changed]"},
		{`bash {"command":"make"}`, "<nil>"},
	} {
		id := c.prompt("play\ncall " + tt.call)
		q := c.waitDialog("approve")
		if got := fmt.Sprint(q["preview"]); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.call, got, tt.want)
		}
		c.respond(q, map[string]any{"decision": "reject"})
		c.waitEnd(id)
	}
	c.endSession()
}

// TestRPCRisks checks that the question says what is risky about the call.
func TestRPCRisks(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	c.openSession(true)
	id := c.prompt("play\n" + `call bash {"command":"wget http://127.0.0.1:1/x"}`)
	q := c.waitDialog("approve")
	if got := fmt.Sprint(q["risks"]); got != "[uses the network: wget]" {
		t.Errorf("got %s", got)
	}
	c.respond(q, map[string]any{"decision": "reject"})
	c.waitEnd(id)
	c.endSession()
}

// TestRPCRewrites checks that the question, the events and the history name the script that rewrote
// a call, and hold the original.
func TestRPCRewrites(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		c := newClient(t, map[string]string{"change." + lang: changing[lang]})
		c.openSession(true)
		id := c.prompt("play\ncall bash {\"command\":\"npm test\"}")
		q := c.waitDialog("approve")
		want := "map[args:map[command:npm test] by:[map[changed:[args] line:2 script:change." +
			lang + "]]]"
		if got := fmt.Sprint(q["rewritten"]); got != want {
			t.Errorf("question: got %s, want %s", got, want)
		}
		c.respond(q, map[string]any{"decision": "once"})
		if got := fmt.Sprint(c.waitEvent("tool_start")["rewritten"]); got != want {
			t.Errorf("tool_start: got %s, want %s", got, want)
		}
		result := c.waitEvent("tool_result")
		if got, want := fmt.Sprint(result["result_rewritten"]),
			"map[by:[map[changed:[content] line:3 script:change."+lang+
				"]] content:pnpm test\n]"; got != want {
			t.Errorf("tool_result: got %q, want %q", got, want)
		}
		c.waitEnd(id)
		for _, m := range c.call("messages", nil)["messages"].([]any) {
			m := message(m.(map[string]any))
			if m.text("kind") != "tool" {
				continue
			}
			if got := fmt.Sprint(m["rewritten"]); got != want {
				t.Errorf("messages: got %s, want %s", got, want)
			}
			if got, want := fmt.Sprint(m["result_rewritten"]),
				"map[by:[map[changed:[content] line:3 script:change."+lang+"]]]"; got != want {
				t.Errorf("messages: got %s, want %s", got, want)
			}
		}
		c.endSession()
	})
}

// TestRPCRewrittenAnswer checks that the script that changed the model's answer, or how it is
// displayed, is named in the events and in the history.
func TestRPCRewrittenAnswer(t *testing.T) {
	t.Parallel()
	for event, script := range map[string]map[string]string{
		"assistant_message": {
			"lua": `ext.on("assistant_message", function(ev) return { text = ` +
				`ev.text:gsub("secret", "hidden") .. "" } end)`,
			"js": `ext.on("assistant_message", (ev) => ({ text: ev.text.replace("secret", ` +
				`"hidden") }));`},
		"llm_response": {
			"lua": `ext.on("llm_response", function(ev) return { text = ev.text:gsub("secret", ` +
				`"hidden") .. "" } end)`,
			"js": `ext.on("llm_response", (ev) => ({ text: ` +
				`ev.text.replace("secret", "hidden") }));`},
	} {
		t.Run(event, func(t *testing.T) {
			inBoth(t, func(t *testing.T, lang string) {
				c := newClient(t, map[string]string{"hide." + lang: script[lang]})
				c.openSession(true)
				for said, want := range map[string]string{
					"a secret word": "map[by:[map[changed:[text] line:1 script:hide." + lang +
						"]]]",
					"a word": "<nil>",
				} {
					id := c.prompt("play\nsay " + said)
					end := c.waitEvent("message_end")
					if got := fmt.Sprint(end["rewritten"]); got != want ||
						strings.Contains(end.text("text"), "secret") {
						t.Errorf("%s: got %v, want %s", said, end, want)
					}
					c.waitEnd(id)
					list := c.call("messages", nil)["messages"].([]any)
					last := list[len(list)-1].(map[string]any)
					if got := fmt.Sprint(last["rewritten"]); got != want {
						t.Errorf("%s: messages has %s, want %s", said, got, want)
					}
				}
				c.endSession()
			})
		})
	}
}

// TestRPCDialogIsCancelled checks that a dialog is cancelled when its prompt ends.
func TestRPCDialogIsCancelled(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		c := newClient(t, map[string]string{"g." + lang: asking[lang]})
		c.openSession(true)
		id := c.prompt(touch)
		q := c.waitDialog("approve")
		c.call("abort", nil)
		m := c.wait("ui.cancel", func(m message) bool { return m.text("method") == "ui.cancel" })
		if m.params()["id"] != q["id"] || m.params().text("reason") != "cancelled" {
			t.Errorf("cancelled %v", m)
		}
		if end := c.waitEnd(id); end.text("status") != "cancelled" {
			t.Errorf("the prompt ended as %v", end)
		}
		if text, code, _ := c.refused("ui.respond",
			map[string]any{"id": q["id"], "decision": "once"}); code != -32000 ||
			!strings.Contains(text, "needs no answer any more") {
			t.Errorf("%v %s", code, text)
		}
		c.endSession()
	})
}

// TestRPCEndOfInputEndsDialogs checks that open questions are refused when the client closes its
// output.
func TestRPCEndOfInputEndsDialogs(t *testing.T) {
	t.Parallel()
	c := newClient(t, map[string]string{"g.lua": asking["lua"]})
	c.openSession(true)
	id := c.prompt(touch)
	c.waitDialog("approve")
	c.call("shutdown", map[string]any{"when": "idle"})
	c.in.Close()
	c.waitExit(exitOK)
	c.waitEnd(id)
	if _, err := os.Stat(filepath.Join(c.dir, "made")); err == nil {
		t.Error("it ran")
	}
}

func TestRPCHeadless(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		c := newClient(t, map[string]string{"g." + lang: asking[lang]})
		c.openSession(false)
		if end := c.runPrompt(
			"play\ncall bash {\"command\":\"touch made\"}\nseen no one can approve this"); end.text(
			"response") != "seen" || end["refused"] != 1.0 {
			t.Errorf("the prompt ended as %v", end)
		}
		c.endSession()
		if strings.Contains(c.output(), "ui.request") {
			t.Error("the client got a dialog")
		}
	})
}

// dialogScripts is a command that opens dialogs of every kind, two at a time, and shows the
// answers.
var dialogScripts = map[string]string{
	"lua": `-- ==Agent==
-- @grant ui
-- ==/Agent==
ext.command{ name = "talk", run = function()
  local function note(v, e) if v == nil then return e.code end return tostring(v) end
  local answers = {}
  answers[1] = note(ext.ui.confirm("sure?", { detail = "really", yes = "Do", no = "Leave" }))
  answers[2] = note(ext.ui.select("which?", { "a", { label = "Bee", value = "b", description = "the second" } }))
  answers[3] = note(ext.ui.input("name?", { default = "me", secret = true }))
  answers[4] = note(ext.ui.select("none?", { "a" }))
  answers[5] = note(ext.ui.confirm("late?", { timeout = 0.05, default = true }))
  return { display = table.concat(answers, " ") }
end }`,
	"js": `// ==Agent==
// @grant ui
// ==/Agent==
ext.command({ name: "talk", run: async () => {
  const note = async (p) => { try { return String(await p); } catch (e) { return e.code; } };
  const answers = [];
  answers.push(await note(ext.ui.confirm("sure?", { detail: "really", yes: "Do", no: "Leave" })));
  answers.push(await note(ext.ui.select("which?", ["a", { label: "Bee", value: "b", description: "the second" }])));
  answers.push(await note(ext.ui.input("name?", { default: "me", secret: true })));
  answers.push(await note(ext.ui.select("none?", ["a"])));
  answers.push(await note(ext.ui.confirm("late?", { timeout: 0.05, default: true })));
  return { display: answers.join(" ") };
} });`,
}

func TestRPCDialogsOfScripts(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		c := newClient(t, map[string]string{"d." + lang: dialogScripts[lang]})
		c.openSession(true)
		id := c.prompt("/talk")
		q := c.waitDialog("confirm")
		if got := fmt.Sprint(map[string]any(q)); got != fmt.Sprintf(
			"map[default:false detail:really id:%v kind:confirm no:Leave script:d.%s title:sure? "+
				"yes:Do]", q["id"], lang) {
			t.Errorf("asked %s", got)
		}
		if text, _, _ := c.refused("ui.respond", map[string]any{"id": q["id"],
			"value": "yes"}); !strings.Contains(text, `value: got "yes", want true or false`) {
			t.Error(text)
		}
		c.respond(q, map[string]any{"value": true})
		q = c.waitDialog("select")
		if got := fmt.Sprint(
			q["choices"]); got != "[map[label:a value:a] map[description:the second label:Bee "+
			"value:b]]" {
			t.Errorf("asked %s", got)
		}
		if text, _, _ := c.refused("ui.respond", map[string]any{"id": q["id"],
			"value": "c"}); !strings.Contains(text, `value: got "c", want the value of a choice`) {
			t.Error(text)
		}
		c.respond(q, map[string]any{"value": "b"})
		q = c.waitDialog("input")
		if q.text("text") != "me" || q["secret"] != true {
			t.Errorf("asked %v", q)
		}
		if text, _, _ := c.refused("ui.respond",
			map[string]any{"id": q["id"]}); !strings.Contains(text,
			"value: got nothing, want text") {
			t.Error(text)
		}
		c.respond(q, map[string]any{"value": "you"})
		c.respond(c.waitDialog("select"), map[string]any{"cancelled": true})
		q = c.waitDialog("confirm")
		m := c.wait("ui.cancel", func(m message) bool { return m.text("method") == "ui.cancel" })
		if m.params().text("reason") != "timeout" || m.params()["id"] != q["id"] {
			t.Errorf("cancelled %v", m)
		}
		c.waitEnd(id)
		m, _ = c.await("the answers", 0, func(m message) bool { return m.event() == "say" })
		if got := m.params().text("markdown"); got != "true b you cancelled true" {
			t.Errorf("the script got %q", got)
		}
		c.endSession()
	})
}

// TestRPCSeveralDialogs answers two open dialogs, the second one first.
func TestRPCSeveralDialogs(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		c := newClient(t, map[string]string{"d." + lang: dialogScripts[lang]})
		c.openSession(true)
		first := c.prompt("/talk")
		a := c.waitDialog("confirm")
		second := c.prompt("/talk")
		b := c.waitDialog("confirm")
		if len(c.call("state", nil)["dialogs"].([]any)) != 2 {
			t.Error("two dialogs are open")
		}
		c.respond(b, map[string]any{"value": true})
		c.respond(a, map[string]any{"value": true})
		c.waitDialog("select")
		c.waitDialog("select")
		c.call("abort", nil)
		c.waitEnd(first)
		c.waitEnd(second)
		c.endSession()
	})
}

// TestRPCDialogAtStart checks that a script's question before the session begins can be answered.
func TestRPCDialogAtStart(t *testing.T) {
	t.Parallel()
	c := newClient(t, map[string]string{"s.lua": "-- ==Agent==\n-- @grant ui\n-- ==/Agent==\n" +
		`ext.on("session_start", function() return { context = ext.ui.confirm("ready?") and ` +
		`"they are ready" or "no" } end)`})
	c.open("-e", played, "--model", "played/m")
	hello := c.send("initialize", map[string]any{"protocol": 1,
		"client": map[string]any{"name": "x"}, "capabilities": map[string]any{"ui": true}})
	prompt := c.send("prompt", map[string]any{"text": "play\nseen they are ready"})
	c.respond(c.waitDialog("confirm"), map[string]any{"value": true})
	c.waitAnswer(hello)
	result := message(c.waitAnswer(prompt)["result"].(map[string]any))
	if end := c.waitEnd(result.text("id")); end.text("response") != "seen" {
		t.Errorf("the prompt ended as %v", end)
	}
	c.endSession()
}

// secret is the text that redactors mask. The test gives the model its bytes, so that the model can
// say it although the prompt is masked.
const (
	secret    = "sk-0123456789abcdefghij"
	secretHex = "736b2d303132333435363738396162636465666768696a"
)

// redactors are redactors of both kinds.
var redactors = map[string]map[string]string{
	"lua": {
		"pattern": `ext.redact{ name = "key", patterns = { [[\bsk-[a-z0-9]{16,}]] } }`,
		"find": `ext.redact{ name = "key", find = function(text) local out = {} for found in ` +
			`text:gmatch("sk%-[a-z0-9]+") do out[#out + 1] = found end return out end }`,
	},
	"js": {
		"pattern": `ext.redact({ name: "key", patterns: [String.raw` + "`\\bsk-[a-z0-9]{16,}`" +
			`] });`,
		"find": `ext.redact({ name: "key", find: (text) => text.match(/sk-[a-z0-9]+/g) ?? [] });`,
	},
}

// leaking is a prompt with which the model says a secret, a tool prints it, a guard asks about it,
// a script shows it, and the session stores it.
const leaking = "play\nthink about " + secret + " | hex " + secretHex +
	" | call bash {\"command\":\"echo \\u0073k-0123456789abcdefghij\"}\nhex " + secretHex

// TestSecretsAreMaskedInStreams looks for a secret in the whole output of rpc and of --json.
func TestSecretsAreMaskedInStreams(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		for kind, script := range redactors[lang] {
			t.Run(kind, func(t *testing.T) {
				files := map[string]string{"r." + lang: script, "g." + lang: asking[lang],
					"n.lua": `ext.on("tool_end", function() ext.notify("` + secret +
						`") ext.say("` + secret + `") end)`}
				c := newClient(t, files)
				c.openSession(true)
				id := c.prompt(leaking)
				q := c.waitDialog("approve")
				if got := fmt.Sprint(q["args"]); got != "map[command:echo [redacted:key]]" {
					t.Errorf("the dialog shows %s", got)
				}
				masked := map[string]any{"command": "echo [redacted:key] > made"}
				if text, _, _ := c.refused("ui.respond",
					map[string]any{"id": q["id"], "decision": "once",
						"args": masked}); !strings.Contains(text,
					"args.command: masked text in it was moved or changed") {
					t.Error(text)
				}
				c.respond(q, map[string]any{"decision": "once",
					"args": map[string]any{"command": "echo [redacted:key]", "timeout": 5}})
				if end := c.waitEnd(id); end.text("response") != "[redacted:key]" {
					t.Errorf("the prompt ended as %v", end)
				}
				// the log is masked, but the arguments of the call were not
				if log := c.logged("g." + lang); len(log) == 0 ||
					log[len(log)-1] != "saw echo [redacted:key]" {
					t.Errorf("the guard logged %v", log)
				}
				c.call("messages", nil)
				c.call("state", nil)
				c.call("sessions.list", nil)
				c.call("sessions.export", map[string]any{"format": "json"})
				c.call("sessions.name", map[string]any{"name": secret})
				c.refused("model.set", map[string]any{"model": secret})
				c.endSession()
				if text := c.output(); strings.Contains(text, secret) {
					t.Errorf("rpc sends the secret:\n%.3000s",
						text[strings.Index(text, secret)-2000:])
				}
				if !strings.Contains(c.output(), `"chunk":"[redacted:key]\n"`) {
					t.Error("the tool's output was not sent")
				}
				d := newDrive(t, files)
				d.open()
				d.input(leaking)
				d.close()
				if text := d.lines.String(); strings.Contains(text, secret) ||
					!strings.Contains(text, "[redacted:key]") {
					t.Errorf("--json prints the secret:\n%.3000s", text)
				}
			})
		}
	})
}
