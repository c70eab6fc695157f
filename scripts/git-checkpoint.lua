-- ==Agent==
-- @name     git-checkpoint
-- @summary  Saves your files before each prompt; /rewind restores them and removes newer files
-- @grant    exec:git
-- ==/Agent==

local most = 50 -- checkpoints per session; git removes older ones later

-- git runs a git command. It returns the output without the final line break, or nil on failure.
-- The command uses an index of its own, so your staged changes and ignored files are not touched.
local function git(...)
  local function output(...)
    local result = ext.exec(...)
    return result and result.code == 0 and (result.stdout:gsub("%s+$", "")) or nil
  end
  local index = output{ "git", "rev-parse", "--path-format=absolute", "--git-path", "agent-index" }
  if not index then return nil end -- no repository
  return output({ "git", ... }, { timeout = 60, env = { GIT_INDEX_FILE = index } })
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

local restored = [[
Your files are as they were before prompt %d: %s

As they were just now: `git restore --source %s -- :/`]]

ext.command{
  name = "rewind",
  description = "Restores your files as they were before the last prompt, or before prompt N",
  args = { "n integer?: which prompt" },
  run = function(args)
    local kept = ext.state.get("kept") or {}
    local n = args.n or #kept
    local point = kept[n]
    if not point then return { error = ("there are %d checkpoints"):format(#kept) } end
    local now = snapshot()
    if not now or not git("read-tree", "--reset", "-u", point.tree) then
      return { error = "git could not restore " .. point.tree }
    end
    return { display = restored:format(n, point.prompt, now:sub(1, 12)) }
  end,
}

local function start(t, prompt, depth)
  t.emit("agent_before_start", { prompt = prompt, system_prompt = "", depth = depth })
end

ext.test("makes a checkpoint before each prompt, and restores it", function(t)
  local ran = {}
  local says = { ["write-tree"] = "abc\n", ["rev-parse"] = "/repo/.git/agent-index\n" }
  t.stub("exec", function(call)
    local command = call.argv[2]
    if command ~= "rev-parse" then
      ran[#ran + 1] = table.concat(call.argv, " ")
      t.equal(call.env.GIT_INDEX_FILE, "/repo/.git/agent-index")
    end
    return says[command]
  end)
  t.match(t.command("/rewind").error, "there are 0 checkpoints")
  t.equal(ran, {})
  start(t, "break it")
  t.equal(ran, { "git add -A :/", "git write-tree", "git update-ref refs/agent/abc abc" })
  t.match(t.command("/rewind 1").display, "before prompt 1: break it")
  t.equal(ran[#ran], "git read-tree --reset -u abc")
  t.match(t.command("/rewind 2").error, "there are 1 checkpoints")
end)

ext.test("makes none without a repository", function(t)
  t.stub("exec", function() return { code = 128, stderr = "not a git repository" } end)
  start(t, "go")
  t.match(t.command("/rewind").error, "there are 0 checkpoints")
end)

ext.test("keeps the last checkpoints, and makes none for sub-agents", function(t)
  local trees, removed = 0, {}
  t.stub("exec", function(call)
    if call.argv[2] == "write-tree" then
      trees = trees + 1
      return "tree" .. trees
    end
    if call.argv[3] == "-d" then removed[#removed + 1] = call.argv[4] end
    return ""
  end)
  for _ = 1, most + 1 do start(t, "a" .. ("é"):rep(80)) end
  start(t, "go", 1)
  t.equal(removed, { "refs/agent/tree1" })
  t.match(t.command("/rewind 51").error, "there are 50 checkpoints")
  t.match(t.command("/rewind 50").display, "before prompt 50: aé{59}\n")
  t.match(t.command("/rewind").display, "before prompt 50")
  for _, failing in ipairs{ "read-tree", "add", "rev-parse" } do
    t.stub("exec", function(call)
      return { code = call.argv[2] == failing and 1 or 0, stdout = "", stderr = "" }
    end)
    t.match(t.command("/rewind").error, "git could not restore tree51")
  end
end)
