-- ==Agent==
-- @name     budget
-- @summary  Asks whether to continue at a limit of cost; continues once at a limit of turns
-- @grant    ui
-- ==/Agent==

-- Set the limits in config.toml, [limits], or with --limit cost=0.5. A limit that is not extended ends the prompt.
ext.on("limit_reached", { kind = "cost" }, function(ev)
  local question = ("$%.2f is spent. Go on for another $%.2f?"):format(ev.value, ev.limit)
  if ext.ui.confirm(question, { headless = false }) then return { extend = ev.limit } end
end)

-- Each prompt starts with agent_before_start. Intercepting handlers run first; observers may run late.
local extended
ext.on("agent_before_start", { depth = 0 }, function() extended = false end)

ext.on("limit_reached", { kind = "turns", depth = 0 }, function()
  if extended then return end
  extended = true
  return { extend = 10, notify = "10 more turns, and no more after that" }
end)

ext.test("money is asked about, turns are extended once", function(t)
  t.answer("confirm", true)
  t.equal(t.emit("limit_reached", { kind = "cost", value = 0.51, limit = 0.5 }).extend, 0.5)
  t.asked("Go on for another $0.50?")
  t.equal(t.emit("limit_reached", { kind = "cost", value = 1, limit = 1 }).extend, nil)
  for _ = 1, 2 do
    t.emit("agent_before_start", { prompt = "go", system_prompt = "" })
    t.equal(t.emit("limit_reached", { kind = "turns", value = 5, limit = 5 }).extend, 10)
    t.equal(t.emit("limit_reached", { kind = "turns", value = 15, limit = 15 }).extend, nil)
  end
end)
ext.test("what a sub-agent begins is no new prompt", function(t)
  t.emit("agent_before_start", { prompt = "go", system_prompt = "" })
  t.emit("limit_reached", { kind = "turns", value = 5, limit = 5 })
  t.emit("agent_before_start", { prompt = "help", system_prompt = "", depth = 1 })
  t.equal(t.emit("limit_reached", { kind = "turns", value = 15, limit = 15 }).extend, nil)
end)
