-- ==Agent==
-- @name     tool-log
-- @summary  /tools shows which tools were called, how often, for how long, and how many failed
-- ==/Agent==

ext.on("tool_result", function(ev)
  ext.state.update("calls", function(all)
    all = all or {}
    local one = all[ev.tool] or { calls = 0, failed = 0, ms = 0 }
    one.calls, one.ms = one.calls + 1, one.ms + ev.duration_ms
    if ev.is_error then one.failed = one.failed + 1 end
    all[ev.tool] = one
    return all
  end)
end)

ext.command{
  name = "tools",
  description = "Which tools were called in this session",
  run = function()
    local all, names = ext.state.get("calls") or {}, {}
    for name in pairs(all) do names[#names + 1] = name end
    if #names == 0 then return { display = "No tool was called." } end
    table.sort(names)
    local lines = { "| tool | calls | failed | seconds |", "|---|---|---|---|" }
    for _, name in ipairs(names) do
      local one = all[name]
      local row = "| %s | %d | %d | %.1f |"
      lines[#lines + 1] = row:format(name, one.calls, one.failed, one.ms / 1000)
    end
    return { display = table.concat(lines, "\n") }
  end,
}

-- result fires the result of a call that took so many milliseconds.
local function result(t, tool, ms, failed)
  t.emit("tool_result", { tool = tool, content = "", duration_ms = ms, is_error = failed })
end

ext.test("adds calls up", function(t)
  t.equal(t.command("/tools").display, "No tool was called.")
  result(t, "ls", 1500, false)
  result(t, "ls", 500, true)
  t.match(t.command("/tools").display, [[\| ls \| 2 \| 1 \| 2.0 \|]])
end)

ext.test("a row for each tool", function(t)
  result(t, "ls", 1500, false)
  result(t, "bash", 500, true)
  local rows = ext.regex.split("\n", t.command("/tools").display)
  t.equal(rows, {
    "| tool | calls | failed | seconds |",
    "|---|---|---|---|",
    "| bash | 1 | 1 | 0.5 |",
    "| ls | 1 | 0 | 1.5 |",
  })
end)
