-- ==Agent==
-- @name     loops
-- @summary  Warns a model that repeats the same call, and asks you at the fifth time
-- ==/Agent==

-- Blocking loop_detected would end the prompt, so the call itself is refused and the model is told why.
local again = {} -- by agent: the call that it is about to repeat
ext.on("loop_detected", function(ev)
  if ev.count >= 5 then return { ask = ("%s was called %d times with the same arguments. Once more?"):format(ev.tool, ev.count) } end
  again[ev.agent_id] = { tool = ev.tool, count = ev.count }
end)

ext.on("tool_call", function(ev)
  local call = again[ev.agent_id]
  if not call or call.tool ~= ev.tool then return end
  again[ev.agent_id] = nil
  return { block = true, reason = ("this is call %d of %s with the same arguments: nothing changes by it, try something else"):format(call.count, ev.tool) }
end)

ext.test("a word first, then a question", function(t)
  for count = 3, 4 do
    t.emit("loop_detected", { tool = "bash", count = count, args_hash = "x" })
    t.passed()
    t.call("ls", {})
    t.passed()
    t.call("bash", { command = "make" })
    t.blocked(("call %d of bash"):format(count))
    t.call("bash", { command = "make" })
    t.passed()
  end
  t.emit("loop_detected", { tool = "bash", count = 5, args_hash = "x" })
  t.asked("5 times")
  t.call("bash", { command = "make" })
  t.passed()
end)
ext.test("what another agent repeats is its own", function(t)
  t.emit("loop_detected", { tool = "bash", count = 3, args_hash = "x", agent_id = "scout" })
  t.call("bash", { command = "make" })
  t.passed()
end)
