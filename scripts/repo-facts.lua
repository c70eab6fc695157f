-- ==Agent==
-- @name     repo-facts
-- @summary  Tells the model the git branch and uncommitted files at the start of a conversation
-- @grant    exec:git
-- ==/Agent==

local heading = "git status at the start of the conversation:\n"

ext.on("agent_before_start", { depth = 0 }, function()
  if ext.state.get("told") then return end
  ext.state.set("told", true)
  local status = ext.exec({ "git", "status", "--short", "--branch" }, { timeout = 5 })
  if not status or status.code ~= 0 then return end -- no git, or no repository
  local text = status.stdout:gsub("%s+$", "")
  return { context = heading .. ext.text.truncate(text, { lines = 40, keep = "head" }) }
end)

-- told starts a prompt, and returns what the model is told.
local function told(t, depth)
  local fields = { prompt = "go", system_prompt = "", depth = depth }
  return t.emit("agent_before_start", fields).context
end

ext.test("tells it once, and not to sub-agents", function(t)
  local status = "## main...origin/main\n M a.go\n"
  t.stub("exec", function() return { code = 0, stdout = status, stderr = "" } end)
  t.equal(told(t, 1), nil)
  t.equal(told(t), heading .. "## main...origin/main\n M a.go")
  t.equal(told(t), nil)
end)

ext.test("tells the first of many files", function(t)
  local status = "## main\n" .. (" M a.go\n"):rep(99) .. " M z.go\n"
  t.stub("exec", function() return { code = 0, stdout = status, stderr = "" } end)
  local text = told(t)
  t.equal(#ext.regex.find_all(" M a.go", text), 39)
  t.match(text, "## main")
end)

ext.test("tells nothing without a repository or git", function(t)
  t.stub("exec", function() return { code = 128, stderr = "not a git repository" } end)
  t.equal(told(t), nil)
  ext.state.delete("told")
  t.stub("exec", function() return { error = "not_found", message = "no git" } end)
  t.equal(told(t), nil)
end)
