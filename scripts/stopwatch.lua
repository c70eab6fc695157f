-- ==Agent==
-- @name     stopwatch
-- @summary  Shows in the status line how long the agent has worked on a prompt
-- @grant    ui
-- ==/Agent==

local since, stop = 0, nil

local function span(seconds)
  if seconds < 60 then return ("%d s"):format(seconds) end
  return ("%d m %02d s"):format(math.floor(seconds / 60), seconds % 60)
end

local function show(text)
  ext.ui.status("stopwatch", { { text, "dim" } }, { side = "right" })
end

ext.on("agent_start", { depth = 0 }, function()
  since = ext.time.now()
  show("0 s")
  if stop then stop() end
  stop = ext.every(1, function() show(span(ext.time.now() - since)) end)
end)

ext.on("agent_end", { depth = 0 }, function()
  if not stop then return end
  stop()
  stop = nil
  show("took " .. span(ext.time.now() - since))
end)

ext.test("it runs while the agent works", function(t)
  t.emit("agent_start", { prompt = "go" })
  t.equal(t.screen().status.stopwatch, "0 s")
  t.equal(t.screen().sides.stopwatch, "right")
  t.clock(59.5)
  t.equal(t.screen().status.stopwatch, "59 s")
  t.clock(65.5)
  t.equal(t.screen().status.stopwatch, "2 m 05 s")
  t.emit("agent_end", { status = "completed", response = "" })
  t.clock(60)
  t.equal(t.screen().status.stopwatch, "took 2 m 05 s")
end)

ext.test("sub-agents neither start nor stop it", function(t)
  t.emit("agent_start", { prompt = "go" })
  t.clock(5)
  t.emit("agent_start", { prompt = "help", depth = 1 })
  t.emit("agent_end", { status = "completed", response = "", depth = 1 })
  t.clock(5)
  t.equal(t.screen().status.stopwatch, "10 s")
end)
