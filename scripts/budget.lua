-- ==Agent==
-- @name     budget
-- @summary  Asks whether to continue at a limit of cost; continues once at a limit of turns
-- @grant    ui
-- ==/Agent==

-- Set the limits under [limits] in config.toml, or with --limit cost=0.5. A limit that is not
-- extended ends the prompt.
ext.on("limit_reached", { kind = "cost" }, function(ev)
  local question = ("$%.2f is spent. Go on for another $%.2f?"):format(ev.value, ev.limit)
  if ext.ui.confirm(question, { headless = false }) then return { extend = ev.limit } end
end)

-- agent_before_start fires before anything else of a prompt, and the prompt waits for its handlers.
-- It does not wait for those of agent_start, which may run late.
local extended
ext.on("agent_before_start", { depth = 0 }, function()
  extended = false
end)

ext.on("limit_reached", { kind = "turns", depth = 0 }, function()
  if extended then return end
  extended = true
  return { extend = 10, notify = "10 more turns, and no more after that" }
end)

-- extension returns by how much the script extends a limit.
local function extension(t, kind, limit)
  return t.emit("limit_reached", { kind = kind, value = limit, limit = limit }).extend
end

ext.test("asks at a limit of cost, extends a limit of turns once", function(t)
  t.answer("confirm", true)
  t.equal(extension(t, "cost", 0.5), 0.5)
  t.asked("Go on for another $0.50?")
  t.equal(extension(t, "cost", 1), nil)
  for _ = 1, 2 do
    t.emit("agent_before_start", { prompt = "go", system_prompt = "" })
    t.equal(extension(t, "turns", 5), 10)
    t.equal(extension(t, "turns", 15), nil)
  end
end)

ext.test("the start of a sub-agent is no new prompt", function(t)
  t.emit("agent_before_start", { prompt = "go", system_prompt = "" })
  t.equal(extension(t, "turns", 5), 10)
  t.emit("agent_before_start", { prompt = "help", system_prompt = "", depth = 1 })
  t.equal(extension(t, "turns", 15), nil)
end)
