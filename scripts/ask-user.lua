-- ==Agent==
-- @name     ask-user
-- @summary  A tool with which the model asks you a question instead of guessing
-- @grant    ui
-- ==/Agent==

-- An open dialog stops the clock of the tool: you may take your time.
ext.tool{
  name = "ask_user",
  description = "Ask the user something that you cannot find out by yourself. "
    .. "Give answers to choose from where you can.",
  read_only = true,
  schema = { question = "string: one question", answers = "string[]?: to choose from" },
  run = function(args)
    local answer, err
    if args.answers and #args.answers > 0 then
      answer, err = ext.ui.select(args.question, args.answers)
    else
      answer, err = ext.ui.input(args.question)
    end
    if answer then return "The user answers: " .. answer end
    return ("The user gave no answer (%s). Do what seems best, and say so."):format(err.code)
  end,
}

ext.test("chosen and written answers", function(t)
  local function ask(question, answers)
    return t.call("ask_user", { question = question, answers = answers }).content
  end
  t.answer("select", "blue")
  t.equal(ask("Which?", { "red", "blue" }), "The user answers: blue")
  t.answer("input", "42")
  t.equal(ask("How many?"), "The user answers: 42")
  t.match(ask("Really?"), "no answer \\(headless\\)")
end)
