-- ==Agent==
-- @name     templates
-- @summary  Common prompts as commands: /explain, /review, /fix
-- ==/Agent==

-- Copy this file and make the list your own. The text after the command replaces %s; without one,
-- default does.
local templates = {
  {
    name = "explain",
    description = "Explain a piece of code",
    prompt = "Explain %s: its purpose, how it works, and what is surprising. Change nothing.",
  },
  {
    name = "review",
    description = "Review changes",
    prompt = "Review %s as a careful colleague would: bugs first, then what is hard to read. "
      .. "Change nothing.",
    default = "the changes that are not committed yet",
  },
  {
    name = "fix",
    description = "Fix what fails",
    prompt = "Run %s, find out why it fails, and mend the cause, not the symptom.",
    default = "the tests",
  },
}

for _, template in ipairs(templates) do
  ext.command{
    name = template.name,
    description = template.description,
    run = function(args)
      local about = args ~= "" and args or template.default
      if not about then return { error = "about what?" } end
      return { prompt = (template.prompt:gsub("%%s", function() return about end)) }
    end,
  }
end

ext.test("the text after the command is inserted", function(t)
  t.match(t.command("/explain main.go %1").prompt, "^Explain main.go %1: its")
  t.match(t.command("/fix").prompt, "^Run the tests, find")
  t.match(t.command("/explain").error, "about what")
end)
