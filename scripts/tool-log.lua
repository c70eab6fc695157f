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

ext.command{ name = "tools", description = "Which tools were called in this session", run = function()
  local all, names = ext.state.get("calls") or {}, {}
  for name in pairs(all) do names[#names + 1] = name end
  if #names == 0 then return { display = "No tool was called." } end
  table.sort(names)
  local lines = { "| tool | calls | failed | seconds |", "|---|---|---|---|" }
  for _, name in ipairs(names) do
    lines[#lines + 1] = ("| %s | %d | %d | %.1f |"):format(name, all[name].calls, all[name].failed, all[name].ms / 1000)
  end
  return { display = table.concat(lines, "\n") }
end }

ext.test("counts", function(t)
  t.equal(t.command("/tools").display, "No tool was called.")
  t.emit("tool_result", { tool = "ls", content = "", duration_ms = 1500 })
  t.emit("tool_result", { tool = "ls", content = "", is_error = true, duration_ms = 500 })
  t.match(t.command("/tools").display, [[\| ls \| 2 \| 1 \| 2.0 \|]])
end)
ext.test("a row for each tool", function(t)
  t.emit("tool_result", { tool = "ls", content = "", duration_ms = 1500 })
  t.emit("tool_result", { tool = "bash", content = "", is_error = true, duration_ms = 500 })
  t.equal(t.command("/tools").display, "| tool | calls | failed | seconds |\n|---|---|---|---|\n| bash | 1 | 1 | 0.5 |\n| ls | 1 | 0 | 1.5 |")
end)
