-- ==Agent==
-- @name     project-rules
-- @summary  Gives the model .agent/rules/*.md: at the start, or when it touches the files they name
-- @grant    fs.read:./.agent/rules/**
-- ==/Agent==

-- A rule whose first line is "paths: src/**/*.ts, *.sql" applies to such files; any other rule
-- always applies. rules returns a list of {path, text, globs}.
local function rules()
  local found = {}
  for _, path in ipairs(ext.fs.find(".agent/rules/**/*.md")) do
    local text = ext.fs.read(path)
    local first = ext.regex.find("^paths:[ \t]*([^\n]*?)[ \t\r]*(\n|$)", text)
    if first then
      local globs = ext.regex.split("\\s*,\\s*", first.groups[1])
      found[#found + 1] = { path = path, text = text:sub(first.stop + 1), globs = globs }
    else
      found[#found + 1] = { path = path, text = text }
    end
  end
  return found
end

ext.on("agent_before_start", function(ev)
  local texts = { ev.system_prompt, "# Rules of this project" }
  for _, rule in ipairs(rules()) do
    if not rule.globs then texts[#texts + 1] = rule.text end
  end
  if #texts > 2 then return { system_prompt = table.concat(texts, "\n\n") } end
end)

-- fits reports whether a rule applies to one of the files.
local function fits(rule, files)
  for _, file in ipairs(files) do
    for _, glob in ipairs(rule.globs) do
      if ext.match(glob, ext.path.rel(file, ext.cwd)) then return true end
    end
  end
  return false
end

-- The session remembers which rules each agent was given, until a summary replaces them.
local function key(ev, rule) return "told:" .. ev.agent_id .. ":" .. rule.path end

ext.on("tool_result", function(ev)
  local texts = { "The project's rules about these files:" }
  for _, rule in ipairs(rules()) do
    local applies = rule.globs and (fits(rule, ev.reads) or fits(rule, ev.writes))
    if applies and not ext.state.get(key(ev, rule)) then
      ext.state.set(key(ev, rule), true)
      texts[#texts + 1] = rule.text
    end
  end
  if #texts > 1 then return { context = table.concat(texts, "\n") } end
end)

ext.on("session_compact", function(ev)
  for _, rule in ipairs(rules()) do ext.state.delete(key(ev, rule)) end
end)

ext.test("rules without paths are in the system prompt", function(t)
  local start = { prompt = "go", system_prompt = "Help." }
  t.equal(t.emit("agent_before_start", start).system_prompt, nil)
  t.file(".agent/rules/style.md", "Short sentences.")
  t.file(".agent/rules/sql.md", "paths: *.sql, db/**\nNo SELECT *.")
  local prompt = t.emit("agent_before_start", start).system_prompt
  t.equal(prompt, "Help.\n\n# Rules of this project\n\nShort sentences.")
end)

ext.test("rules with paths come once with the files, to each agent", function(t)
  t.file(".agent/rules/sql.md", "paths: *.sql, db/**\nNo SELECT *.")
  local function read(path, agent)
    return t.emit("tool_result", {
      tool = "read", args = { path = path }, agent_id = agent,
      reads = { ext.cwd .. "/" .. path }, writes = ext.list{},
    }).context
  end
  t.equal(read("a.txt"), nil)
  t.equal(read("db/x"), "The project's rules about these files:\nNo SELECT *.")
  t.equal(read("db/x"), nil)
  t.match(read("db/x", "scout"), "No SELECT")
  t.emit("session_compact", {})
  t.match(read("x.sql"), "No SELECT")
  t.equal(read("x.sql", "scout"), nil)
end)
