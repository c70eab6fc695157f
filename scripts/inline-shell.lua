-- ==Agent==
-- @name     inline-shell
-- @summary  Runs commands in !`...` in your prompt, and replaces them by their output
-- @grant    exec:sh
-- ==/Agent==

-- This works only in prompts that you type: prompts from scripts or other programs run nothing.
ext.on("input", { match = "!`[^`]+`" }, function(ev)
  if ev.source ~= "interactive" and ev.source ~= "cli" then return end
  local failed
  local text = ev.text:gsub("!`([^`]+)`", function(line)
    if failed then return nil end
    local result = ext.sh(line, { timeout = 10 })
    if result.code == 0 then return (result.stdout:gsub("%s+$", "")) end
    local said = result.stderr:gsub("%s+$", "")
    failed = ("!`%s` ended with %d: %s"):format(line, result.code, said)
  end)
  if failed then return { block = true, reason = failed } end
  return { text = text }
end)

local function input(t, source, text)
  return t.emit("input", { kind = "prompt", source = source, text = text })
end

ext.test("the output takes the place of the command", function(t)
  t.stub("exec", function() return { code = 0, stdout = "main\n", stderr = "" } end)
  local out = input(t, "cli", "I am on !`git branch --show-current`, and now?")
  t.equal(out.text, "I am on main, and now?")
end)

ext.test("a command that fails ends the prompt, and the next does not run", function(t)
  local ran = 0
  t.stub("exec", function()
    ran = ran + 1
    return { code = 2, stdout = "", stderr = "no\n" }
  end)
  input(t, "interactive", "see !`false` and !`true`")
  t.blocked("!`false` ended with 2: no")
  t.equal(ran, 1)
end)

ext.test("commands in a script's prompt do not run", function(t)
  input(t, "script", "see !`rm x`")
  t.passed()
end)
