// ==Agent==
// @name     budget
// @summary  Asks whether to continue at a limit of cost; continues once at a limit of turns
// @grant    ui
// ==/Agent==

// Set the limits under [limits] in config.toml, or with --limit cost=0.5. A limit that is not
// extended ends the prompt.
ext.on("limit_reached", { kind: "cost" }, async (ev) => {
  const question = `$${ev.value.toFixed(2)} is spent. Go on for another $${ev.limit.toFixed(2)}?`;
  if (await ext.ui.confirm(question, { headless: false })) return { extend: ev.limit };
});

// agent_before_start fires before anything else of a prompt, and the prompt waits for its handlers.
// It does not wait for those of agent_start, which may run late.
let extended;
ext.on("agent_before_start", { depth: 0 }, () => {
  extended = false;
});

ext.on("limit_reached", { kind: "turns", depth: 0 }, () => {
  if (extended) return;
  extended = true;
  return { extend: 10, notify: "10 more turns, and no more after that" };
});

// extension returns by how much the script extends a limit.
const extension = async (t, kind, limit) =>
  (await t.emit("limit_reached", { kind, value: limit, limit })).extend;

ext.test("asks at a limit of cost, extends a limit of turns once", async (t) => {
  t.answer("confirm", true);
  t.equal(await extension(t, "cost", 0.5), 0.5);
  t.asked("Go on for another $0.50?");
  t.equal(await extension(t, "cost", 1), undefined);
  for (let i = 0; i < 2; i++) {
    await t.emit("agent_before_start", { prompt: "go", system_prompt: "" });
    t.equal(await extension(t, "turns", 5), 10);
    t.equal(await extension(t, "turns", 15), undefined);
  }
});

ext.test("the start of a sub-agent is no new prompt", async (t) => {
  await t.emit("agent_before_start", { prompt: "go", system_prompt: "" });
  t.equal(await extension(t, "turns", 5), 10);
  await t.emit("agent_before_start", { prompt: "help", system_prompt: "", depth: 1 });
  t.equal(await extension(t, "turns", 15), undefined);
});
