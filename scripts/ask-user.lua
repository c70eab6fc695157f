-- ==Agent==
-- @name     ask-user
-- @summary  A tool with which the model asks you a question instead of guessing
-- @grant    ui
-- ==/Agent==

ext.tool{
  name = "ask_user", kind = "other", read_only = true, approve = false, timeout = 600,
  description = "Ask the user something that you cannot find out by yourself. Give answers to choose from where you can.",
  schema = { question = "string: one question", answers = "string[]?: to choose from" },
  run = function(args)
    local answer, why
    if args.answers and #args.answers > 0 then
      answer, why = ext.ui.select(args.question, args.answers)
    else
      answer, why = ext.ui.input(args.question)
    end
    if answer == nil then return "The user gave no answer (" .. (why and (why.code or why) or "cancelled") .. "). Do what seems best, and say so." end
    return "The user answers: " .. answer
  end,
}

ext.test("chosen and written answers", function(t)
  t.answer("select", "blue")
  t.equal(t.call("ask_user", { question = "Which?", answers = { "red", "blue" } }).content, "The user answers: blue")
  t.answer("input", "42")
  t.equal(t.call("ask_user", { question = "How many?" }).content, "The user answers: 42")
  t.match(t.call("ask_user", { question = "Really?" }).content, "no answer \\(headless\\)")
end)
