-- ==Agent==
-- @name     todo
-- @summary  A to-do list above the editor, kept by the model, and by you with /todo
-- @grant    ui
-- ==/Agent==

local function show()
  local lines = {}
  for i, item in ipairs(ext.state.get("items") or {}) do
    lines[i] = { { item.done and "[x] " or "[ ] ", item.done and "ok" or "dim" }, { i .. " " .. item.text, item.done and "dim" or nil } }
  end
  ext.ui.widget("todo", #lines > 0 and lines or nil)
end

local function change(f)
  ext.state.update("items", function(items)
    items = items or {}
    return f(items) or items
  end)
  show()
end

ext.on("session_start", show)

ext.tool{ name = "todo", description = "Keeps the list of what is to be done, which the user sees. Give all of it each time.", approve = false,
  schema = { items = "string[]: what is to be done, in order", done = "integer[]?: numbers of those that are done, from 1 on" },
  run = function(args)
    change(function()
      local items = ext.list{}
      for i, text in ipairs(args.items) do items[i] = { text = text, done = false } end
      for _, n in ipairs(args.done or {}) do
        if items[n] then items[n].done = true end
      end
      return items
    end)
    return "The user sees the list."
  end }

ext.command{ name = "todo", description = "Adds to the list; a number: that is done; clear: empties it", run = function(args)
  local n = tonumber(args)
  if n and not (ext.state.get("items") or {})[n] then return { error = "there is no " .. args } end
  if args == "" then return { error = "/todo TEXT, /todo NUMBER or /todo clear" } end
  change(function(items)
    if args == "clear" then return ext.list{} end
    if n then items[n].done = true else items[#items + 1] = { text = args, done = false } end
  end)
end }

ext.test("the model and the user keep it", function(t)
  t.call("todo", { items = { "tests", "docs" }, done = { 1, 9 } })
  t.equal(t.screen().widgets.todo, { "[x] 1 tests", "[ ] 2 docs" })
  t.command("/todo release")
  t.command("/todo 2")
  t.equal(t.screen().widgets.todo, { "[x] 1 tests", "[x] 2 docs", "[ ] 3 release" })
  t.equal(t.command("/todo 9").error, "there is no 9")
  t.match(t.command("/todo").error, "/todo TEXT")
  t.command("/todo clear")
  t.equal(t.screen().widgets.todo, nil)
end)
