-- ==Agent==
-- @name     auto-commit
-- @summary  Commits the files that the model changed, with your prompt as the message
-- @grant    exec:git
-- ==/Agent==

-- git runs a git command. It returns the error text, or nil on success.
local function git(...)
  local result, err = ext.exec{ "git", "--literal-pathspecs", ... }
  if result and result.code == 0 then return nil end
  local said = result and result.stderr .. result.stdout or err.message
  local line = ext.regex.find("[^\n]{1,200}", said)
  return line and line.text or "git failed"
end

local prompt, changed = "", {}
ext.on("agent_before_start", { depth = 0 }, function(ev)
  prompt, changed = ev.prompt, {}
end)

-- ev.writes lists the absolute paths of the files that a call writes, for every tool.
ext.on("tool_result", { kind = "edit" }, function(ev)
  if ev.is_error then return end
  for _, path in ipairs(ev.writes) do changed[path] = true end
end)

-- stage adds the changed files to git's index. It returns the paths of those that git accepted, and
-- the error of the last that it refused, such as a file that it ignores.
local function stage()
  local paths, refused = {}, nil
  for path in pairs(changed) do paths[#paths + 1] = path end
  table.sort(paths)
  local staged = {}
  for _, path in ipairs(paths) do
    local err = git("add", "--", path)
    if err then refused = err else staged[#staged + 1] = path end
  end
  return staged, refused
end

-- commit commits these files alone. It returns the error text, or nil on success.
local function commit(paths)
  local line = ext.regex.find("\\S[^\n]{0,69}", prompt)
  local message = line and line.text or "changes"
  return git("commit", "-q", "-m", message, "--only", "--", unpack(paths))
end

ext.on("agent_end", { depth = 0, timeout = 120 }, function(ev)
  if ev.status ~= "completed" then return end
  local paths, err = stage()
  if #paths > 0 then
    local differs = git("diff", "--cached", "--quiet", "--", unpack(paths))
    if not differs then return end
    err = commit(paths)
  end
  if err then
    ext.notify("not committed: " .. err, "warn")
  elseif #paths > 0 then
    local names = {}
    for i, path in ipairs(paths) do names[i] = ext.path.rel(path) end
    ext.notify("committed: " .. table.concat(names, ", "))
  end
end)

-- fake replaces git. fails has the errors of the commands that fail. It returns a list, to which
-- each command that runs is added.
local function fake(t, fails)
  local ran = {}
  t.stub("exec", function(call)
    local line = table.concat(call.argv, " ", 3)
    ran[#ran + 1] = line
    return { code = fails[line] and 1 or 0, stdout = "", stderr = fails[line] or "" }
  end)
  return ran
end

local function start(t, text, depth)
  t.emit("agent_before_start", { prompt = text, system_prompt = "", depth = depth })
end

local function finish(t, status, depth)
  return t.emit("agent_end", { status = status, response = "", depth = depth }).said
end

ext.test("commits what was changed, at the end of a completed prompt", function(t)
  local a, b = ext.path.abs("a"), ext.path.abs("b")
  local both = a .. " " .. b
  local ran = fake(t, { ["diff --cached --quiet -- " .. both] = "" })
  start(t, "\n mend the door" .. ("!"):rep(99) .. "\nnow")
  finish(t, "completed")
  t.call("write", { path = "b", content = "x" })
  t.call("edit", { path = "./sub/../a", edits = { { old = "x", new = "y" } } })
  finish(t, "cancelled")
  -- a sub-agent works for the same prompt
  start(t, "help", 1)
  finish(t, "completed", 1)
  t.equal(#ran, 0)
  t.equal(finish(t, "completed"), { "committed: a, b" })
  t.equal(ran, {
    "add -- " .. a,
    "add -- " .. b,
    "diff --cached --quiet -- " .. both,
    "commit -q -m mend the door" .. ("!"):rep(57) .. " --only -- " .. both,
  })
end)

ext.test("ignores failed calls and the changes of earlier prompts", function(t)
  local ran = fake(t, {})
  t.stub("tool", function() return { content = "no such file", is_error = true } end)
  t.call("write", { path = "a", content = "x" })
  finish(t, "completed")
  t.stub("tool", function() return "done" end)
  t.call("write", { path = "b", content = "x" })
  start(t, "go")
  finish(t, "completed")
  t.equal(#ran, 0)
end)

ext.test("leaves out what git refuses, and makes no empty commit", function(t)
  local a, out = ext.path.abs("a"), ext.path.abs("out")
  local diff = "diff --cached --quiet -- " .. a
  local fails = { ["add -- " .. out] = "it is ignored\nhint", [diff] = "" }
  local ran = fake(t, fails)
  t.call("write", { path = "out", content = "x" })
  t.equal(finish(t, "completed"), { "not committed: it is ignored" })
  t.call("write", { path = "a", content = "x" })
  t.equal(finish(t, "completed"), { "committed: a" })
  fails["commit -q -m changes --only -- " .. a] = "the hook says no"
  t.equal(finish(t, "completed"), { "not committed: the hook says no" })
  fails[diff] = nil
  t.equal(finish(t, "completed"), ext.list{})
  t.equal(ran[#ran], diff)
  t.stub("exec", function() return { error = "not_found", message = "there is no git" } end)
  t.equal(finish(t, "completed"), { "not committed: there is no git" })
end)
