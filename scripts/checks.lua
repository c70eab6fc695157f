-- ==Agent==
-- @name     checks
-- @summary  Runs your checks after a prompt that changed files, and gives failures to the model
-- @grant    exec:sh agent
-- ==/Agent==

local line = ext.option{
  name = "run",
  description = "the command line that checks, such as: go test ./...",
  default = "",
}
local most = ext.option{
  name = "most",
  description = "how many times in a row the model gets failures to mend",
  default = 2,
}

-- complaint is the message for the model. Only the end of the output is included.
local function complaint(result)
  local how = result.timed_out and "did not end in time" or "ended with " .. result.code
  local said = ext.text.truncate(result.stdout .. result.stderr, { bytes = 8000, keep = "tail" })
  return ("`%s` %s:\n\n%s\n\nMend it."):format(line, how, said)
end

local changed, sent = false, 0

-- ev.writes lists the files that a call writes, for every tool, including shell commands.
ext.on("tool_result", function(ev)
  if #ev.writes > 0 and not ev.is_error then changed = true end
end)

-- What you say begins a new count; what this script sends does not.
ext.on("input", function(ev)
  if ev.source ~= "script" then sent = 0 end
end)

ext.on("agent_end", { depth = 0, timeout = 300 }, function(ev)
  if line == "" or not changed or ev.status ~= "completed" then return end
  changed = false
  local result = ext.sh(line, { timeout = 240 })
  if result.code == 0 then return ext.notify("checks passed: " .. line) end
  if sent >= most then return ext.notify("checks still fail: " .. line, "warn") end
  sent = sent + 1
  ext.agent.send(complaint(result))
end)

-- finish ends a prompt, and returns the notices.
local function finish(t, status, depth)
  return t.emit("agent_end", { status = status, response = "", depth = depth }).said
end

local function write(t) t.call("write", { path = "a", content = "b" }) end

ext.test("nothing runs without changes or without a command line", function(t)
  t.stub("exec", function() error("it ran") end)
  t.equal(finish(t, "completed"), ext.list{})
  write(t)
  t.equal(finish(t, "completed"), ext.list{})
end)

ext.test("failures go to the model, at most twice until you say something", function(t)
  line = "make check"
  local code, ran = 1, 0
  t.stub("exec", function()
    ran = ran + 1
    return { code = code, stdout = "FAIL\n", stderr = "" }
  end)
  local function prompt(source, status)
    t.emit("input", { kind = "prompt", source = source, text = "go" })
    write(t)
    return finish(t, status or "completed")[1] or "nothing"
  end
  t.equal({ prompt("cli"), sent }, { "nothing", 1 })
  t.equal({ prompt("script"), sent }, { "nothing", 2 })
  t.match(prompt("script"), "checks still fail: make check")
  t.equal(sent, 2)
  t.equal({ prompt("queue"), sent }, { "nothing", 1 })
  t.equal({ prompt("interactive", "cancelled"), ran }, { "nothing", 4 })
  finish(t, "completed", 1)
  t.equal(ran, 4)
  code = 0
  t.match(prompt("cli"), "checks passed: make check")
  t.equal(sent, 0)
  finish(t, "completed")
  t.equal(ran, 5)
end)

ext.test("a failed write is no change", function(t)
  line = "make check"
  t.stub("exec", function() error("it ran") end)
  t.stub("tool", function() return { content = "denied", is_error = true } end)
  write(t)
  finish(t, "completed")
end)

ext.test("a command that writes is a change, one that reads is not", function(t)
  line = "make check"
  local ran = 0
  t.stub("exec", function()
    ran = ran + 1
    return { code = 0, stdout = "", stderr = "" }
  end)
  for command, want in pairs{ ["cat a"] = 0, ["sed -i 1d a"] = 1 } do
    ran = 0
    t.call("bash", { command = command })
    finish(t, "completed")
    t.equal(ran, want)
  end
end)

ext.test("the message has the exit code and the end of the output", function(t)
  line = "make check"
  local short = complaint{ code = 3, stdout = "out\n", stderr = "err" }
  t.equal(short, "`make check` ended with 3:\n\nout\nerr\n\nMend it.")
  local output = "first\n" .. ("x\n"):rep(9000) .. "last"
  local long = complaint{ code = 128, timed_out = true, stdout = output, stderr = "" }
  t.match(long, "did not end in time")
  t.match(long, "x\nlast\n\nMend it")
  t.equal({ ext.regex.test("first", long), #long < 8300 }, { false, true })
end)
