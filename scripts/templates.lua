-- ==Agent==
-- @name     templates
-- @summary  Common prompts as commands: /explain, /review, /fix
-- ==/Agent==

-- Copy this file and make the list your own. The text after the command replaces %s.
local templates = {
  { "explain", "Explain a piece of code", "Explain %s: what it is for, how it works, and what surprises in it. Change nothing." },
  { "review", "Look over changes", "Review %s as a careful colleague would: bugs first, then what is hard to read. Change nothing.", "the changes that are not committed yet" },
  { "fix", "Fix what fails", "Run %s, find out why it fails, and mend the cause, not the symptom.", "the tests" },
}

for _, t in ipairs(templates) do
  local name, description, text, default = t[1], t[2], t[3], t[4]
  ext.command{ name = name, description = description, run = function(args)
    local about = args ~= "" and args or default
    if not about then return { error = "about what?" } end
    return { prompt = (text:gsub("%%s", function() return about end)) }
  end }
end

ext.test("what is typed is put in", function(t)
  t.match(t.command("/explain main.go %1").prompt, "^Explain main.go %1: what")
  t.match(t.command("/fix").prompt, "^Run the tests, find")
  t.match(t.command("/explain").error, "about what")
end)
