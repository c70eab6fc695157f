-- ==Agent==
-- @name     hello
-- @summary  Minimal examples: a command, a tool and an observer
-- ==/Agent==

ext.command{
  name = "hello",
  description = "Says hello",
  run = function(args)
    return { display = "Hello " .. (args ~= "" and args or "world") .. "!" }
  end,
}

ext.tool{
  name = "greet",
  description = "Greets somebody by name",
  schema = { name = "string: whom to greet" },
  read_only = true,
  run = function(args) return "Hello " .. args.name .. "!" end,
}

ext.on("agent_end", function(ev) ext.log.info("prompt ended: " .. ev.status) end)

ext.test("says hello", function(t)
  t.equal(t.command("/hello").display, "Hello world!")
  t.equal(t.command("/hello you").display, "Hello you!")
  t.equal(t.call("greet", { name = "Ada" }).content, "Hello Ada!")
end)
