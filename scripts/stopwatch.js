// ==Agent==
// @name     stopwatch
// @summary  Shows in the status line how long the agent has worked on a prompt
// @grant    ui
// ==/Agent==

let since = 0, stop;

function span(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  return `${Math.floor(seconds / 60)} m ${String(Math.floor(seconds % 60)).padStart(2, "0")} s`;
}

function show(text) {
  ext.ui.status("stopwatch", [[text, "dim"]], { side: "right" });
}

ext.on("agent_start", { depth: 0 }, () => {
  since = ext.time.now();
  show("0 s");
  stop?.();
  stop = ext.every(1, () => { show(span(ext.time.now() - since)); });
});

ext.on("agent_end", { depth: 0 }, () => {
  if (!stop) return;
  stop();
  stop = undefined;
  show("took " + span(ext.time.now() - since));
});

ext.test("it runs while the agent works", async (t) => {
  await t.emit("agent_start", { prompt: "go" });
  t.equal(t.screen().status.stopwatch, "0 s");
  t.equal(t.screen().sides.stopwatch, "right");
  await t.clock(59.5);
  t.equal(t.screen().status.stopwatch, "59 s");
  await t.clock(65.5);
  t.equal(t.screen().status.stopwatch, "2 m 05 s");
  await t.emit("agent_end", { status: "completed", response: "" });
  await t.clock(60);
  t.equal(t.screen().status.stopwatch, "took 2 m 05 s");
});

ext.test("sub-agents neither start nor stop it", async (t) => {
  await t.emit("agent_start", { prompt: "go" });
  await t.clock(5);
  await t.emit("agent_start", { prompt: "help", depth: 1 });
  await t.emit("agent_end", { status: "completed", response: "", depth: 1 });
  await t.clock(5);
  t.equal(t.screen().status.stopwatch, "10 s");
});
