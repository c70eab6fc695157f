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
    local result = ext.sh(line, { timeout = 10 })
    if result.code ~= 0 then
      local said = ext.regex.replace("\\s+$", result.stderr, "")
      failed = failed or ("!`%s` ended with %d: %s"):format(line, result.code, said)
    end
    return (ext.regex.replace("\\s+$", result.stdout, ""))
  end)
  if failed then return { block = true, reason = failed } end
  return { text = text }
end)

ext.test("the output takes the place of the command", function(t)
  t.stub("exec", function() return { code = 0, stdout = "main\n", stderr = "" } end)
  local out = t.emit("input", { kind = "prompt", source = "cli", text = "I am on !`git branch --show-current`, and now?" })
  t.equal(out.text, "I am on main, and now?")
end)
ext.test("one that fails ends the prompt", function(t)
  t.stub("exec", function() return { code = 2, stdout = "", stderr = "no\n" } end)
  t.emit("input", { kind = "prompt", source = "interactive", text = "see !`false`" })
  t.blocked("!`false` ended with 2: no")
end)
ext.test("what a script sends is left alone", function(t)
  t.emit("input", { kind = "prompt", source = "script", text = "see !`rm x`" })
  t.passed()
end)
