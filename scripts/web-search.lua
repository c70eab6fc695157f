-- ==Agent==
-- @name     web-search
-- @summary  A tool that searches the web through a SearXNG server of your choice
-- @grant    net:option.endpoint env:SEARCH_KEY
-- ==/Agent==

-- Set the address in config.toml, or with --set web-search.endpoint=https://example.org/search. If
-- the server wants a key, put it into the variable SEARCH_KEY.
local endpoint = ext.option{
  name = "endpoint",
  description = "address of the search",
  default = "http://localhost:8888/search",
}

local function failure(message) return { content = message, is_error = true } end

-- escape encodes a text for the query of a URL.
local function escape(text)
  return (text:gsub("[^%w%-._~]", function(c) return ("%%%02X"):format(c:byte()) end))
end

-- results returns the list in an answer, or nil if it has none.
local function results(body)
  local data = ext.json.decode(body)
  local list = type(data) == "table" and data.results
  return type(list) == "table" and list or nil
end

-- text returns a field of a result, or an empty text if it is absent or null.
local function text(value) return type(value) == "string" and value or "" end

ext.tool{
  name = "web_search",
  description = "Searches the web; returns titles, addresses and a few words of each page.",
  schema = {
    query = "string: what to look for",
    count = "integer?: how many results, 5 if absent",
  },
  read_only = true,
  run = function(args)
    local headers = { accept = "application/json" }
    if ext.env("SEARCH_KEY") then headers.authorization = ext.secret("SEARCH_KEY", "Bearer %s") end
    local url = endpoint .. "?format=json&q=" .. escape(args.query)
    local answer, err = ext.http.get(url, { headers = headers, timeout = 20 })
    if not answer then return failure(err.message) end
    if answer.status ~= 200 then return failure("the search returned status " .. answer.status) end
    local hits = results(answer.body)
    if not hits then return failure("the answer is not JSON as SearXNG returns it") end
    local lines = {}
    for i = 1, math.min(#hits, math.max(args.count or 5, 1)) do
      local hit = hits[i]
      local title, address, about = text(hit.title), text(hit.url), text(hit.content)
      lines[i] = ("%d. %s\n   %s\n   %s"):format(i, title, address, about)
    end
    return #lines > 0 and table.concat(lines, "\n") or "nothing was found"
  end,
}

-- answer lets the server answer each request, and returns a table that has the last request.
local function answer(t, status, body)
  local seen = {}
  t.stub("http", function(request)
    seen.request = request
    return { status = status, headers = {}, body = body }
  end)
  return seen
end

local function search(t, query, count)
  return t.call("web_search", { query = query, count = count })
end

ext.test("returns what is found", function(t)
  local seen = answer(t, 200, ext.json.encode{ results = {
    { title = "A", url = "http://a", content = "about" },
    { title = "B", url = "http://b" },
  } })
  t.equal(search(t, "a b&c", 1).content, "1. A\n   http://a\n   about")
  t.match(seen.request.url, "q=a%20b%26c")
end)

ext.test("reports a server that fails", function(t)
  answer(t, 503, "")
  local busy = search(t, "x")
  t.match(busy.content, "status 503")
  t.equal(busy.is_error, true)
  t.stub("http", function() return { error = "refused", message = "nobody listens" } end)
  local away = search(t, "x")
  t.match(away.content, "nobody listens")
  t.equal(away.is_error, true)
end)

ext.test("returns as many results as were asked for", function(t)
  local hits = {}
  for i = 1, 8 do hits[i] = { title = "hit" .. i, url = ext.null } end
  answer(t, 200, ext.json.encode{ results = hits })
  local function found(count) return #ext.regex.find_all("hit", search(t, "x", count).content) end
  t.equal({ found(nil), found(7), found(20), found(-1) }, { 5, 7, 8, 1 })
  t.equal(search(t, "x", 1).content, "1. hit1\n   \n   ")
  answer(t, 200, [[{"results": []}]])
  t.equal(search(t, "x").content, "nothing was found")
end)

ext.test("sends the key if there is one", function(t)
  local seen = answer(t, 200, [[{"results": []}]])
  search(t, "x")
  t.equal(seen.request.headers.authorization, nil)
  t.env("SEARCH_KEY", "abc")
  search(t, "x")
  t.match(tostring(seen.request.headers.authorization), ".")
end)

ext.test("reports an answer that is not one of a search", function(t)
  for _, body in ipairs{ "<html>", "5", "[]", "{}" } do
    answer(t, 200, body)
    local result = search(t, "x")
    t.equal(result.is_error, true)
    t.match(result.content, "not JSON as SearXNG")
  end
end)
