// ==Agent==
// @name     tool-log
// @summary  /tools shows which tools were called, how often, for how long, and how many failed
// ==/Agent==

ext.on("tool_result", (ev) => {
  ext.state.update("calls", (all) => {
    all = all ?? {};
    const one = all[ev.tool] ?? { calls: 0, failed: 0, ms: 0 };
    all[ev.tool] = { calls: one.calls + 1, failed: one.failed + (ev.is_error ? 1 : 0), ms: one.ms + ev.duration_ms };
    return all;
  });
});

ext.command({ name: "tools", description: "Which tools were called in this session", run: () => {
  const all = ext.state.get("calls") ?? {};
  const rows = Object.keys(all).sort().map((name) => `| ${name} | ${all[name].calls} | ${all[name].failed} | ${(all[name].ms / 1000).toFixed(1)} |`);
  if (rows.length === 0) return { display: "No tool was called." };
  return { display: ["| tool | calls | failed | seconds |", "|---|---|---|---|", ...rows].join("\n") };
} });

ext.test("counts", async (t) => {
  t.equal((await t.command("/tools")).display, "No tool was called.");
  await t.emit("tool_result", { tool: "ls", content: "", duration_ms: 1500 });
  await t.emit("tool_result", { tool: "ls", content: "", is_error: true, duration_ms: 500 });
  t.match((await t.command("/tools")).display, String.raw`\| ls \| 2 \| 1 \| 2.0 \|`);
});
ext.test("a row for each tool", async (t) => {
  await t.emit("tool_result", { tool: "ls", content: "", duration_ms: 1500 });
  await t.emit("tool_result", { tool: "bash", content: "", is_error: true, duration_ms: 500 });
  t.equal((await t.command("/tools")).display, "| tool | calls | failed | seconds |\n|---|---|---|---|\n| bash | 1 | 1 | 0.5 |\n| ls | 1 | 0 | 1.5 |");
});
