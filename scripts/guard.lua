-- ==Agent==
-- @name     guard
-- @summary  Refuses sudo, force-pushes, and edits of .env files
-- @guards   bash|write|edit
-- ==/Agent==

ext.guard({ tool = "bash" }, function(ev)
  local command = ev.args.command
  if command:find("sudo", 1, true) then
    return { block = true, reason = "no sudo: say what you need and the user will run it" }
  end
  if command:find("push.*%-%-force") or command:find("push.*%s%-f") then
    return { ask = "Force-push?", reason = "it can destroy what others have pushed" }
  end
end)

ext.guard({ tool = "write|edit", match = [[(^|/)\.env[^/]*$]] }, function()
  return { block = true, reason = "secrets are edited by hand" }
end)
