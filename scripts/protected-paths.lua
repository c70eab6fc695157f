-- ==Agent==
-- @name     protected-paths
-- @summary  Refuses to touch protected paths, for every tool
-- @guards   bash|write|edit
-- ==/Agent==

-- Globs begin at the project, or with /, ~/ or **. If it is unknown which files a command touches,
-- you are asked. A guard without a function also holds, in the sandbox, for what programs touch.
ext.guard({ writes = "~/.*rc" }, { block = true, reason = "what your shell runs is yours" })
ext.guard({ writes = "/etc/**" }, { block = true, reason = "the system is not part of the task" })

-- git and ssh need these files. A function decides only about what the call itself names.
ext.guard({ writes = "**/.git/**" }, function()
  return { block = true, reason = "git's own files are changed by git" }
end)
ext.guard({ reads = "~/.ssh/**" }, function()
  return { block = true, reason = "keys are not to be read" }
end)

ext.test("protected paths are refused", function(t)
  for command, reason in pairs{
    ["rm -rf .git"] = "git's own",
    ["echo x >> ~/.bashrc"] = "your shell",
    ["tee /etc/x"] = "the system",
    ["cat ~/.ssh/id"] = "keys",
  } do
    t.call("bash", { command = command })
    t.blocked(reason)
  end
  t.call("write", { path = ".git/hooks/pre-commit", content = "x" })
  t.blocked("git's own")
  t.call("read", { path = "~/.ssh/id" })
  t.blocked("keys")
  t.call("bash", { command = "cat .git/config ~/.bashrc; git status" })
  t.passed()
  t.call("write", { path = "x", content = "y" })
  t.passed()
end)
