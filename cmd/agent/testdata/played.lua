-- ==Agent==
-- @name    played
-- @summary A model that gives the replies in the prompt, one per line
-- @grant   provider
-- ==/Agent==

-- A prompt that begins with the line "play" is a list of replies: each further line is one reply, whose pieces are
-- separated by " | ". If there is no line left, or no such prompt, the model repeats the last message.
--
--     say TEXT          text; \n is a new line
--     hex DIGITS        text in hexadecimal, so that the prompt does not contain it
--     think TEXT        reasoning
--     call TOOL JSON    a tool call
--     usage IN OUT      tokens
--     warn TEXT         a warning
--     source URL TITLE  a source
--     finish REASON     the reason why the reply ends
--     fail STATUS TEXT  a failure; 429 and 5xx may be retried
--     overflow TEXT     the request is too large
--     wait SECONDS      silence
--     seen TEXT         says "seen" if the request contains TEXT, else "not seen"
--
-- The log of this script has each request in hexadecimal, because logs are masked.

local played = {} -- by prompt: how many of its lines
local over = 1e6  -- more lines than any prompt has

local function text_of(message)
  local parts = {}
  for _, block in ipairs(message.content) do
    if block.type == "text" then parts[#parts + 1] = block.text end
  end
  return table.concat(parts, "\n")
end

-- script_of returns the prompt with the replies, its id, the last message, and whether the model has answered since.
local function script_of(messages)
  local heard, answered
  for i = #messages, 1, -1 do
    local message = messages[i]
    local text = text_of(message)
    answered = answered or message.role == "assistant"
    if message.role == "user" and not text:find('^<context from=') then
      heard = heard or text
      if text:find("^play\n") then return text, message.id or text, heard, answered end
    end
  end
  return nil, nil, heard
end

local function line_of(text, number)
  for line in text:gmatch("\n([^\n]+)") do
    number = number - 1
    if number == 0 then return line end
  end
end

-- holds reports whether a message contains text. It ignores the prompt with the replies, which contains the text itself.
local function holds(request, script, text)
  if (request.system or ""):find(text, 1, true) then return true end
  for _, message in ipairs(request.messages) do
    local all = text_of(message) .. ext.json.encode(message.tool_calls or {})
    if all ~= script .. ext.json.encode({}) and all:find(text, 1, true) then return true end
  end
  return false
end

local pieces = {}

function pieces.say(rest, emit)
  local text = rest:gsub("\\n", "\n")
  for piece in text:gmatch("%S*%s*") do
    if piece ~= "" then emit{ text = piece } end
  end
end

function pieces.hex(rest, emit)
  pieces.say(rest:gsub("%x%x", function(h) return string.char(tonumber(h, 16)) end), emit)
end

function pieces.think(rest, emit) emit{ reasoning = rest } end

function pieces.call(rest, emit, state)
  local tool, args = rest:match("^(%S+)%s*(.*)$")
  if args == "" then args = "{}" end
  local half = math.floor(#args / 2)
  emit{ tool_call = { index = state.calls, name = tool, args_delta = args:sub(1, half) } }
  emit{ tool_call = { index = state.calls, args_delta = args:sub(half + 1) } }
  state.calls = state.calls + 1
  state.finish = "tool_calls"
end

function pieces.usage(rest, _, state)
  local input, output = rest:match("^(%d+)%s+(%d+)$")
  state.usage = { input = tonumber(input), output = tonumber(output) }
end

function pieces.warn(rest, emit) emit{ warning = rest } end

function pieces.source(rest, emit)
  local url, title = rest:match("^(%S+)%s*(.*)$")
  emit{ source = { kind = "url", id = "s1", url = url, title = title } }
end

function pieces.finish(rest, _, state) state.finish = rest end

function pieces.fail(rest)
  local status, text = rest:match("^(%d+)%s*(.*)$")
  status = tonumber(status)
  ext.fail{ message = text, status = status, retryable = status == 429 or status >= 500, retry_after = 0.001 }
end

function pieces.overflow(rest) ext.fail{ message = rest, overflow = true } end

function pieces.wait(rest) ext.sleep(tonumber(rest)) end

function pieces.seen(rest, emit, _, request, script)
  emit{ text = holds(request, script, rest) and "seen" or "not seen" }
end

local function play(line, emit, request, script)
  local state = { calls = 0, finish = "stop", usage = { input = 100, output = 10 } }
  for piece in (line .. " | "):gmatch("(.-) | ") do
    local verb, rest = piece:match("^%s*(%a+)%s*(.-)%s*$")
    if not pieces[verb or ""] then ext.fail{ message = "not a piece of a reply: " .. piece } end
    pieces[verb](rest, emit, state, request, script)
  end
  return { finish_reason = state.finish, usage = state.usage }
end

local function stream(request, emit)
  ext.log.info(ext.base64.encode(ext.json.encode(ext.copy(request))))
  local script, id, heard, answered = script_of(request.messages)
  if script and request.purpose ~= "compact" then
    -- a prompt that has answers and was not begun by this program was processed before
    played[id] = (played[id] or (answered and over or 0)) + 1
    local line = line_of(script, played[id])
    if line then return play(line, emit, request, script) end
  end
  local reply = request.purpose == "compact" and "a summary" or "heard: " .. (heard == script and "the end" or tostring(heard))
  return play("say " .. reply:gsub("%s+", " "):sub(1, 200), emit, request, "")
end

ext.provider{
  name = "played",
  models = {
    { id = "m", context = 20000, images = true, thinking = true, price = { input = 1, output = 10, cache_read = 0, cache_write = 0 } },
    { id = "other", context = 100000 },
    { id = "free" },
  },
  stream = stream,
}
