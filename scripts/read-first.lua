-- ==Agent==
-- @name     read-first
-- @summary  A file is edited only after the model has read it in this conversation
-- @guards   edit
-- ==/Agent==

-- What was read is kept in the session, so that it also holds after a resume.
ext.on("tool_result", { tool = "read|write" }, function(ev)
  if not ev.is_error then ext.state.set("read:" .. ext.path.abs(ev.args.path), true) end
end)

ext.guard({ tool = "edit" }, function(ev)
  if not ext.state.get("read:" .. ext.path.abs(ev.args.path)) then
    return { block = true, reason = "read " .. ev.args.path .. " first: what you remember of it may be wrong" }
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
