// ==Agent==
// @name     budget
// @summary  Asks whether to continue at a limit of cost; continues once at a limit of turns
// @grant    ui
// ==/Agent==

// Set the limits in config.toml, [limits], or with --limit cost=0.5. A limit that is not extended ends the prompt.
ext.on("limit_reached", { kind: "cost" }, async (ev) => {
  const question = `$${ev.value.toFixed(2)} is spent. Go on for another $${ev.limit.toFixed(2)}?`;
  if (await ext.ui.confirm(question, { headless: false })) return { extend: ev.limit };
});

// Each prompt starts with agent_before_start. Intercepting handlers run first; observers may run late.
let extended;
ext.on("agent_before_start", { depth: 0 }, () => { extended = false; });

ext.on("limit_reached", { kind: "turns", depth: 0 }, () => {
  if (extended) return;
  extended = true;
  return { extend: 10, notify: "10 more turns, and no more after that" };
});

ext.test("money is asked about, turns are extended once", async (t) => {
  t.answer("confirm", true);
  t.equal((await t.emit("limit_reached", { kind: "cost", value: 0.51, limit: 0.5 })).extend, 0.5);
  t.asked("Go on for another $0.50?");
  t.equal((await t.emit("limit_reached", { kind: "cost", value: 1, limit: 1 })).extend, null);
  for (let i = 0; i < 2; i++) {
    await t.emit("agent_before_start", { prompt: "go", system_prompt: "" });
    t.equal((await t.emit("limit_reached", { kind: "turns", value: 5, limit: 5 })).extend, 10);
    t.equal((await t.emit("limit_reached", { kind: "turns", value: 15, limit: 15 })).extend, null);
  }
});
ext.test("what a sub-agent begins is no new prompt", async (t) => {
  await t.emit("agent_before_start", { prompt: "go", system_prompt: "" });
  await t.emit("limit_reached", { kind: "turns", value: 5, limit: 5 });
  await t.emit("agent_before_start", { prompt: "help", system_prompt: "", depth: 1 });
  t.equal((await t.emit("limit_reached", { kind: "turns", value: 15, limit: 15 })).extend, undefined);
});
