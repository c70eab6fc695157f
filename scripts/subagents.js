// ==Agent==
// @name     subagents
// @summary  Shows what the sub-agents are doing, below the editor
// @grant    ui
// ==/Agent==

const running = new Map();

function draw() {
  const lines = [];
  for (const a of running.values()) {
    lines.push([[a.name + " ", "accent"], a.task + " ", [a.doing, "dim"]]);
  }
  ext.ui.widget("subagents", lines.length > 0 ? lines : null, { place: "below" });
}

function oneLine(text) {
  return ext.regex.find("^.{0,50}", text.replace(/\s+/g, " "))?.text;
}

ext.on("subagent_start", (ev) => {
  running.set(ev.subagent_id, { name: ev.name, task: oneLine(ev.task), doing: "starts" });
  draw();
});

ext.on("subagent_event", { kind: "tool_start" }, (ev) => {
  const a = running.get(ev.subagent_id);
  if (!a) return;
  a.doing = String(ev.data.tool);
  draw();
});

ext.on("subagent_end", (ev) => {
  running.delete(ev.subagent_id);
  draw();
});

const start = (t, id, name, task) =>
  t.emit("subagent_start", { subagent_id: id, name, task, model: "m", tools: [] });

const finish = (t, id, name) =>
  t.emit("subagent_end", { subagent_id: id, name, status: "completed", response: "" });

ext.test("a line for each sub-agent, while it runs", async (t) => {
  await start(t, "a", "scout", "find\nit");
  await start(t, "b", "judge", "weigh it");
  t.equal(t.screen().widgets.subagents, ["scout find it starts", "judge weigh it starts"]);
  t.equal(t.screen().places.subagents, "below");
  await t.emit("subagent_event", { subagent_id: "a", kind: "tool_start", data: { tool: "grep" } });
  await finish(t, "b", "judge");
  const line = [["scout ", "accent"], ["find it ", ""], ["grep", "dim"]];
  t.equal(t.screen({ styles: true }).widgets.subagents, [line]);
  await finish(t, "a", "scout");
  t.equal(t.screen().widgets.subagents, null);
});
