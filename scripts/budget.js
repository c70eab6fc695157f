// ==Agent==
// @name     budget
// @summary  At a limit of money, asks whether to go on for as much again; of turns, goes on once by itself
// @grant    ui
// ==/Agent==

// Set the limits in config.toml, [limits], or with --limit cost=0.5. What is not extended ends the prompt.
ext.on("limit_reached", { kind: "cost" }, async (ev) => {
  const question = `$${ev.value.toFixed(2)} is spent. Go on for another $${ev.limit.toFixed(2)}?`;
  if (await ext.ui.confirm(question, { headless: false })) return { extend: ev.limit };
});

// A prompt begins with agent_before_start: what intercepts comes first, what observes may come late.
let extended;
ext.on("agent_before_start", { depth: 0 }, () => { extended = false; });

ext.on("limit_reached", { kind: "turns", depth: 0 }, () => {
  if (extended) return;
  extended = true;
  return { extend: 10, notify: "10 more turns, and no more after that" };
});
