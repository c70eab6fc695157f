-- ==Agent==
-- @name     loops
-- @summary  Warns a model that repeats the same call, and asks you at the fifth time
-- ==/Agent==

-- Blocking loop_detected would end the prompt. So the call itself is refused, which tells the model
-- why. repeated has, for each agent, the call that it is about to repeat.
local repeated = {}

ext.on("loop_detected", function(ev)
  if ev.count >= 5 then
    local question = "%s was called %d times with the same arguments. Once more?"
    return { ask = question:format(ev.tool, ev.count) }
  end
  repeated[ev.agent_id] = { tool = ev.tool, count = ev.count }
end)

ext.on("tool_call", function(ev)
  local call = repeated[ev.agent_id]
  if not call or call.tool ~= ev.tool then return end
  repeated[ev.agent_id] = nil
  local reason = "this is call %d of %s with the same arguments: try something else"
  return { block = true, reason = reason:format(call.count, ev.tool) }
end)

local function detect(t, count, agent)
  local fields = { tool = "bash", count = count, args_hash = "x", agent_id = agent }
  t.emit("loop_detected", fields)
end

ext.test("refuses the call, and asks at the fifth time", function(t)
  for count = 3, 4 do
    detect(t, count)
    t.passed()
    t.call("ls", {})
    t.passed()
    t.call("bash", { command = "make" })
    t.blocked(("call %d of bash"):format(count))
    t.call("bash", { command = "make" })
    t.passed()
  end
  detect(t, 5)
  t.asked("5 times")
  t.call("bash", { command = "make" })
  t.passed()
end)

ext.test("the loop of a sub-agent does not stop another agent", function(t)
  detect(t, 3, "scout")
  t.call("bash", { command = "make" })
  t.passed()
end)
