-- ==Agent==
-- @name     checks
-- @summary  Runs your checks after a prompt that changed files, and gives failures to the model
-- @grant    exec:sh agent
-- ==/Agent==

local line = ext.option{ name = "run", description = "the command line that checks, such as: go test ./...", default = "" }
local most = ext.option{ name = "most", description = "how often in a row the model is sent back", default = 2 }

-- complaint is the message for the model. Only the end of the output is included.
local function complaint(result)
  local how = result.timed_out and "did not end in time" or "ended with " .. result.code
  local said = ext.text.truncate(result.stdout .. result.stderr, { bytes = 8000, keep = "tail" })
  return ("`%s` %s:\n\n%s\n\nMend it."):format(line, how, said)
end

local changed, sent = false, 0
-- ev.writes lists the files that a call writes, for every tool, including shell commands.
ext.on("tool_result", function(ev) changed = changed or not ev.is_error and #ev.writes > 0 end)
ext.on("input", function(ev)
  if ev.source ~= "script" and ev.source ~= "queue" then sent = 0 end
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

ext.test("without changes, or without a command line, nothing runs", function(t)
  t.stub("exec", function() error("it ran") end)
  t.equal(t.emit("agent_end", { status = "completed", response = "" }).said, ext.list{})
  t.call("write", { path = "a", content = "b" })
  t.equal(t.emit("agent_end", { status = "completed", response = "" }).said, ext.list{})
end)
ext.test("what fails goes back to the model, twice at most, and anew when you say something", function(t)
  line = "make check"
  local code, ran = 1, 0
  t.stub("exec", function() ran = ran + 1 return { code = code, stdout = "FAIL\n", stderr = "" } end)
  local function prompt(source, status)
    t.emit("input", { kind = "prompt", source = source, text = "go" })
    t.call("write", { path = "a", content = "b" })
    return t.emit("agent_end", { status = status or "completed", response = "" }).said[1] or "nothing"
  end
  t.equal({ prompt("cli"), sent }, { "nothing", 1 })
  t.equal({ prompt("script"), sent }, { "nothing", 2 })
  t.match(prompt("queue"), "checks still fail: make check")
  t.equal(sent, 2)
  t.equal({ prompt("interactive"), sent }, { "nothing", 1 })
  t.equal({ prompt("interactive", "cancelled"), ran }, { "nothing", 4 })
  t.emit("agent_end", { status = "completed", response = "", depth = 1 })
  t.equal(ran, 4)
  code = 0
  t.match(prompt("cli"), "checks passed: make check")
  t.equal(sent, 0)
  t.emit("agent_end", { status = "completed", response = "" })
  t.equal(ran, 5)
end)
ext.test("what cannot be written changes nothing", function(t)
  line = "make check"
  t.stub("exec", function() error("it ran") end)
  t.stub("tool", function() return { content = "denied", is_error = true } end)
  t.call("write", { path = "a", content = "b" })
  t.emit("agent_end", { status = "completed", response = "" })
end)
ext.test("what a command writes is a change, what it reads is none", function(t)
  line = "make check"
  local ran = 0
  t.stub("exec", function() ran = ran + 1 return { code = 0, stdout = "", stderr = "" } end)
  for command, want in pairs{ ["cat a"] = 0, ["sed -i 1d a"] = 1 } do
    ran = 0
    t.call("bash", { command = command })
    t.emit("agent_end", { status = "completed", response = "" })
    t.equal(ran, want)
  end
end)
ext.test("what the model is told", function(t)
  line = "make check"
  t.equal(complaint{ code = 3, stdout = "out\n", stderr = "err" }, "`make check` ended with 3:\n\nout\nerr\n\nMend it.")
  local long = complaint{ code = 128, timed_out = true, stdout = "first\n" .. ("x\n"):rep(9000) .. "last", stderr = "" }
  t.match(long, "did not end in time")
  t.match(long, "x\nlast\n\nMend it")
  t.equal({ ext.regex.test("first", long), #long < 8300 }, { false, true })
end)
