-- ==Agent==
-- @name     status-line
-- @summary  Shows how full the context window is and what the session costs, in the status line
-- @grant    ui
-- ==/Agent==

local full = ext.option{
  name = "full",
  description = "percent of the window from which on it is shown in yellow",
  default = 70,
}
local dear = ext.option{
  name = "dear",
  description = "dollars from which on the cost is shown in yellow",
  default = 5,
}

-- spans returns the line, or nil if neither is known.
local function spans(percent, cost)
  local out = {}
  if percent then
    local filled = math.min(10, math.floor(percent / 10 + 0.5))
    local bar = ("#"):rep(filled) .. ("."):rep(10 - filled)
    out[1] = { ("%s %d%%"):format(bar, percent), percent >= full and "warn" or "dim" }
  end
  if cost then
    local gap = percent and "  " or ""
    out[#out + 1] = { ("%s$%.2f"):format(gap, cost), cost >= dear and "warn" or "dim" }
  end
  return #out > 0 and out or nil
end

local function show(ev)
  local percent = ev.window and ev.window.percent
  ext.ui.status("usage", spans(percent, ev.cost), { side = "right" })
end

ext.on("session_start", show)
ext.on("turn_end", { depth = 0 }, show)
ext.on("agent_end", { depth = 0 }, show)

ext.test("shown after each turn of the main agent", function(t)
  local window = { tokens = 72, limit = 100, percent = 72 }
  t.emit("turn_end", { turn = 1, window = window, cost = 0.5 })
  local line = t.screen({ styles = true }).status.usage
  t.equal(line, { { "#######... 72%", "warn" }, { "  $0.50", "dim" } })
  t.equal(t.screen().sides.usage, "right")
  t.emit("turn_end", { turn = 2, depth = 1, cost = 9 })
  t.equal(t.screen().status.usage, "#######... 72%  $0.50")
end)

ext.test("bars and costs", function(t)
  t.equal(spans(nil, nil), nil)
  t.equal(spans(42, 0.5), { { "####...... 42%", "dim" }, { "  $0.50", "dim" } })
  t.equal(spans(99.4, nil), { { "########## 99%", "warn" } })
  t.equal(spans(nil, 7), { { "$7.00", "warn" } })
end)
