-- ==Agent==
-- @name     notes
-- @summary  /note TEXT adds a line to NOTES.md, /notes shows them, and the model gets them
-- @grant    fs.read:./NOTES.md  fs.write:./NOTES.md
-- ==/Agent==

local file = "NOTES.md"

ext.command{
  name = "note",
  description = "Writes a note down",
  run = function(text)
    if text == "" then return { error = "what should be noted?" } end
    local ok, err = ext.fs.append(file, "- " .. text .. "\n")
    if not ok then return { error = err.message } end
    return { display = "Noted." }
  end,
}

ext.command{
  name = "notes",
  description = "Shows the notes, or those with a word",
  run = function(word)
    local found = {}
    local lines, err = ext.fs.lines(file)
    if err and err.code ~= "not_found" then return { error = err.message } end
    for _, line in ipairs(lines or {}) do
      if line:lower():find(word:lower(), 1, true) then found[#found + 1] = line end
    end
    return { display = #found > 0 and table.concat(found, "\n") or "No notes." }
  end,
}

ext.on("agent_before_start", function()
  local notes = ext.fs.read(file, { limit = 4000 })
  if notes then return { context = "The user's notes:\n" .. notes } end
end)

ext.test("a note is kept and found", function(t)
  t.equal(t.command("/notes").display, "No notes.")
  t.match(t.command("/note").error, "what")
  t.command("/note call Ada back")
  t.command("/note buy milk")
  t.equal(t.command("/notes").display, "- call Ada back\n- buy milk")
  t.equal(t.command("/notes ada").display, "- call Ada back")
  t.match(t.emit("agent_before_start", { prompt = "x" }).context, "buy milk")
end)

ext.test("a word is not a pattern, and the model gets the beginning of long notes", function(t)
  t.equal(t.command("/note call Ada").display, "Noted.")
  t.equal(t.command("/notes a.a").display, "No notes.")
  t.file("NOTES.md", ("x"):rep(9000))
  t.equal(#t.emit("agent_before_start", { prompt = "x" }).context < 4100, true)
end)

ext.test("errors name the file", function(t)
  t.file("NOTES.md/x", "") -- NOTES.md is a folder
  t.match(t.command("/note a").error, "NOTES.md")
  t.match(t.command("/notes").error, "NOTES.md")
end)
