-- ==Agent==
-- @name     git-checkpoint
-- @summary  Saves your files before each prompt; /rewind restores them and removes newer files
-- @grant    exec:git
-- ==/Agent==

local most = 50 -- checkpoints per session; git removes older ones later

-- git uses a separate index here, so your staged changes and ignored files are not touched.
local function git(...)
  local where = ext.exec({ "git", "rev-parse", "--path-format=absolute", "--git-path", "agent-index" })
  if not where or where.code ~= 0 then return nil end -- no repository
  local r = ext.exec({ "git", ... }, { timeout = 60, env = { GIT_INDEX_FILE = (where.stdout:gsub("%s+$", "")) } })
  return r and r.code == 0 and (r.stdout:gsub("%s+$", "")) or nil
end

-- snapshot stores all files, including untracked ones, in a git tree and keeps it with a ref.
local function snapshot()
  local tree = git("add", "-A", ":/") and git("write-tree")
  return tree and git("update-ref", "refs/agent/" .. tree, tree) and tree
end

ext.on("agent_before_start", { depth = 0, timeout = 120 }, function(ev)
  local tree = snapshot()
  if not tree then return end
  local kept = ext.state.get("kept") or {}
  kept[#kept + 1] = { tree = tree, prompt = ext.regex.find("^[^\n]{0,60}", ev.prompt).text }
  if #kept > most then git("update-ref", "-d", "refs/agent/" .. table.remove(kept, 1).tree) end
  ext.state.set("kept", kept)
end)

ext.command{ name = "rewind", description = "Your files as they were before the last prompt, or before prompt N of these", args = { "n integer?: which prompt" }, run = function(args)
  local kept = ext.state.get("kept") or {}
  local n = args.n or #kept
  local point, now = kept[n], snapshot()
  if not point then return { error = ("there are %d checkpoints"):format(#kept) } end
  if not now or not git("read-tree", "--reset", "-u", point.tree) then return { error = "git could not restore " .. point.tree } end
  return { display = ("Your files are as they were before prompt %d: %s\n\nAs they were just now: `git restore --source %s -- :/`"):format(n, point.prompt, now:sub(1, 12)) }
end }

ext.test("a checkpoint before each prompt, and the way back", function(t)
  local ran, said = {}, { ["write-tree"] = "abc\n", ["rev-parse"] = "/repo/.git/agent-index\n" }
  t.stub("exec", function(call)
    if call.argv[2] ~= "rev-parse" then ran[#ran + 1] = table.concat(call.argv, " ") t.equal(call.env.GIT_INDEX_FILE, "/repo/.git/agent-index") end
    return said[call.argv[2]]
  end)
  t.match(t.command("/rewind").error, "there are 0 checkpoints")
  ran = {}
  t.emit("agent_before_start", { prompt = "break it", system_prompt = "" })
  t.equal(ran, { "git add -A :/", "git write-tree", "git update-ref refs/agent/abc abc" })
  t.match(t.command("/rewind 1").display, "before prompt 1: break it")
  t.equal(ran[#ran], "git read-tree --reset -u abc")
  t.match(t.command("/rewind 2").error, "there are 1 checkpoints")
end)
ext.test("no repository", function(t)
  t.stub("exec", function() return { code = 128, stderr = "not a git repository" } end)
  t.emit("agent_before_start", { prompt = "go", system_prompt = "" })
  t.match(t.command("/rewind").error, "there are 0 checkpoints")
end)
ext.test("only the last ones are kept, and none for sub-agents", function(t)
  local n, gone = 0, {}
  t.stub("exec", function(call)
    if call.argv[2] == "write-tree" then n = n + 1 return "tree" .. n end
    if call.argv[3] == "-d" then gone[#gone + 1] = call.argv[4] end
    return ""
  end)
  for _ = 1, 51 do t.emit("agent_before_start", { prompt = "a" .. ("é"):rep(80), system_prompt = "" }) end
  t.emit("agent_before_start", { prompt = "go", system_prompt = "", depth = 1 })
  t.equal(gone, { "refs/agent/tree1" })
  t.match(t.command("/rewind 51").error, "there are 50 checkpoints")
  t.match(t.command("/rewind 50").display, "before prompt 50: aé{59}\n")
  t.match(t.command("/rewind").display, "before prompt 50")
  for _, fails in ipairs{ "read-tree", "add", "rev-parse" } do
    t.stub("exec", function(call) return { code = call.argv[2] == fails and 1 or 0, stdout = "", stderr = "" } end)
    t.match(t.command("/rewind").error, "git could not restore tree51")
  end
end)
