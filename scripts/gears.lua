-- ==Agent==
-- @name     gears
-- @summary  /fast and /deep switch between two models with their thinking levels
-- @grant    agent
-- ==/Agent==

local gears = {}

for name, thinking in pairs{ fast = "off", deep = "high" } do
  local model = ext.option{ name = name, description = "provider/id for /" .. name, default = "" }
  gears[name] = { model = model, thinking = thinking }
  ext.command{
    name = name,
    description = "Switches to the model of the option gears." .. name .. ", thinking " .. thinking,
    run = function()
      local gear = gears[name]
      local settings = { thinking = gear.thinking }
      if gear.model ~= "" then settings.model = gear.model end
      local _, err = ext.agent.set(settings)
      if err then return { error = err.message } end
      return { display = ("%s, thinking %s"):format(ext.model_id, gear.thinking) }
    end,
  }
end

ext.test("each command sets its thinking level", function(t)
  t.match(t.command("/deep").display, "thinking high$")
  t.match(t.command("/fast").display, "thinking off$")
end)

ext.test("a model that does not exist is an error", function(t)
  gears.deep.model = "nosuch/x"
  t.match(t.command("/deep").error, "nosuch")
end)
