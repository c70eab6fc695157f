-- ==Agent==
-- @name     budget
-- @summary  At a limit of money, asks whether to go on for as much again; of turns, goes on once by itself
-- @grant    ui
-- ==/Agent==

-- Set the limits in config.toml, [limits], or with --limit cost=0.5. What is not extended ends the prompt.
ext.on("limit_reached", { kind = "cost" }, function(ev)
  local question = ("$%.2f is spent. Go on for another $%.2f?"):format(ev.value, ev.limit)
  if ext.ui.confirm(question, { headless = false }) then return { extend = ev.limit } end
end)

-- A prompt begins with agent_before_start: what intercepts comes first, what observes may come late.
local extended
ext.on("agent_before_start", { depth = 0 }, function() extended = false end)

ext.on("limit_reached", { kind = "turns", depth = 0 }, function()
  if extended then return end
  extended = true
  return { extend = 10, notify = "10 more turns, and no more after that" }
end)
