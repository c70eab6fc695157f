-- ==Agent==
-- @name     status-line
-- @summary  Shows the use of the context window and the cost of the session in the status line, in colour
-- @grant    ui
-- ==/Agent==

local full = ext.option{ name = "full", default = 70, description = "percent of the window from which on it is shown in yellow" }
local dear = ext.option{ name = "dear", default = 5, description = "dollars from which on the cost is shown in yellow" }

local function spans(percent, cost)
  local out = {}
  if percent then
    local filled = math.min(10, math.floor(percent / 10 + 0.5))
    out[1] = { ("#"):rep(filled) .. ("."):rep(10 - filled) .. (" %d%%"):format(percent), percent >= full and "warn" or "dim" }
  end
  if cost then
    out[#out + 1] = { (#out > 0 and "  " or "") .. ("$%.2f"):format(cost), cost >= dear and "warn" or "dim" }
  end
  return #out > 0 and out or nil
end

local function show(ev) ext.ui.status("usage", spans(ev.window and ev.window.percent, ev.cost), { side = "right" }) end

ext.on("session_start", show)
for _, event in ipairs{ "turn_end", "agent_end" } do ext.on(event, { depth = 0 }, show) end

ext.test("shown after each turn", function(t)
  t.emit("turn_end", { turn = 1, window = { tokens = 72, limit = 100, percent = 72 }, cost = 0.5 })
  t.equal(t.screen({ styles = true }).status.usage, { { "#######... 72%", "warn" }, { "  $0.50", "dim" } })
  t.equal(t.screen().sides.usage, "right")
  t.emit("turn_end", { turn = 2, depth = 1, cost = 9 })
  t.equal(t.screen().status.usage, "#######... 72%  $0.50")
end)
ext.test("bars", function(t)
  t.equal(spans(nil, nil), nil)
  t.equal(spans(42, 0.5), { { "####...... 42%", "dim" }, { "  $0.50", "dim" } })
  t.equal(spans(99.4, nil), { { "########## 99%", "warn" } })
  t.equal(spans(nil, 7), { { "$7.00", "warn" } })
end)
