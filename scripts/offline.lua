-- ==Agent==
-- @name     offline
-- @version  1.0.0
-- @api      1
-- @summary  A model without a key and a network: it executes the lines of the prompt
-- @grant    provider
-- ==/Agent==

-- It keeps no state: the results after the last prompt show which steps are done.

local explanation = [[
I am the offline model: a script inside this program, which needs no key and no network. I am used
when no other model is set up. I understand no language, only lines like these, one step per line:

    run CMD                 runs a shell command
    read PATH               reads a file
    write PATH TEXT         writes a file
    edit PATH OLD => NEW    replaces text in a file
    call TOOL JSON          calls any tool, with its arguments
    say TEXT                says it

In TEXT, OLD and NEW, \n is a new line, \t a tab and \\ a backslash; put a PATH with spaces into
"quotes". I take one step after the other, and then report what came of each.]]
explanation = explanation:gsub("([^\n])\n([^\n ])", "%1 %2") -- the screen breaks lines by itself

-- How many lines of a result the report shows, and how many of these come from its end.
local shown_lines, last_lines = 40, 10

-- How many bytes of a result are read.
local shown_bytes = 64 * 1024

-- unescape replaces \n, \t and \\. Other escapes are left unchanged.
local function unescape(text)
  return (text:gsub("\\(.)", { n = "\n", t = "\t", ["\\"] = "\\" }))
end

-- split_path returns the path at the beginning of text, and the rest.
local function split_path(text)
  local path, rest = text:match('^"([^"]+)"%s*(.*)$')
  if path then return path, rest end
  path, rest = text:match("^(%S+)%s?(.*)$")
  return path or "", rest or ""
end

-- Each verb turns the rest of its line into a step: {label, tool, args} for a tool call, {text} for
-- a text to say. On an error it returns nil and a message.
local verbs = {}

function verbs.run(rest)
  if rest == "" then return nil, "run wants a command" end
  return { label = "run " .. rest, tool = "bash", args = ext.json.encode{ command = rest } }
end

function verbs.read(rest)
  local path = rest:match('^"([^"]+)"$') or rest
  if path == "" then return nil, "read wants a path" end
  return { label = "read " .. path, tool = "read", args = ext.json.encode{ path = path } }
end

function verbs.write(rest)
  local path, text = split_path(rest)
  if path == "" then return nil, "write wants a path and a text" end
  local args = ext.json.encode{ path = path, content = unescape(text) }
  return { label = "write " .. path, tool = "write", args = args }
end

function verbs.edit(rest)
  local path, change = split_path(rest)
  local old, new = change:match("^(.-)%s=>%s?(.*)$")
  if not old or old == "" then return nil, "edit wants PATH OLD => NEW" end
  local edits = ext.list{ { old = unescape(old), new = unescape(new) } }
  local args = ext.json.encode{ path = path, edits = edits }
  return { label = "edit " .. path, tool = "edit", args = args }
end

function verbs.call(rest)
  local tool, args = rest:match("^(%S+)%s*(.*)$")
  if not tool then return nil, "call wants a tool and its arguments as JSON" end
  if args == "" then args = "{}" end
  local value, err = ext.json.decode(args)
  if value == nil then return nil, "call wants JSON: " .. (err and err.message or "got null") end
  return { label = "call " .. tool, tool = tool, args = args }
end

function verbs.say(rest)
  return { text = unescape(rest) }
end

-- parse reads a prompt. It returns the steps in order, and the lines that are not steps with their
-- errors.
local function parse(prompt)
  local steps, strange = {}, {}
  for line in prompt:gmatch("[^\r\n]+") do
    line = line:match("^%s*(.*%S)") or ""
    local verb = line:match("^(%a+)%s") or line:match("^(%a+)$") or ""
    if verbs[verb] then
      local step, why = verbs[verb](line:sub(#verb + 1):match("^%s*(.*)$"))
      if step then
        steps[#steps + 1] = step
      else
        strange[#strange + 1] = { line = line, why = why }
      end
    elseif line ~= "" then
      strange[#strange + 1] = { line = line }
    end
  end
  return steps, strange
end

local function text_of(message)
  local parts = {}
  for _, block in ipairs(message.content) do
    if block.type == "text" then parts[#parts + 1] = block.text end
  end
  return table.concat(parts, "\n")
end

-- Texts that scripts add for the model also arrive as user messages.
local function is_context(text)
  return text:find('^<context from="') ~= nil
end

-- last_prompt returns the last prompt of the user and the results that follow it.
local function last_prompt(messages)
  local results = {}
  for i = #messages, 1, -1 do
    local message = messages[i]
    if message.role == "tool" then
      table.insert(results, 1, message)
    elseif message.role == "user" then
      local text = text_of(message)
      if not is_context(text) then return text, results end
    end
  end
  return "", results
end

-- indented returns text with every line indented. It cuts the middle of a long text: errors are at
-- the end.
local function indented(text)
  local lines, out = {}, {}
  for line in (text .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = line end
  for i, line in ipairs(lines) do
    local left = #lines - i
    if #lines <= shown_lines or i < shown_lines - last_lines or left < last_lines then
      out[#out + 1] = "   " .. line
    elseif i == shown_lines - last_lines then
      out[#out + 1] = "   ... " .. (#lines - shown_lines + 1) .. " lines left out"
    end
  end
  return table.concat(out, "\n")
end

-- clipped keeps the beginning and the end of a text that is too long to read, in whole characters.
local function clipped(text)
  if #text <= shown_bytes then return text end
  local half = shown_bytes / 2
  local head = text:sub(1, half):gsub("[\192-\247][\128-\191]*$", "")
  local tail = text:sub(-half):gsub("^[\128-\191]+", "")
  return head .. "\n... " .. (#text - shown_bytes) .. " bytes left out\n" .. tail
end

-- reported returns one line of the report, with the result below it.
local function reported(number, step, result)
  local text = clipped(text_of(result)):match("^.*%S") or ""
  local head = number .. ". " .. step.label .. ": "
  if not result.is_error then
    return text == "" and head .. "ok" or head .. "ok\n" .. indented(text)
  end
  if text:find("^refused") or text:find("^cancelled") then return head .. text end
  return head .. "failed\n" .. indented(text)
end

local function report(steps, results)
  local lines = {}
  for _, step in ipairs(steps) do
    if step.tool then
      local number = #lines + 1
      lines[number] = reported(number, step, results[number])
    end
  end
  return lines
end

-- next_call returns the first tool call that has no result yet, or nil if all have one. It also
-- returns the texts to say since the last result.
local function next_call(steps, results)
  local said, number = {}, 0
  for _, step in ipairs(steps) do
    if step.tool then
      number = number + 1
      if number > #results then return step, said end
    elseif number == #results then
      said[#said + 1] = step.text
    end
  end
  return nil, said
end

-- complain reports lines that are not steps. Among steps they are mistakes; without any steps, the
-- user probably does not know this model.
local function complain(steps, strange, lines)
  for _, s in ipairs(strange) do
    if s.why or #steps > 0 then
      local why = s.why or "a line begins with run, read, write, edit, call or say"
      lines[#lines + 1] = ("not understood: %s (%s)"):format(s.line, why)
    end
  end
  if #steps == 0 then lines[#lines + 1] = explanation end
end

-- speak emits text in pieces, as a model does.
local function speak(emit, text)
  for piece in text:gmatch("[^\n]*\n?") do
    if piece ~= "" then emit{ text = piece } end
  end
end

-- How many prompts a summary lists.
local summary_prompts = 100

-- summary returns this model's summary of a conversation: its prompts, one line each.
local function summary(messages)
  local text = #messages > 0 and text_of(messages[#messages]) or ""
  local lines = {}
  local earlier = text:match("^<summary>\n(.-)\n</summary>")
  for line in (earlier or ""):gmatch("\n(%- [^\n]+)") do lines[#lines + 1] = line end
  for said in text:gmatch("\n%[user%]\n(%s*[^\n]*)") do
    said = said:match("^%s*(.-)%s*$")
    if said ~= "" and not is_context(said) and not said:find("^<summary>") then
      if #said > 200 then said = said:sub(1, 200):gsub("[\192-\247][\128-\191]*$", "") .. "..." end
      lines[#lines + 1] = "- " .. said
    end
  end
  while #lines > summary_prompts do table.remove(lines, 1) end
  return "The prompts so far:\n" .. table.concat(lines, "\n")
end

ext.provider{
  name = "offline",
  models = { { id = "offline", price = { input = 0, output = 0 } } },
  stream = function(request, emit)
    if request.purpose == "compact" then
      speak(emit, summary(request.messages))
      return { finish_reason = "stop" }
    end
    local prompt, results = last_prompt(request.messages)
    local steps, strange = parse(prompt)
    local call, said = next_call(steps, results)
    if call then
      speak(emit, table.concat(said, "\n"))
      emit{ tool_call = { index = 0, name = call.tool, args_delta = call.args } }
      return { finish_reason = "tool_calls" }
    end
    local lines = report(steps, results)
    for _, text in ipairs(said) do lines[#lines + 1] = text end
    complain(steps, strange, lines)
    speak(emit, table.concat(lines, "\n"))
    return { finish_reason = "stop" }
  end,
}
