-- ==Agent==
-- @name     gears
-- @summary  /fast and /deep switch between two models with their thinking levels
-- @grant    agent
-- ==/Agent==

local gears = {
  fast = { model = ext.option{ name = "fast", description = "provider/id for /fast", default = "" }, thinking = "off" },
  deep = { model = ext.option{ name = "deep", description = "provider/id for /deep", default = "" }, thinking = "high" },
}

for name, gear in pairs(gears) do
  ext.command{ name = name, description = "Go on with the model of the option gears." .. name, run = function()
    local settings = { thinking = gear.thinking }
    if gear.model ~= "" then settings.model = gear.model end
    local _, err = ext.agent.set(settings)
    if err then return { error = err.message } end
    return { display = ("%s, thinking %s"):format(ext.model_id, gear.thinking) }
  end }
end

ext.test("a word changes the gear", function(t)
  t.match(t.command("/deep").display, "thinking high$")
  t.match(t.command("/fast").display, "thinking off$")
end)
ext.test("a model that there is not", function(t)
  gears.deep.model = "nosuch/x"
  t.match(t.command("/deep").error, "nosuch")
end)
