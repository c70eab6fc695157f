-- ==Agent==
-- @name    careful
-- @version 1.0.0
-- @api     1
-- @summary No rm -r and no force-push, however they are written down
-- @guards  bash
-- ==/Agent==

-- A guard has the last word on a tool call. This one reads a command as words, the way a careful person would:
-- what is plainly meant is refused, what only looks like it is asked about. It stops accidents. Somebody who
-- wants to hide a command from it can.

-- simple_commands cuts a command line at ; | & ( ) ` and new lines, and each piece into words without quotes.
local function simple_commands(line)
  line = line:gsub("\\\r?\n", " "):gsub("[\"'\\]", ""):gsub("[<>]", " ")
  local list = {}
  for piece in line:gmatch("[^;|&()`\r\n]+") do
    local words = {}
    for word in piece:gmatch("%S+") do words[#words + 1] = word end
    list[#list + 1] = words
  end
  return list
end

local function base(word) return word:match("[^/]*$") end

-- has_flag tells whether one of the short letters ("-fr") or the long flag stands among the words after from.
local function has_flag(words, from, letters, long)
  for i = from + 1, #words do
    local word = words[i]
    if word == "--" then return false end
    if word:find("^%-%a*[" .. letters .. "]") then return true end
    if #word > 2 and long:sub(1, #word) == word then return true end -- --rec is --recursive
  end
  return false
end

-- pushes_by_force looks at the words after git.
local function pushes_by_force(words, git)
  for i = git + 1, #words do
    if words[i] == "push" then
      for k = i + 1, #words do
        if words[k]:sub(1, 1) == "+" then return true end -- git push origin +main
      end
      return has_flag(words, i, "f", "--force")
    end
  end
  return false
end

-- wrappers run the command that follows them.
local wrappers = { sudo = true, doas = true, env = true, command = true, exec = true, nohup = true, nice = true, time = true, xargs = true }

-- program returns the place of the word that names the program that runs.
local function program(words)
  for i, word in ipairs(words) do
    if not wrappers[base(word)] and not word:find("=", 1, true) and word:sub(1, 1) ~= "-" then return i end
  end
end

-- judge returns what is wrong with one simple command, and whether that is certain.
local function judge(words)
  local main = program(words)
  for i, word in ipairs(words) do
    local name = base(word)
    if name == "rm" and words[i - 1] ~= "git" and has_flag(words, i, "rR", "--recursive") then
      return "rm -r cannot be undone: move things to the trash, or remove them one by one", i == main
    elseif name == "git" and pushes_by_force(words, i) then
      return "a force-push destroys what others have pushed: use --force-with-lease", i == main
    end
  end
end

ext.guard({ tool = "bash" }, function(ev)
  local doubt
  for _, words in ipairs(simple_commands(ev.args.command)) do
    local reason, certain = judge(words)
    if certain then return { block = true, reason = reason } end
    doubt = doubt or reason
  end
  if doubt then return { ask = "Run this command all the same?", reason = doubt } end
end)

ext.test("what is plainly meant is refused, what looks like it is asked about", function(t)
  for _, command in ipairs{ "rm -rf x", "sudo r'm' --rec x", "ls; rm -R x", "A=1 rm -r x", "git push --force", "git -C . push origin +main", "git push -f", "true && rm x -r", "nice nohup env rm -r x", "git commit && git push -f" } do
    t.equal(t.call("bash", { command = command }).asked, ext.list{})
    t.blocked()
  end
  for _, command in ipairs{ "find . -exec rm -r {} +", "echo rm -r x", "echo git push -f" } do
    t.answer("approve", true)
    t.call("bash", { command = command })
    t.asked("Run this command all the same?")
  end
  for _, command in ipairs{ "rm x", "rm -f x", "rm -- -r", "git rm -r x", "git push", "git push origin main", "rm -f notes.txt", "git push; ls -f", "git pull --force", "ls -R" } do
    t.call("bash", { command = command })
    t.passed()
  end
end)
