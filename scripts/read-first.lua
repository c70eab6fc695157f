-- ==Agent==
-- @name     read-first
-- @summary  Allows an edit of a file only after the model has read it in this conversation
-- @guards   edit
-- ==/Agent==

-- ev.reads and ev.writes list the files that a call reads and writes, for every tool and for commands.
-- The files that were read are stored in the session, so they are still known after a resume.
ext.on("tool_result", function(ev)
  if ev.is_error then return end
  for _, list in ipairs{ ev.reads, ev.writes } do
    for _, path in ipairs(list) do
      if not ext.state.get("read:" .. path) then ext.state.set("read:" .. path, true) end
    end
  end
end)

ext.guard({ tool = "edit" }, function(ev)
  for _, path in ipairs(ev.writes) do
    if not ext.state.get("read:" .. path) then
      return { block = true, reason = "read " .. ext.path.rel(path) .. " first: what you remember of it may be wrong" }
    end
  end
end)

ext.test("an edit needs a read", function(t)
  local edit = { path = "a.txt", edits = { { old = "x", new = "y" } } }
  t.call("edit", edit)
  t.blocked("read a.txt first")
  t.call("read", { path = "./a.txt" })
  t.call("edit", edit)
  t.passed()
end)

ext.test("a command reads too, and one that failed does not", function(t)
  local edit = { path = "b.txt", edits = { { old = "x", new = "y" } } }
  t.stub("tool", function() return { content = "no", is_error = true } end)
  t.call("bash", { command = "cat b.txt" })
  t.call("edit", edit)
  t.blocked("read b.txt first")
  t.stub("tool", function() return "x" end)
  t.call("bash", { command = "cd . && cat ./b.txt | head" })
  t.call("edit", edit)
  t.passed()
end)
