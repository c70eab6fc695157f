// This file lists a scenario for each event, which makes the event fire.

package main

// plays returns a prompt that makes the scripted model give the replies.
func plays(replies ...string) string {
	text := "play"
	for _, r := range replies {
		text += "\n" + r
	}
	return text
}

// echo is a tool call that prints.
const echo = `call bash {"command":"echo out of the tool"}`

// poke is a tool that sends input to the agent while it works, as a user could.
var poke = body{
	lua: `ext.tool{ name = "poke", description = "gives input", schema = { text = "string: what", when = "string: steer, next or idle" }, read_only = true,
  run = function(args) ext.agent.send(args.text, { when = args.when }) return "sent" end }`,
	js: `ext.tool({ name: "poke", description: "gives input", schema: { text: "string: what", when: "string: steer, next or idle" }, read_only: true,
  run: (args) => { ext.agent.send(args.text, { when: args.when }); return "sent"; } });`,
}

// settings is a command that changes settings.
var settings = body{
	lua: `ext.command{ name = "set", args = { "key string", "value string" }, run = ` +
		`function(args) ext.agent.set{ [args.key] = args.value } end }`,
	js: `ext.command({ name: "set", args: ["key string", "value string"], run: async (args) => ` +
		`{ await ext.agent.set({ [args.key]: args.value }); } });`,
}

// forks is a command that continues the conversation from its first message.
var forks = body{
	lua: `ext.command{ name = "back", run = function()
  for _, e in ipairs(ext.session.entries()) do
    if e.role == "user" then local ok, err = ext.session.fork(e.id, { before = true }) return err and { error = err.message } end
  end
  return { error = "no entry" }
end }`,
	js: `ext.command({ name: "back", run: async () => {
  for (const e of ext.session.entries()) {
    if (e.role === "user") {
      try { await ext.session.fork(e.id, { before: true }); } catch (err) { return { error: err.message }; }
      return;
    }
  }
  return { error: "no entry" };
} });`,
}

func speaks(lua, js string) body { return body{lua: lua, js: js} }

// asksAlways is a guard that asks.
const asksAlways = `ext.guard({ tool = "bash" }, function() return { ask = "is this right?", ` +
	`reason = "it is new", detail = { why = "to be sure" } } end)`

// repeated returns a prompt for a model that makes the same call again and again.
func repeated(reply string, n int) string {
	replies := make([]string, n)
	for i := range replies {
		replies[i] = reply
	}
	return plays(replies...)
}

// delegate is a tool call that starts a sub-agent, which makes a call of its own.
const delegate = `call agent {"task":"play\ncall bash {\"command\":\"echo below\"}\nsay done ` +
	`below"}`

var fires = map[string]scenario{
	"script_load": {},
	"script_unload": {does: []any{func(d *drive) {
		d.change("h.lua",
			"-- changed\n")
		d.change("h.js", "// changed\n")
	}}},
	"script_error": {extra: speaks(`ext.on("agent_start", function() error("boom") end)`,
		`ext.on("agent_start", () => { throw new Error("boom"); });`), does: []any{plays()}},

	"session_start":         {},
	"session_before_switch": {does: []any{"hello", "/clear"}},
	"session_before_fork": {extra: forks, grant: "session",
		does: []any{"first words", "second words", "/back", "third words"}},
	"session_before_compact": {does: []any{"first words", "second words", "/compact be brief",
		"third words"}},
	"session_compact": {does: []any{"first words", "second words", "/compact be brief",
		"third words"}},
	"session_end": {},

	"input": {does: []any{"hello there"}},
	"input_queued": {extra: poke, grant: "agent",
		does: []any{plays(`call poke {"text":"and then","when":"next"}`)}},
	"steering_injected": {extra: poke, grant: "agent",
		does: []any{plays(`call poke {"text":"turn left","when":"steer"}`, "say turned")}},
	"interrupt": {extra: poke, grant: "agent",
		does: []any{plays(`call poke {"text":"turn left","when":"steer"}`, "say turned")}},
	"wait_input": {does: []any{"hello"}},
	"user_shell": {does: []any{"!echo from the user"}},

	"agent_before_start": {does: []any{"hello there"}},
	"agent_start":        {does: []any{"hello there"}},
	"agent_before_end":   {does: []any{"hello there"}},
	"agent_end":          {does: []any{plays(echo, "say ok")}},
	"busy_change":        {does: []any{"hello there"}},

	"turn_start":   {does: []any{plays(echo, "say ok")}},
	"context":      {does: []any{plays(echo, "say ok")}},
	"llm_message":  {does: []any{plays(echo, "say ok")}},
	"llm_request":  {does: []any{plays(echo, "say ok")}},
	"llm_response": {does: []any{plays("think hm | "+echo, "say ok")}},
	"llm_retry":    {does: []any{plays("fail 529 overloaded", "say ok")}},
	"llm_warning":  {does: []any{plays("warn too long | say ok")}},
	"llm_source":   {does: []any{plays("source https://example.org/a A page | say ok")}},
	"turn_end":     {does: []any{plays(echo, "say ok")}},

	"message_start":     {does: []any{"hello"}},
	"message_delta":     {does: []any{plays("think hm | say ok")}},
	"message_end":       {does: []any{plays("think hm | say ok")}},
	"assistant_message": {does: []any{plays(`say one line\nand another`)}},
	"tool_input_start":  {does: []any{plays(echo)}},
	"tool_input_delta":  {does: []any{plays(echo)}},
	"tool_input_end":    {does: []any{plays(echo)}},

	"tool_call": {does: []any{plays(echo)}},
	"guard":     {does: []any{plays(echo)}},
	"tool_permission": {files: map[string]string{"asks.lua": asksAlways}, user: &user{},
		does: []any{plays(echo)}},
	"tool_approval": {files: map[string]string{"asks.lua": asksAlways}, user: &user{},
		does: []any{plays(echo)}},
	"tool_skipped":   {does: []any{plays("call bush {}")}},
	"tool_start":     {does: []any{plays(echo)}},
	"tool_output":    {does: []any{plays(echo)}},
	"tool_end":       {does: []any{plays(echo)}},
	"tool_result":    {does: []any{plays(echo)}},
	"tool_batch_end": {does: []any{plays(echo+" | call ls {}", "say ok")}},
	"loop_detected":  {does: []any{repeated(echo, 12)}},

	"subagent_start": {does: []any{plays(delegate, "say ok")}},
	"subagent_event": {does: []any{plays(delegate, "say ok")}},
	"subagent_end":   {does: []any{plays(delegate, "say ok")}},
	"agent_switch":   {does: []any{plays(delegate, "say ok")}},

	"model_change":      {extra: settings, grant: "agent", does: []any{"/set model played/other"}},
	"thinking_change":   {extra: settings, grant: "agent", does: []any{"/set thinking high"}},
	"permission_change": {extra: settings, grant: "agent", does: []any{"/set permission plan"}},
	"limit_reached":     {args: []string{"--limit", "turns=1"}, does: []any{plays(echo, "say ok")}},
	"limit_extended": {files: map[string]string{"more.lua": `ext.on("limit_reached", ` +
		`function() return { extend = 1 } end)`}, args: []string{"--limit", "turns=1"},
		does: []any{plays(echo, "say ok")}},
	"notification": {extra: speaks(
		`ext.on("agent_start", function() ext.notify("psst", "warn") end)`,
		`ext.on("agent_start", () => ext.notify("psst", "warn"));`), does: []any{"hello"}},
	"say": {extra: speaks(`ext.on("agent_start", function() ext.say("**psst**") end)`,
		`ext.on("agent_start", () => ext.say("**psst**"));`), does: []any{"hello"}},
	"error":           {does: []any{"/nope"}},
	"terminal_resize": {does: []any{func(d *drive) { d.app.resized(120, 40) }}},
	"hook_finished": {files: map[string]string{"other.lua": `ext.on("agent_start", ` +
		`function() end)`}, does: []any{"hello"}},
	"custom:NAME": {on: "custom:note",
		extra: speaks(`ext.on("agent_start", function() ext.emit("custom:note", { n = 1 }) end)`,
			`ext.on("agent_start", () => ext.emit("custom:note", { n: 1 }));`),
		does: []any{"hello"}},
}
