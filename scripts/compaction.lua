-- ==Agent==
-- @name     compaction
-- @summary  Adds instructions to summaries, and /tidy to compact the conversation when it suits you
-- @grant    agent
-- ==/Agent==

local keep = ext.option{ name = "keep", description = "what every summary must keep",
  default = "Keep every file path, every decision with its reason, and what is still to do, as lists." }

ext.on("session_before_compact", function(ev)
  return { instructions = ev.instructions and ev.instructions .. "\n" .. keep or keep }
end)

local function tidy(percent)
  if percent and percent < 50 then return { display = ("Only %d %% is used: `/compact` does it all the same."):format(percent) } end
  local ok, err = ext.agent.compact()
  return ok and { display = "The conversation is tidy." } or { error = err.message }
end

ext.command{ name = "tidy", description = "Compact now if half of the model's window is used, or nobody knows how much is", run = function(_, call)
  return tidy(call.window and call.window.percent)
end }

ext.test("instructions are added to yours", function(t)
  local fields = { cause = "manual", messages = ext.list{}, keep_from = "", input_tokens = 1, output_tokens = 1, limit = 0 }
  t.match(t.emit("session_before_compact", fields).instructions, "^Keep every file path")
  fields.instructions = "Be short."
  t.match(t.emit("session_before_compact", fields).instructions, "^Be short.\nKeep every")
end)
ext.test("from half of the window on", function(t)
  t.match(t.command("/tidy").display, "Only 0 % is used")
  t.match(tidy(49.9).display, "Only 49 % is used")
  for _, percent in ipairs{ 50, 100 } do t.match(tidy(percent).error, "ext.agent.compact") end -- in a test there is nothing to compact
  t.match(tidy(nil).error, "ext.agent.compact")
end)
