// This file lists a scenario for each key that a handler may return, which shows the key's effect.

package main

type m = map[string]any

var effects = join(sessionEffects, inputEffects, turnEffects, messageEffects, toolEffects,
	otherEffects)

func join(tables ...map[string]scenario) map[string]scenario {
	all := map[string]scenario{}
	for _, t := range tables {
		for k, s := range t {
			all[k] = s
		}
	}
	return all
}

var sessionEffects = map[string]scenario{
	"session_start.context": {returns: m{"context": "the sky is green"},
		does: []any{"hello", "hello again"},
		sees: []string{"model1: the sky is green", "model2: the sky is green",
			"file: the sky is green", "resumed: the sky is green"}},
	"session_before_switch.block": {returns: m{"block": true, "reason": "not finished"},
		does: []any{"first words", "/clear", "third words"},
		sees: []string{"user: not finished", "model2: first words",
			`-json: "event":"session_end".*"cause":"clear"`}},
	"session_before_fork.block": {extra: forks, grant: "session",
		returns: m{"block": true, "reason": "no way back"},
		does:    []any{"first words", "second words", "/back", "third words"},
		sees: []string{"user: no way back", "model3: first words.*second words.*third words",
			"resumed: first words.*second words.*third words"}},
	"session_before_compact.block": {returns: m{"block": true, "reason": "I need it all"},
		does: []any{"first words", "second words", "/compact", "third words"},
		sees: []string{"user: I need it all", "model3: first words.*second words.*third words",
			`-json: "event":"session_compact"`, `-model: "purpose":"compact"`}},
	"session_before_compact.summary": {returns: m{"summary": "they said words"},
		does: []any{"first words", "second words", "/compact", "third words"},
		sees: []string{"model3: they said words.*third words", "-model3: first words",
			`-model: "purpose":"compact"`, "resumed: they said words", "file: first words",
			`json: "event":"session_compact".*they said words`}},
	"session_before_compact.instructions": {returns: m{"instructions": "keep all numbers"},
		does: []any{"first words", "second words", "/compact", "third words"},
		sees: []string{"model3: keep all numbers", "model4: a summary.*third words",
			"-model4: first words", "-model4: keep all numbers"}},
	"session_before_compact.keep_from": {body: body{lua: `return { keep_from = ev.messages[3].id }`,
		js: `return { keep_from: ev.messages[2].id };`},
		does: []any{"first words", "second words", "third words", "fourth words", "/compact",
			"fifth words"},
		sees: []string{"model6: a summary.*second words.*third words.*fifth words",
			"-model6: first words", "resumed: a summary.*second words.*fifth words",
			"-resumed: \"first words"}},
}

// pixel is a picture of one pixel, as PNG.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADE" +
	"lEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"

var inputEffects = map[string]scenario{
	"input.text": {returns: m{"text": "good bye"}, does: []any{"hello"},
		sees: []string{"model1: good bye", "-model1: hello", "user: heard: good bye",
			"file: good bye", "resumed: good bye"}},
	"input.images": {returns: m{"images": []any{m{"type": "image", "mime_type": "image/png",
		"data": pixel}}}, does: []any{"hello"},
		sees: []string{"model1: " + pixel, "file: " + pixel, "resumed: " + pixel}},
	"input.handled": {returns: m{"handled": true}, does: []any{"hello"},
		sees: []string{"-model: .", "-file: hello", "status: handled"}},
	"input.block": {returns: m{"block": true, "reason": "not today"}, does: []any{"hello"},
		sees: []string{"-model: .", "user: not today", "status: blocked", "-file: hello"}},
	"input.context": {returns: m{"context": "it rains"}, times: 1,
		does: []any{plays(echo, "say ok"), "second prompt"},
		sees: []string{"model1: it rains", "model2: it rains", "-model3: it rains",
			"-resumed: it rains"}},
	"agent_before_start.prompt": {returns: m{"prompt": "good bye"}, does: []any{"hello"},
		sees: []string{"model1: good bye", "-model1: hello", "user: heard: good bye",
			"resumed: good bye"}},
	"agent_before_start.system_prompt": {returns: m{"system_prompt": "You are a parrot."},
		does: []any{"hello"},
		sees: []string{`model1: "system":"You are a parrot."`}},
	"agent_before_start.context": {returns: m{"context": "it rains"}, times: 1,
		does: []any{plays(echo, "say ok"), "second prompt"},
		sees: []string{"model1: it rains", "model2: it rains", "-model3: it rains"}},
	"agent_before_start.block": {returns: m{"block": true, "reason": "not today"},
		does: []any{"hello"},
		sees: []string{"-model: .", "user: not today", "status: blocked",
			`json: "event":"agent_end".*"status":"blocked"`}},
	"agent_before_end.continue_with": {returns: m{"continue_with": "now the tests"}, times: 1,
		does: []any{"hello"},
		sees: []string{"-model1: now the tests", "model2: now the tests",
			`json: "event":"turn_start".*"turn":2`, "file: now the tests",
			"resumed: now the tests"}},
	"notification.message": {returns: m{"message": "loud and clear"},
		sees: []string{"user: warn: loud and clear", "-user: psst",
			`json: "event":"notification".*loud and clear`},
		extra: fires["notification"].extra},
	"notification.block": {returns: m{"block": true}, sees: []string{"-user: psst", `-json: psst`},
		extra: fires["notification"].extra},
}

var turnEffects = map[string]scenario{
	"turn_start.block": {returns: m{"block": true, "reason": "enough for today"},
		sees: []string{"-model: .", "user: enough for today", "status: blocked",
			`json: "event":"turn_end".*"cause":"blocked"`}},
	"turn_start.ask": {returns: m{"ask": "one more?"}, user: &user{no: true},
		sees: []string{"asked: one more\\?", "-model: .", "status: blocked"}},
	"turn_start.stop": {returns: m{"stop": true, "reason": "that is all"}, options: m{"depth": 0},
		sees: []string{"-model: .", "user: that is all", "status: stopped"}},
	"turn_start.context": {returns: m{"context": "it rains"}, times: 1,
		does: []any{plays(echo, "say ok")},
		sees: []string{"model1: it rains", "-model2: it rains", "-resumed: it rains"}},
	"context.messages": {body: body{lua: `local out = {} for i, x in ipairs(ev.messages) do out[i] = x end
  out[#out + 1] = { role = "user", content = "one more thing" }
  return { messages = out }`, js: `return { messages: [...ev.messages, { role: "user", content: ` +
		`"one more thing" }] };`}, times: 1,
		sees: []string{"model1: one more thing", "-model2: one more thing", "-file: one more thing",
			"-resumed: one more thing"}},
	"llm_message.content": {body: body{lua: `if ev.message.role == "tool" then return { content ` +
		`= "masked" } end`, js: `if (ev.message.role === "tool") return { content: "masked" };`},
		sees: []string{"model2: masked", `-model2: out of the tool\\n`,
			`file: out of the tool\\n`}},
	"llm_request.model": {returns: m{"model": "played/other"},
		sees: []string{`model1: "model":"other"`,
			`json: "event":"llm_response".*"model":"played/other"`}},
	"llm_request.messages": {body: body{lua: `local out = {} for i, x in ipairs(ev.messages) do out[i] = x end
  out[#out + 1] = { role = "user", content = "one more thing" }
  return { messages = out }`, js: `return { messages: [...ev.messages, { role: "user", content: ` +
		`"one more thing" }] };`}, times: 1,
		sees: []string{"model1: one more thing", "-model2: one more thing",
			"-file: one more thing"}},
	"llm_request.tools": {returns: m{"tools": []any{"ls"}},
		sees: []string{`model1: "name":"ls"`, `-model1: "name":"bash"`}},
	"llm_request.tool_choice": {returns: m{"tool_choice": "none"},
		sees: []string{`model1: "tool_choice":"none"`}},
	"llm_request.options": {returns: m{"options": m{"temperature": 0.5}},
		sees: []string{`model1: "temperature":0.5`}},
	"llm_request.respond": {returns: m{"respond": m{"text": "I know that myself"}},
		does: []any{"hello"},
		sees: []string{"-model: .", "user: I know that myself", "file: I know that myself",
			`json: "event":"message_delta".*I know`, "resumed: I know that myself",
			"status: completed"}},
	"llm_request.block": {returns: m{"block": true, "reason": "too dear"},
		sees: []string{"-model: .", "user: too dear", "status: blocked"}},
	"llm_request.abort": {returns: m{"abort": "prompt"},
		sees: []string{"-model: .", "user: h\\.(lua|js)", "status: error"}},
	"llm_response.text": {returns: m{"text": "what I meant"},
		does: []any{plays("say what I said"), "second prompt"},
		sees: []string{"user: what I meant", "file: what I meant", "model2: what I meant",
			`-model2: "what I said"`, "resumed: what I meant"}},
	"llm_response.reasoning": {returns: m{"reasoning": "clear thoughts"},
		does: []any{plays("think muddle | say ok"), "second prompt"},
		sees: []string{"file: clear thoughts", "-file: \"reasoning\":\"muddle",
			"model2: clear thoughts"}},
	"llm_response.tool_calls": {returns: m{"tool_calls": []any{m{"tool": "bash",
		"args": m{"command": "echo another call"}}}}, times: 1,
		sees: []string{`model2: another call\\n`, `-model2: out of the tool\\n`,
			`file: another call\\n`, `json: "event":"tool_start".*another call`}},
	"llm_response.stop": {returns: m{"stop": true, "reason": "that is all"},
		sees: []string{"user: that is all", "status: stopped", "-model2: ."}},
	"llm_response.abort": {returns: m{"abort": "prompt"},
		sees: []string{"status: error", "-model2: ."}},
	"limit_reached.extend": {returns: m{"extend": 5}, args: []string{"--limit", "turns=1"},
		sees: []string{"status: completed", "user: ok",
			`json: "event":"limit_extended".*"new":6.*"by":"script"`}},
}

var messageEffects = map[string]scenario{
	"assistant_message.text": {body: body{lua: `return { text = (ev.text:gsub("hunter2", ` +
		`"*****")) }`, js: `return { text: ev.text.replaceAll("hunter2", "*****") };`},
		does: []any{plays("think about it | say the word is\\n | hex " + hunter2 +
			" | say , you know"), "second prompt"},
		sees: []string{`user: the word is\n \*{5}, you know`, "-user: hunter2", "-json: hunter2",
			"model2: hunter2, you know", `file: "original"`,
			"resumed: hunter2, you know", `export: \*{5}, you know`, "-export: hunter2"}},
	"assistant_message.block": {returns: m{"block": true}, options: m{"match": "hunter2"},
		does: []any{plays("say the word is | hex " + hunter2), "second prompt"},
		sees: []string{"-user: hunter2", "-json: hunter2", "model2: hunter2", "-export: hunter2"}},
}

// hunter2 is the secret word in hexadecimal, so that the prompt does not contain the word.
const hunter2 = "2068756e74657232"
