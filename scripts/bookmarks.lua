-- ==Agent==
-- @name     bookmarks
-- @summary  /bookmark TEXT marks a place in the conversation, /bookmarks lists the marked places
-- @grant    ui session
-- ==/Agent==

ext.render{
  entry = "bookmark",
  call = function(data) return { { { "▍ ", "accent" }, { data.text, "bold" } } } end,
}

-- bookmarks returns the texts of the bookmarks of this session, in order.
local function bookmarks()
  local texts = {}
  for _, entry in ipairs(ext.session.entries()) do
    if entry.type == "custom" and entry.kind == "bookmark" then
      texts[#texts + 1] = entry.data.text
    end
  end
  return texts
end

ext.command{
  name = "bookmark",
  description = "Marks this place in the conversation",
  args = { "text string: what to remember" },
  run = function(args) ext.session.append("bookmark", { text = args.text }) end,
}

-- list returns a panel in which Enter inserts a text into the editor.
local function list(texts)
  local at = 1
  return {
    title = "Bookmarks",
    render = function(_, height)
      local lines = {}
      for i = math.max(1, at - height + 1), #texts do
        local cursor = { i == at and "› " or "  ", "accent" }
        lines[#lines + 1] = { cursor, { texts[i], i == at and "bold" or nil } }
      end
      return lines
    end,
    key = function(name, _, panel)
      if name == "up" then at = math.max(1, at - 1) end
      if name == "down" then at = math.min(#texts, at + 1) end
      if name == "enter" then panel.close(texts[at]) end
    end,
    on_close = function(text)
      if text then ext.ui.insert(text) end
    end,
  }
end

ext.command{
  name = "bookmarks",
  description = "Lists the marked places, and inserts one into the editor",
  run = function()
    local texts = bookmarks()
    if #texts == 0 then return { display = "There are no bookmarks: `/bookmark TEXT` adds one" } end
    return { panel = list(texts) }
  end,
}

ext.test("bookmarks are listed, and Enter closes the list", function(t)
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

ext.test("the list scrolls up and down, and Enter inserts the selected text", function(t)
  ext.session.append("other", { text = "not a bookmark" })
  for i = 1, 30 do t.command("/bookmark place " .. i) end
  t.command("/bookmarks")
  t.equal(t.screen().panel.lines[1], "› place 1")
  for _ = 1, 30 do t.key("down") end
  local lines = t.screen().panel.lines
  t.equal(lines[#lines], "› place 30")
  t.equal(#ext.regex.find_all("›", table.concat(lines)), 1)
  t.key("up")
  t.match(table.concat(t.screen().panel.lines, "\n"), "› place 29")
  for _ = 1, 30 do t.key("up") end
  t.equal(t.screen().panel.lines[1], "› place 1")
  t.key("enter")
  t.equal(t.screen().inserted, "place 1")
end)
