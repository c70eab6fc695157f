-- ==Agent==
-- @name     auto-commit
-- @summary  After each prompt, commits the files that the model changed, with the prompt as the message
-- @grant    exec:git
-- ==/Agent==

-- git runs a git command. It returns the error text, or nil on success.
local function git(...)
  local r, err = ext.exec{ "git", "--literal-pathspecs", ... }
  if r and r.code == 0 then return nil end
  return (ext.regex.find("[^\n]{1,200}", r and r.stderr .. r.stdout or err.message) or { text = "git failed" }).text
end

local prompt, changed = "", {}
ext.on("agent_before_start", { depth = 0 }, function(ev) prompt, changed = ev.prompt, {} end)
-- ev.writes lists the absolute paths of the files that a call writes, for every tool.
ext.on("tool_result", { kind = "edit" }, function(ev)
  if ev.is_error then return end
  for _, path in ipairs(ev.writes) do changed[path] = true end
end)

local function sorted(set)
  local list = {}
  for path in pairs(set) do list[#list + 1] = path end
  table.sort(list)
  return list
end

ext.on("agent_end", { depth = 0, timeout = 120 }, function(ev)
  if ev.status ~= "completed" then return end
  local paths, names, why = {}, {}, nil
  for _, path in ipairs(sorted(changed)) do
    why = git("add", "--", path)
    if not why then paths[#paths + 1], names[#names + 1] = path, ext.path.rel(path) end -- what git ignores, does not have or no longer finds keeps it from nothing else
  end
  if #paths == 0 then return why and ext.notify("not committed: " .. why, "warn") end
  if not git("diff", "--cached", "--quiet", "--", unpack(paths)) then return end -- nothing has changed
  local message = (ext.regex.find("\\S[^\n]{0,69}", prompt) or { text = "changes" }).text
  why = git("commit", "-q", "-m", message, "--only", "--", unpack(paths))
  ext.notify(why and "not committed: " .. why or "committed: " .. table.concat(names, ", "), why and "warn" or "info")
end)

-- fake replaces git; fails holds the commands that fail. It returns the list of commands that were run.
local function fake(t, fails)
  local ran = {}
  t.stub("exec", function(call)
    local line = table.concat(call.argv, " ", 3)
    ran[#ran + 1] = line
    return { code = fails[line] and 1 or 0, stdout = "", stderr = fails[line] or "" }
  end)
  return ran
end

ext.test("only what was changed, and only when it is done", function(t)
  local a, b = ext.path.abs("a"), ext.path.abs("b")
  local both = a .. " " .. b
  local ran = fake(t, { ["diff --cached --quiet -- " .. both] = "" })
  t.emit("agent_before_start", { prompt = "\n mend the door" .. ("!"):rep(99) .. "\nnow", system_prompt = "" })
  t.emit("agent_end", { status = "completed", response = "" })
  t.call("write", { path = "b", content = "x" })
  t.call("edit", { path = "./sub/../a", edits = { { old = "x", new = "y" } } })
  t.emit("agent_end", { status = "cancelled", response = "" })
  t.emit("agent_before_start", { prompt = "help", system_prompt = "", depth = 1 }) -- a sub-agent is part of the work
  t.emit("agent_end", { status = "completed", response = "", depth = 1 })
  t.equal(#ran, 0)
  t.equal(t.emit("agent_end", { status = "completed", response = "" }).said, { "committed: a, b" })
  t.equal(ran, { "add -- " .. a, "add -- " .. b, "diff --cached --quiet -- " .. both,
    "commit -q -m mend the door" .. ("!"):rep(57) .. " --only -- " .. both })
end)
ext.test("what fails was not changed, and a new prompt begins anew", function(t)
  local ran = fake(t, {})
  t.stub("tool", function() return { content = "no such file", is_error = true } end)
  t.call("write", { path = "a", content = "x" })
  t.emit("agent_end", { status = "completed", response = "" })
  t.stub("tool", function() return "done" end)
  t.call("write", { path = "b", content = "x" })
  t.emit("agent_before_start", { prompt = "go", system_prompt = "" })
  t.emit("agent_end", { status = "completed", response = "" })
  t.equal(#ran, 0)
end)
ext.test("what git cannot take is left out, what is as it was makes no commit", function(t)
  local a, out = ext.path.abs("a"), ext.path.abs("out")
  local diff = "diff --cached --quiet -- " .. a
  local fails = { ["add -- " .. out] = "it is ignored\nhint", [diff] = "" }
  local ran = fake(t, fails)
  t.call("write", { path = "out", content = "x" })
  t.equal(t.emit("agent_end", { status = "completed", response = "" }).said, { "not committed: it is ignored" })
  t.call("write", { path = "a", content = "x" })
  t.equal(t.emit("agent_end", { status = "completed", response = "" }).said, { "committed: a" })
  fails["commit -q -m changes --only -- " .. a] = "the hook says no"
  t.equal(t.emit("agent_end", { status = "completed", response = "" }).said, { "not committed: the hook says no" })
  fails[diff] = nil
  t.equal(t.emit("agent_end", { status = "completed", response = "" }).said, ext.list{})
  t.equal(ran[#ran], diff)
  t.stub("exec", function() return { error = "not_found", message = "there is no git" } end)
  t.equal(t.emit("agent_end", { status = "completed", response = "" }).said, { "not committed: there is no git" })
end)
