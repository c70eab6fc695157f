-- ==Agent==
-- @name     subagents
-- @summary  Shows what the sub-agents are doing, below the editor
-- @grant    ui
-- ==/Agent==

local running, order = {}, {}

local function draw()
  local lines = {}
  for i, id in ipairs(order) do
    local a = running[id]
    lines[i] = { { a.name .. " ", "accent" }, a.task .. " ", { a.doing, "dim" } }
  end
  ext.ui.widget("subagents", #lines > 0 and lines or nil, { place = "below" })
end

local function one_line(text)
  return ext.regex.find("^.{0,50}", (text:gsub("%s+", " "))).text
end

ext.on("subagent_start", function(ev)
  order[#order + 1] = ev.subagent_id
  running[ev.subagent_id] = { name = ev.name, task = one_line(ev.task), doing = "starts" }
  draw()
end)

ext.on("subagent_event", { kind = "tool_start" }, function(ev)
  local a = running[ev.subagent_id]
  if not a then return end
  a.doing = tostring(ev.data.tool)
  draw()
end)

ext.on("subagent_end", function(ev)
  running[ev.subagent_id] = nil
  for i, id in ipairs(order) do
    if id == ev.subagent_id then
      table.remove(order, i)
      break
    end
  end
  draw()
end)

local function start(t, id, name, task)
  t.emit("subagent_start", {
    subagent_id = id, name = name, task = task, model = "m", tools = ext.list{},
  })
end

local function finish(t, id, name)
  t.emit("subagent_end", { subagent_id = id, name = name, status = "completed", response = "" })
end

ext.test("a line for each sub-agent, while it runs", function(t)
  start(t, "a", "scout", "find\nit")
  start(t, "b", "judge", "weigh it")
  t.equal(t.screen().widgets.subagents, { "scout find it starts", "judge weigh it starts" })
  t.equal(t.screen().places.subagents, "below")
  t.emit("subagent_event", { subagent_id = "a", kind = "tool_start", data = { tool = "grep" } })
  finish(t, "b", "judge")
  local line = { { "scout ", "accent" }, { "find it ", "" }, { "grep", "dim" } }
  t.equal(t.screen({ styles = true }).widgets.subagents, { line })
  finish(t, "a", "scout")
  t.equal(t.screen().widgets.subagents, nil)
end)
