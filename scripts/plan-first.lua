-- ==Agent==
-- @name     plan-first
-- @summary  /plan on: the model may only read, until /plan off
-- @guards   *
-- ==/Agent==

-- The setting is stored in the session, so it survives a reload, a resume and a fork.
ext.command{
  name = "plan",
  description = "Look and plan, change nothing: on or off",
  args = { "what on|off" },
  run = function(args)
    local on = args.what == "on"
    ext.state.set("on", on)
    local off = "The plan may be carried out."
    return { display = on and "Nothing is changed until `/plan off`." or off }
  end,
}

local task = "You are planning: look around, change nothing, and end with a plan."
local refusal = "a plan is being made: nothing is changed until the user says /plan off"

ext.on("turn_start", function()
  if ext.state.get("on") then return { context = task } end
end)

ext.guard(function(ev)
  if ext.state.get("on") and not ev.read_only then return { block = true, reason = refusal } end
end)

ext.test("only what reads may run", function(t)
  t.call("write", { path = "a", content = "b" })
  t.passed()
  t.match(t.command("/plan on").display, "until `/plan off`")
  t.call("write", { path = "a", content = "b" })
  t.blocked("until the user says /plan off")
  t.call("read", { path = "a" })
  t.passed()
  t.match(t.emit("turn_start", { turn = 1 }).context, "change nothing")
  t.command("/plan off")
  t.call("write", { path = "a", content = "b" })
  t.passed()
end)
