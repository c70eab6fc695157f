// ==Agent==
// @name     hello
// @summary  Minimal examples: a command, a tool and an observer
// ==/Agent==

ext.command({
  name: "hello",
  description: "Says hello",
  run: (args) => ({ display: `Hello ${args || "world"}!` }),
});

ext.tool({
  name: "greet",
  description: "Greets somebody by name",
  schema: { name: "string: whom to greet" },
  read_only: true,
  run: (args) => `Hello ${args.name}!`,
});

ext.on("agent_end", (ev) => { ext.log.info("prompt ended: " + ev.status); });

ext.test("says hello", async (t) => {
  t.equal((await t.command("/hello")).display, "Hello world!");
  t.equal((await t.command("/hello you")).display, "Hello you!");
  t.equal((await t.call("greet", { name: "Ada" })).content, "Hello Ada!");
});
