-- ==Agent==
-- @name    careful
-- @version 1.0.0
-- @api     1
-- @summary Prevents data loss: refuses rm -r and force-push, and asks before git discards work
-- @guards  bash
-- ==/Agent==

-- ext.shell.check reads a command as bash does: quotes, wrappers such as sudo and xargs, scripts in
-- strings, flags in any spelling. If it cannot tell what runs, you are asked. A guard can return
-- its answer unchanged.
local recursive = "rm -r cannot be undone: move things to the trash, or remove them one by one"
local force = "a force-push destroys what others have pushed: use --force-with-lease"
local lost = "what git throws away this way cannot be brought back"

ext.guard({ tool = "bash" }, function(ev)
  return ext.shell.check(ev.args.command, {
    deny = {
      { cmd = "rm", flags = "r", reason = recursive },
      { cmd = "git", sub = "push", flags = "force", reason = force },
      { cmd = "git", sub = "push", args = "+*", reason = force }, -- such as git push origin +main
    },
    ask = {
      { cmd = "git", sub = "reset", flags = "hard", reason = lost },
      { cmd = "git", sub = "clean", flags = "force", reason = lost },
    },
  })
end)

ext.test("refuses what loses data, however it is written", function(t)
  for _, command in ipairs{
    "rm -rf x", "sudo r'm' --rec x", "ls; rm -R x", "A=1 rm -r x", "nice nohup env rm x -r",
    "find . -exec rm -r {} +", "bash -c 'rm -r x'", "git push --force", "git push -f",
    "git -C . push origin +main", "git commit && git push -f",
  } do
    t.equal(t.call("bash", { command = command }).asked, ext.list{})
    t.blocked()
  end
end)

ext.test("asks before git discards work, and if it is unknown what runs", function(t)
  for command, why in pairs{
    ["git reset --hard"] = "brought back",
    ["git clean -xdf"] = "brought back",
    ["rm $what"] = "rm",
  } do
    t.answer("approve", true)
    t.call("bash", { command = command })
    t.asked(why)
  end
end)

ext.test("everything else passes", function(t)
  for _, command in ipairs{
    "rm x", "rm -f notes.txt", "rm -- -r", "git rm -r x", "git push", "git push origin main",
    "git push --force-with-lease", "git push; ls -f", "git pull --force", "ls -R",
    "echo rm -r x", "grep -n 'git push -f' docs",
  } do
    t.call("bash", { command = command })
    t.passed()
  end
end)
