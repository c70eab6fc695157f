-- ==Agent==
-- @name     btw
-- @summary  /btw QUESTION answers from the conversation so far, without adding to it
-- @grant    llm session
-- ==/Agent==

-- prompt is the question for the model. Only the end of a long conversation is included.
local function prompt(said, question)
  return ext.text.truncate(said, { bytes = 50000, keep = "tail" }) .. "\n\nQuestion: " .. question
end

ext.command{ name = "btw", description = "Ask something by the way", run = function(args)
  if args == "" then return { error = "what is the question?" } end
  local answer, err = ext.llm.complete{
    system = "Answer the question about this conversation in a few sentences.",
    prompt = prompt(ext.text.transcript(ext.session.messages()), args),
  }
  if not answer then return { error = err.message } end
  return { display = answer.text }
end }

ext.test("the model answers", function(t)
  t.stub("llm", function(request) return request.prompt:match("Question: (.*)"):upper() end)
  t.equal(t.command("/btw why?").display, "WHY?")
  t.match(t.command("/btw").error, "what is the question")
  t.stub("llm", function() return { error = "overloaded", message = "later" } end)
  t.equal(t.command("/btw why?").error, "later")
end)
ext.test("of a long conversation, the end", function(t)
  local asked = prompt("first\n" .. ("x\n"):rep(30000) .. "last", "why?")
  t.equal(ext.regex.test("first", asked), false)
  t.match(asked, "x\nlast\n\nQuestion: why\\?$")
  t.equal(#asked > 45000 and #asked < 51000, true)
end)
