-- ==Agent==
-- @name     read-first
-- @summary  Allows an edit of a file only after the model has read it in this conversation
-- @guards   edit
-- ==/Agent==

-- ev.reads and ev.writes list the files that a call reads and writes, for every tool and for
-- commands. The files that an agent knows are stored in the session, so they are still known after
-- a resume. What a sub-agent has read, the main agent has not seen.
local function key(ev, path) return "read:" .. ev.agent_id .. ":" .. path end

ext.on("tool_result", function(ev)
  if ev.is_error then return end
  for _, paths in ipairs{ ev.reads, ev.writes } do
    for _, path in ipairs(paths) do
      if not ext.state.get(key(ev, path)) then ext.state.set(key(ev, path), true) end
    end
  end
end)

ext.guard({ tool = "edit" }, function(ev)
  for _, path in ipairs(ev.writes) do
    if not ext.state.get(key(ev, path)) then
      local reason = "read %s first: what you remember of it may be wrong"
      return { block = true, reason = reason:format(ext.path.rel(path)) }
    end
  end
end)

local function edit(t, path)
  t.call("edit", { path = path, edits = { { old = "x", new = "y" } } })
end

ext.test("an edit needs a read", function(t)
  edit(t, "a.txt")
  t.blocked("read a.txt first")
  t.call("read", { path = "./a.txt" })
  edit(t, "a.txt")
  t.passed()
end)

ext.test("a command that reads the file counts, unless it fails", function(t)
  t.stub("tool", function() return { content = "no", is_error = true } end)
  t.call("bash", { command = "cat b.txt" })
  edit(t, "b.txt")
  t.blocked("read b.txt first")
  t.stub("tool", function() return "x" end)
  t.call("bash", { command = "cd . && cat ./b.txt | head" })
  edit(t, "b.txt")
  t.passed()
end)

ext.test("what a sub-agent has read does not count", function(t)
  t.emit("tool_result", {
    tool = "read", args = { path = "c.txt" }, agent_id = "scout",
    reads = { ext.path.abs("c.txt") }, writes = ext.list{},
  })
  edit(t, "c.txt")
  t.blocked("read c.txt first")
end)
