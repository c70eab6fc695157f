-- ==Agent==
-- @name     repo-facts
-- @summary  Tells the model the git branch and uncommitted files at the start of a conversation
-- @grant    exec:git
-- ==/Agent==

ext.on("agent_before_start", { depth = 0 }, function()
  if ext.state.get("told") then return end
  ext.state.set("told", true)
  local status = ext.exec({ "git", "status", "--short", "--branch" }, { timeout = 5 })
  if not status or status.code ~= 0 then return end -- no git, or no repository
  local text = ext.text.truncate(ext.regex.replace("\\s+$", status.stdout, ""), { lines = 40, keep = "head" })
  return { context = "git status as the conversation begins:\n" .. text }
end)

ext.test("told once", function(t)
  t.stub("exec", function() return { code = 0, stdout = "## main...origin/main\n M a.go\n", stderr = "" } end)
  local fields = { prompt = "go", system_prompt = "" }
  t.equal(t.emit("agent_before_start", { prompt = "help", system_prompt = "", depth = 1 }).context, nil)
  t.equal(t.emit("agent_before_start", fields).context, "git status as the conversation begins:\n## main...origin/main\n M a.go")
  t.equal(t.emit("agent_before_start", fields).context, nil)
end)
ext.test("of many files, the first", function(t)
  t.stub("exec", function() return { code = 0, stdout = "## main\n" .. (" M a.go\n"):rep(99) .. " M z.go\n", stderr = "" } end)
  local told = t.emit("agent_before_start", { prompt = "go", system_prompt = "" }).context
  t.equal(#ext.regex.find_all(" M a.go", told), 39)
  t.match(told, "## main")
end)
ext.test("no repository, or no git", function(t)
  t.stub("exec", function() return { code = 128, stdout = "", stderr = "not a git repository" } end)
  t.equal(t.emit("agent_before_start", { prompt = "go", system_prompt = "" }).context, nil)
  ext.state.delete("told")
  t.stub("exec", function() return { error = "not_found", message = "no git" } end)
  t.equal(t.emit("agent_before_start", { prompt = "go", system_prompt = "" }).context, nil)
end)
