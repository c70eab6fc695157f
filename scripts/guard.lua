-- ==Agent==
-- @name     guard
-- @summary  Refuses sudo and changes of .env files, and asks before a force-push
-- @guards   bash|write|edit
-- ==/Agent==

local sudo = "no sudo: say what you need and the user will run it"
local force = "it can destroy what others have pushed"

ext.guard({ tool = "bash" }, function(ev)
  return ext.shell.check(ev.args.command, {
    deny = { { cmd = { "sudo", "doas" }, reason = sudo } },
    ask = { { cmd = "git", sub = "push", flags = "force", reason = force } },
  })
end)

-- A guard about files that has no function also holds, in the sandbox, for what programs write.
ext.guard({ writes = "**/.env*" }, { block = true, reason = "secrets are edited by hand" })

ext.test("refuses sudo, and asks before a force-push", function(t)
  for _, command in ipairs{ "sudo ls", "env 's'udo ls", "doas ls" } do
    t.equal(t.call("bash", { command = command }).asked, ext.list{})
    t.blocked("no sudo")
  end
  t.answer("approve", true)
  t.call("bash", { command = "git push origin -f" })
  t.asked("destroy what others have pushed")
  t.call("bash", { command = "git push; echo sudo" })
  t.passed()
end)

ext.test("refuses changes of .env files", function(t)
  for tool, args in pairs{
    write = { path = ".env", content = "x" },
    edit = { path = "a/.env.local", edits = { { old = "x", new = "y" } } },
    bash = { command = "echo x > a/../.env" },
  } do
    t.call(tool, args)
    t.blocked("edited by hand")
  end
  t.call("write", { path = "environment", content = "x" })
  t.passed()
  t.call("read", { path = ".env" })
  t.passed()
end)
