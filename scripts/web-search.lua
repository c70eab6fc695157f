-- ==Agent==
-- @name     web-search
-- @summary  A tool that searches the web through a SearXNG server of your choice
-- @grant    net:option.endpoint env:SEARCH_KEY
-- ==/Agent==

-- In config.toml, or with --set web-search.endpoint=https://search.example.org/search. A key, if the server wants one, stands in SEARCH_KEY.
local endpoint = ext.option{ name = "endpoint", description = "address of the search", default = "http://localhost:8888/search" }

-- text returns a field of a result, or an empty text if it is absent or null.
local function text(value) return type(value) == "string" and value or "" end

ext.tool{ name = "web_search", description = "Searches the web; returns titles, addresses and a few words of each page.", read_only = true,
  schema = { query = "string: what to look for", count = "integer?: how many results, 5 if absent" },
  run = function(args)
    local headers = { accept = "application/json" }
    if ext.env("SEARCH_KEY") then headers.authorization = ext.secret("SEARCH_KEY", "Bearer %s") end
    local url = endpoint .. "?format=json&q=" .. args.query:gsub("[^%w%-._~]", function(c) return ("%%%02X"):format(c:byte()) end)
    local answer, err = ext.http.get(url, { headers = headers, timeout = 20 })
    if not answer then return { content = err.message, is_error = true } end
    if answer.status ~= 200 then return { content = "the search answers with status " .. answer.status, is_error = true } end
    local data = ext.json.decode(answer.body)
    local hits = type(data) == "table" and data.results
    if type(hits) ~= "table" then return { content = "the search does not answer as SearXNG does in JSON", is_error = true } end
    local lines = {}
    for i = 1, math.min(#hits, math.max(args.count or 5, 1)) do
      lines[i] = ("%d. %s\n   %s\n   %s"):format(i, text(hits[i].title), text(hits[i].url), text(hits[i].content))
    end
    return #lines > 0 and table.concat(lines, "\n") or "nothing was found"
  end }

ext.test("what is found, and what is not", function(t)
  local asked
  t.stub("http", function(request)
    asked = request.url
    return { status = 200, headers = {}, body = ext.json.encode{ results = { { title = "A", url = "http://a", content = "about" }, { title = "B", url = "http://b" } } } }
  end)
  t.equal(t.call("web_search", { query = "a b&c", count = 1 }).content, "1. A\n   http://a\n   about")
  t.match(asked, "q=a%20b%26c")
  t.stub("http", function() return { status = 503, headers = {}, body = "" } end)
  local busy = t.call("web_search", { query = "x" })
  t.match(busy.content, "status 503")
  t.equal(busy.is_error, true)
  t.stub("http", function() return { error = "refused", message = "nobody listens" } end)
  local away = t.call("web_search", { query = "x" })
  t.match(away.content, "nobody listens")
  t.equal(away.is_error, true)
end)
ext.test("as many as were asked for", function(t)
  local hits = {}
  for i = 1, 8 do hits[i] = { title = "hit" .. i, url = ext.null } end
  t.stub("http", function() return { status = 200, headers = {}, body = ext.json.encode{ results = hits } } end)
  local function found(count) return #ext.regex.find_all("hit", t.call("web_search", { query = "x", count = count }).content) end
  t.equal({ found(nil), found(7), found(20), found(-1) }, { 5, 7, 8, 1 })
  t.equal(t.call("web_search", { query = "x", count = 1 }).content, "1. hit1\n   \n   ")
  hits = ext.list{}
  t.equal(t.call("web_search", { query = "x" }).content, "nothing was found")
end)
ext.test("the key goes along, if there is one", function(t)
  local headers
  t.stub("http", function(request) headers = request.headers return { status = 200, headers = {}, body = [[{"results": []}]] } end)
  t.call("web_search", { query = "x" })
  t.equal(headers.authorization, nil)
  t.env("SEARCH_KEY", "abc")
  t.call("web_search", { query = "x" })
  t.match(tostring(headers.authorization), ".")
end)
ext.test("what is no answer of a search", function(t)
  for _, body in ipairs{ "<html>", "5", "[]", "{}" } do
    t.stub("http", function() return { status = 200, headers = {}, body = body } end)
    local answer = t.call("web_search", { query = "x" })
    t.equal(answer.is_error, true)
    t.match(answer.content, "does not answer as SearXNG")
  end
end)
