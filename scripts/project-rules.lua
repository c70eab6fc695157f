-- ==Agent==
-- @name     project-rules
-- @summary  Gives the model the rules in .agent/rules/*.md at the start, or when it touches matching files
-- @grant    fs.read:./.agent/rules/**
-- ==/Agent==

-- A rule whose first line is "paths: src/**/*.ts, *.sql" applies to such files; any other rule always applies.
local function rules()
  local found = {}
  for _, path in ipairs(ext.fs.find(".agent/rules/**/*.md")) do
    local text = ext.fs.read(path)
    local line = text:match("^paths:([^\n]*)")
    found[#found + 1] = { path = path, text = line and text:gsub("^[^\n]*\n?", "") or text, globs = line and ext.regex.split("\\s*,\\s*", (line:gsub("^%s+", ""):gsub("%s+$", ""))) }
  end
  return found
end

ext.on("agent_before_start", function(ev)
  local texts = {}
  for _, rule in ipairs(rules()) do
    if not rule.globs then texts[#texts + 1] = rule.text end
  end
  if #texts > 0 then return { system_prompt = ev.system_prompt .. "\n\n# Rules of this project\n\n" .. table.concat(texts, "\n") } end
end)

-- fits reports whether a rule applies to one of the files.
local function fits(rule, files)
  for _, file in ipairs(files or {}) do
    for _, glob in ipairs(rule.globs) do
      if ext.match(glob, ext.path.rel(file, ext.cwd) or file) then return true end
    end
  end
  return false
end

-- The session remembers which rules the model was given, until a summary replaces them.
ext.on("tool_result", function(ev)
  local texts = {}
  for _, rule in ipairs(rules()) do
    local key = "told:" .. rule.path
    if rule.globs and not ext.state.get(key) and (fits(rule, ev.reads) or fits(rule, ev.writes)) then
      ext.state.set(key, true)
      texts[#texts + 1] = rule.text
    end
  end
  if #texts > 0 then return { context = "The project's rules about these files:\n" .. table.concat(texts, "\n") } end
end)

ext.on("session_compact", function()
  for _, key in ipairs(ext.state.keys()) do ext.state.delete(key) end
end)

ext.test("rules reach the model", function(t)
  local start = { prompt = "go", system_prompt = "Help." }
  t.equal(t.emit("agent_before_start", start).system_prompt, nil)
  t.file(".agent/rules/style.md", "Short sentences.")
  t.file(".agent/rules/sql.md", "paths: *.sql, db/**\nNo SELECT *.")
  t.equal(t.emit("agent_before_start", start).system_prompt, "Help.\n\n# Rules of this project\n\nShort sentences.")
  t.equal(t.emit("tool_result", { tool = "read", args = { path = "a.txt" }, reads = { ext.cwd .. "/a.txt" } }).context, nil)
  local touched = { tool = "read", args = { path = "db/x" }, reads = { ext.cwd .. "/db/x" } }
  t.equal(t.emit("tool_result", touched).context, "The project's rules about these files:\nNo SELECT *.")
  t.equal(t.emit("tool_result", touched).context, nil)
  t.emit("session_compact", {})
  t.match(t.emit("tool_result", touched).context, "No SELECT")
end)
