-- ==Agent==
-- @name     notify-done
-- @summary  Shows a desktop notification when a long prompt is done and you are not looking
-- @grant    ui
-- ==/Agent==

local after = ext.option{ name = "after", description = "seconds that a prompt must have taken", default = 20 }
local began = 0

ext.on("agent_before_start", { depth = 0 }, function() began = ext.time.now() end)

ext.on("agent_end", { depth = 0 }, function(ev)
  if ext.time.now() - began < after or ext.ui.focused() == true then return end
  ext.ui.desktop("agent: " .. ev.status, ext.text.truncate(ev.response or "", { lines = 2, bytes = 200 }))
end)

ext.test("what takes long is told to who looks elsewhere", function(t)
  local function work()
    t.emit("agent_before_start", { prompt = "go", system_prompt = "" })
    t.clock(30)
    t.emit("agent_end", { status = "completed", response = "done" })
  end
  t.focus(true)
  work()
  t.equal(t.screen().desktop, {})
  t.focus(false)
  work()
  t.equal(t.screen().desktop, { "agent: completed: done" })
end)
ext.test("what is quick is not told", function(t)
  t.emit("agent_before_start", { prompt = "go", system_prompt = "" })
  t.emit("agent_end", { status = "completed", response = "done" })
  t.equal(t.screen().desktop, {})
end)
ext.test("sub-agents neither begin nor end it, and a long answer is short", function(t)
  t.emit("agent_before_start", { prompt = "go", system_prompt = "" })
  t.clock(30)
  t.emit("agent_before_start", { prompt = "help", system_prompt = "", depth = 1 })
  t.emit("agent_end", { status = "completed", response = "helped", depth = 1 })
  t.equal(t.screen().desktop, {})
  t.emit("agent_end", { status = "completed", response = "one\ntwo\nthree\nfour" })
  local told = t.screen().desktop[1]
  t.match(told, "^agent: completed: ")
  t.equal(ext.regex.test("two[^$]*three|three[^$]*two", told), false)
end)
