// ==Agent==
// @name     status-line
// @summary  Shows the use of the context window and the cost of the session in the status line, in colour
// @grant    ui
// ==/Agent==

const full = ext.option({ name: "full", default: 70, description: "percent of the window from which on it is shown in yellow" });
const dear = ext.option({ name: "dear", default: 5, description: "dollars from which on the cost is shown in yellow" });

function spans(percent, cost) {
  const out = [];
  if (percent != null) {
    const filled = Math.min(10, Math.floor(percent / 10 + 0.5));
    out.push(["#".repeat(filled) + ".".repeat(10 - filled) + ` ${Math.floor(percent)}%`, percent >= full ? "warn" : "dim"]);
  }
  if (cost != null) {
    out.push([(out.length > 0 ? "  " : "") + `$${cost.toFixed(2)}`, cost >= dear ? "warn" : "dim"]);
  }
  return out.length > 0 ? out : null;
}

const show = (ev) => { ext.ui.status("usage", spans(ev.window?.percent, ev.cost), { side: "right" }); };

ext.on("session_start", show);
ext.on("turn_end", { depth: 0 }, show);
ext.on("agent_end", { depth: 0 }, show);

ext.test("shown after each turn", async (t) => {
  await t.emit("turn_end", { turn: 1, window: { tokens: 72, limit: 100, percent: 72 }, cost: 0.5 });
  t.equal(t.screen({ styles: true }).status.usage, [["#######... 72%", "warn"], ["  $0.50", "dim"]]);
  t.equal(t.screen().sides.usage, "right");
  await t.emit("turn_end", { turn: 2, depth: 1, cost: 9 });
  t.equal(t.screen().status.usage, "#######... 72%  $0.50");
});
ext.test("bars", (t) => {
  t.equal(spans(null, null), null);
  t.equal(spans(42, 0.5), [["####...... 42%", "dim"], ["  $0.50", "dim"]]);
  t.equal(spans(99.4, null), [["########## 99%", "warn"]]);
  t.equal(spans(null, 7), [["$7.00", "warn"]]);
});
