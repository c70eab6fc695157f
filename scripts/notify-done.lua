-- ==Agent==
-- @name     notify-done
-- @summary  Shows a desktop notification when a long prompt is done and you are not looking
-- @grant    ui
-- ==/Agent==

local after = ext.option{
  name = "after",
  description = "seconds that a prompt must have taken",
  default = 20,
}

-- focused returns nil if the terminal does not tell: then the notification is shown.
ext.on("agent_end", { depth = 0 }, function(ev)
  if ev.duration_ms < after * 1000 or ext.ui.focused() == true then return end
  local answer = ext.text.truncate(ev.response, { lines = 2, bytes = 200 })
  ext.ui.desktop("agent: " .. ev.status, answer)
end)

-- finish ends a prompt that took so many seconds.
local function finish(t, seconds, response, depth)
  t.emit("agent_end", {
    status = "completed", response = response, duration_ms = seconds * 1000, depth = depth,
  })
end

ext.test("notifies after a long prompt if you look elsewhere", function(t)
  t.focus(true)
  finish(t, 30, "done")
  t.equal(t.screen().desktop, {})
  t.focus(false)
  finish(t, 30, "done")
  t.equal(t.screen().desktop, { "agent: completed: done" })
end)

ext.test("is silent after a short prompt, and for sub-agents", function(t)
  finish(t, 19, "done")
  finish(t, 30, "helped", 1)
  t.equal(t.screen().desktop, {})
end)

ext.test("shortens a long answer", function(t)
  finish(t, 20, "one\ntwo\nthree\nfour")
  local shown = t.screen().desktop[1]
  t.match(shown, "^agent: completed: ")
  t.equal(ext.regex.test("(?s)two.*three|three.*two", shown), false)
end)
