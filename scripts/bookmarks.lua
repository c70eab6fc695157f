-- ==Agent==
-- @name     bookmarks
-- @summary  /bookmark TEXT marks a place in the conversation; /bookmarks lists them and inserts one into the editor
-- @grant    ui session
-- ==/Agent==

ext.render{ entry = "bookmark", call = function(data) return { { { "▍ ", "accent" }, { data.text, "bold" } } } end }

local function bookmarks()
  local texts = {}
  for _, entry in ipairs(ext.session.entries()) do
    if entry.type == "custom" and entry.kind == "bookmark" then texts[#texts + 1] = entry.data.text end
  end
  return texts
end

ext.command{ name = "bookmark", description = "Marks this place of the conversation", args = { "text string: what to remember" }, run = function(args)
  ext.session.append("bookmark", { text = args.text })
end }

ext.command{ name = "bookmarks", description = "The places that were marked", run = function()
  local texts, at = bookmarks(), 1
  if #texts == 0 then return { display = "There are no bookmarks: `/bookmark TEXT` makes one" } end
  return { panel = { title = "Bookmarks",
    render = function(_, height)
      local lines = {}
      for i = math.max(1, at - height + 1), #texts do lines[#lines + 1] = { { i == at and "› " or "  ", "accent" }, { texts[i], i == at and "bold" or nil } } end
      return lines
    end,
    key = function(name, _, panel)
      if name == "up" then at = math.max(1, at - 1) end
      if name == "down" then at = math.min(#texts, at + 1) end
      if name == "enter" then panel.close(texts[at]) end
    end,
    on_close = function(text) if text then ext.ui.insert(text) end end } }
end }

ext.test("what was marked is listed, and Enter takes one", function(t)
  t.command("/bookmarks")
  t.equal(t.screen().panel, nil)
  t.command("/bookmark the first try")
  t.command("/bookmark the second try")
  t.command("/bookmarks")
  t.match(t.screen().panel.lines[1], "› the first try")
  t.key("down")
  t.match(t.screen().panel.lines[2], "› the second try")
  t.key("enter")
  t.equal(t.screen().panel, nil)
end)
ext.test("the list scrolls, up and down, and Enter writes one into the editor", function(t)
  ext.session.append("other", { text = "not a bookmark" })
  for i = 1, 30 do t.command("/bookmark place " .. i) end
  t.command("/bookmarks")
  t.equal(t.screen().panel.lines[1], "› place 1")
  for _ = 1, 30 do t.key("down") end
  local lines = t.screen().panel.lines
  t.equal(lines[#lines], "› place 30")
  t.equal(ext.regex.find_all("›", table.concat(lines))[2], nil)
  t.key("up")
  lines = t.screen().panel.lines
  t.match(table.concat(lines, "\n"), "› place 29")
  for _ = 1, 30 do t.key("up") end
  t.equal(t.screen().panel.lines[1], "› place 1")
  t.key("enter")
  t.equal(t.screen().inserted, "place 1")
end)
