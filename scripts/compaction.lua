-- ==Agent==
-- @name     compaction
-- @summary  Adds instructions to summaries, and /tidy to compact the conversation when it suits you
-- @grant    agent
-- ==/Agent==

local keep = ext.option{
  name = "keep",
  description = "what every summary must keep",
  default = "Keep every path, every decision and its reason, and what is left to do, as lists.",
}

ext.on("session_before_compact", function(ev)
  return { instructions = ev.instructions and ev.instructions .. "\n" .. keep or keep }
end)

-- tidy compacts the conversation unless it uses less than half of the model's window. Some models
-- do not tell the size of their window: percent is then nil.
local function tidy(percent)
  if percent and percent < 50 then
    local message = "Only %d %% of the window is used: `/compact` compacts it anyway."
    return { display = message:format(percent) }
  end
  local ok, err = ext.agent.compact()
  return ok and { display = "The conversation is compacted." } or { error = err.message }
end

ext.command{
  name = "tidy",
  description = "Compacts the conversation if half of the model's window or more is used",
  run = function(_, call) return tidy(call.window and call.window.percent) end,
}

ext.test("instructions are added to yours", function(t)
  local fields = {
    cause = "manual", messages = ext.list{}, keep_from = "",
    input_tokens = 1, output_tokens = 1, limit = 0,
  }
  t.match(t.emit("session_before_compact", fields).instructions, "^Keep every path")
  fields.instructions = "Be short."
  t.match(t.emit("session_before_compact", fields).instructions, "^Be short.\nKeep every")
end)

ext.test("compacts from half of the window on", function(t)
  t.match(t.command("/tidy").display, "Only 0 % of the window")
  t.match(tidy(49.9).display, "Only 49 % of the window")
  -- a test has no conversation: ext.agent.compact fails
  t.match(tidy(50).error, "ext.agent.compact")
  t.match(tidy(100).error, "ext.agent.compact")
  t.match(tidy(nil).error, "ext.agent.compact")
end)
