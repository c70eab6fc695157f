// ==Agent==
// @name     status-line
// @summary  Shows how full the context window is and what the session costs, in the status line
// @grant    ui
// ==/Agent==

const full = ext.option({
  name: "full",
  description: "percent of the window from which on it is shown in yellow",
  default: 70,
});
const dear = ext.option({
  name: "dear",
  description: "dollars from which on the cost is shown in yellow",
  default: 5,
});

// spans returns the line, or null if neither is known.
function spans(percent, cost) {
  const out = [];
  if (percent != null) {
    const filled = Math.min(10, Math.floor(percent / 10 + 0.5));
    const bar = "#".repeat(filled) + ".".repeat(10 - filled);
    out.push([`${bar} ${Math.floor(percent)}%`, percent >= full ? "warn" : "dim"]);
  }
  if (cost != null) {
    const gap = percent != null ? "  " : "";
    out.push([`${gap}$${cost.toFixed(2)}`, cost >= dear ? "warn" : "dim"]);
  }
  return out.length > 0 ? out : null;
}

function show(ev) {
  const percent = ev.window?.percent;
  ext.ui.status("usage", spans(percent, ev.cost), { side: "right" });
}

ext.on("session_start", show);
ext.on("turn_end", { depth: 0 }, show);
ext.on("agent_end", { depth: 0 }, show);

ext.test("shown after each turn of the main agent", async (t) => {
  const window = { tokens: 72, limit: 100, percent: 72 };
  await t.emit("turn_end", { turn: 1, window, cost: 0.5 });
  const line = t.screen({ styles: true }).status.usage;
  t.equal(line, [["#######... 72%", "warn"], ["  $0.50", "dim"]]);
  t.equal(t.screen().sides.usage, "right");
  await t.emit("turn_end", { turn: 2, depth: 1, cost: 9 });
  t.equal(t.screen().status.usage, "#######... 72%  $0.50");
});

ext.test("bars and costs", (t) => {
  t.equal(spans(null, null), null);
  t.equal(spans(42, 0.5), [["####...... 42%", "dim"], ["  $0.50", "dim"]]);
  t.equal(spans(99.4, null), [["########## 99%", "warn"]]);
  t.equal(spans(null, 7), [["$7.00", "warn"]]);
});
