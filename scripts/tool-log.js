// ==Agent==
// @name     tool-log
// @summary  /tools shows which tools were called, how often, for how long, and how many failed
// ==/Agent==

ext.on("tool_result", (ev) => {
  ext.state.update("calls", (all) => {
    all = all ?? {};
    const one = all[ev.tool] ?? { calls: 0, failed: 0, ms: 0 };
    one.calls++;
    one.ms += ev.duration_ms;
    if (ev.is_error) one.failed++;
    all[ev.tool] = one;
    return all;
  });
});

ext.command({
  name: "tools",
  description: "Which tools were called in this session",
  run: () => {
    const all = ext.state.get("calls") ?? {};
    const names = Object.keys(all).sort();
    if (names.length === 0) return { display: "No tool was called." };
    const lines = ["| tool | calls | failed | seconds |", "|---|---|---|---|"];
    for (const name of names) {
      const { calls, failed, ms } = all[name];
      lines.push(`| ${name} | ${calls} | ${failed} | ${(ms / 1000).toFixed(1)} |`);
    }
    return { display: lines.join("\n") };
  },
});

// result fires the result of a call that took so many milliseconds.
const result = (t, tool, ms, failed) =>
  t.emit("tool_result", { tool, content: "", duration_ms: ms, is_error: failed });

ext.test("adds calls up", async (t) => {
  t.equal((await t.command("/tools")).display, "No tool was called.");
  await result(t, "ls", 1500, false);
  await result(t, "ls", 500, true);
  t.match((await t.command("/tools")).display, String.raw`\| ls \| 2 \| 1 \| 2.0 \|`);
});

ext.test("a row for each tool", async (t) => {
  await result(t, "ls", 1500, false);
  await result(t, "bash", 500, true);
  t.equal((await t.command("/tools")).display.split("\n"), [
    "| tool | calls | failed | seconds |",
    "|---|---|---|---|",
    "| bash | 1 | 1 | 0.5 |",
    "| ls | 1 | 0 | 1.5 |",
  ]);
});
