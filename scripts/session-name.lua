-- ==Agent==
-- @name     session-name
-- @summary  Names a session after its first prompt, with a small model
-- @grant    llm session
-- ==/Agent==

-- name_in returns a model's answer without the quotes, asterisks or full stop around it.
local function name_in(text)
  local line = ext.regex.find("[\\pL\\pN][^\n]{0,59}", text)
  return line and (ext.regex.replace("[\\s\"'*`.]+$", line.text, ""))
end

-- beginning returns the part of the conversation that the model gets.
local function beginning(conversation)
  return ext.text.truncate(conversation, { bytes = 4000, keep = "head" })
end

ext.on("agent_end", { depth = 0, timeout = 30 }, function(ev)
  if ev.status ~= "completed" or ext.session.name() then return end
  local answer, err = ext.llm.complete{
    model = "small",
    max_tokens = 30,
    system = "Name this conversation in at most five words. Answer with the name alone.",
    prompt = beginning(ext.text.transcript(ext.session.messages())),
  }
  if not answer then return ext.log.debug(err.message) end
  local name = name_in(answer.text)
  if name then ext.session.name(name) end
end)

ext.test("asks a model once, at the end of a completed prompt", function(t)
  local asked, answer = {}, { error = "overloaded", message = "later" }
  t.stub("llm", function(request)
    asked[#asked + 1] = request.model
    return answer
  end)
  t.emit("agent_end", { status = "cancelled", response = "" })
  t.emit("agent_end", { status = "completed", response = "", depth = 1 })
  t.equal(#asked, 0)
  t.emit("agent_end", { status = "completed", response = "done" })
  t.equal(ext.session.name(), nil)
  answer = " \n**\"The name\".**\nIt fits."
  for _ = 1, 2 do t.emit("agent_end", { status = "completed", response = "done" }) end
  t.equal(ext.session.name(), "The name")
  t.equal(asked, { "small", "small" })
end)

ext.test("names are short", function(t)
  t.equal(name_in(("é"):rep(99)), ("é"):rep(60))
  t.equal(name_in(" \n"), nil)
  t.match(beginning("first" .. ("x\n"):rep(9000)), "^first")
end)
