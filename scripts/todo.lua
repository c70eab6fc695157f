-- ==Agent==
-- @name     todo
-- @summary  A to-do list above the editor, kept by the model, and by you with /todo
-- @grant    ui
-- ==/Agent==

-- get returns the list of the session: items {text, done}.
local function get() return ext.state.get("items") or ext.list{} end

local function show()
  local lines = {}
  for i, item in ipairs(get()) do
    local box = item.done and { "[x] ", "ok" } or { "[ ] ", "dim" }
    lines[i] = { box, { i .. " " .. item.text, item.done and "dim" or nil } }
  end
  ext.ui.widget("todo", #lines > 0 and lines or nil)
end

local function set(items)
  ext.state.set("items", items)
  show()
end

ext.on("session_start", show)

ext.tool{
  name = "todo",
  description = "Keeps the list of what is to be done, which the user sees. "
    .. "Give all of it each time.",
  approve = false,
  schema = {
    items = "string[]: what is to be done, in order",
    done = "integer[]?: numbers of those that are done, from 1 on",
  },
  run = function(args)
    local items = ext.list{}
    for i, text in ipairs(args.items) do items[i] = { text = text, done = false } end
    for _, n in ipairs(args.done or {}) do
      if items[n] then items[n].done = true end
    end
    set(items)
    return "The user sees the list."
  end,
}

ext.command{
  name = "todo",
  description = "TEXT adds to the list, NUMBER marks as done, clear empties it",
  run = function(args)
    local items, n = get(), tonumber(args)
    if args == "" then
      return { error = "/todo TEXT, /todo NUMBER or /todo clear" }
    elseif args == "clear" then
      items = ext.list{}
    elseif not n then
      items[#items + 1] = { text = args, done = false }
    elseif items[n] then
      items[n].done = true
    else
      return { error = "there is no " .. args }
    end
    set(items)
  end,
}

ext.test("the model and the user keep the list", function(t)
  t.call("todo", { items = { "tests", "docs" }, done = { 1, 9 } })
  t.equal(t.screen().widgets.todo, { "[x] 1 tests", "[ ] 2 docs" })
  t.command("/todo release")
  t.command("/todo 2")
  t.equal(t.screen().widgets.todo, { "[x] 1 tests", "[x] 2 docs", "[ ] 3 release" })
  t.equal(t.command("/todo 9").error, "there is no 9")
  t.match(t.command("/todo").error, "/todo TEXT")
  t.command("/todo clear")
  t.equal(t.screen().widgets.todo, nil)
  t.command("/todo anew")
  t.equal(t.screen().widgets.todo, { "[ ] 1 anew" })
end)
