// ==Agent==
// @name     subagents
// @summary  Shows what the sub-agents are doing, below the editor
// @grant    ui
// ==/Agent==

const running = new Map();

function draw() {
  const lines = [...running.values()].map((a) => [[a.name + " ", "accent"], a.task + " ", [a.doing, "dim"]]);
  ext.ui.widget("subagents", lines.length > 0 ? lines : null, { place: "below" });
}

const oneLine = (text) => ext.regex.find("^.{0,50}", text.replace(/\s+/g, " "))?.text;

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

ext.test("comes and goes", async (t) => {
  await t.emit("subagent_start", { subagent_id: "a", name: "scout", task: "find\nit", model: "m", tools: ["read"] });
  await t.emit("subagent_start", { subagent_id: "b", name: "judge", task: "weigh it", model: "m", tools: [] });
  t.equal(t.screen().widgets.subagents, ["scout find it starts", "judge weigh it starts"]);
  t.equal(t.screen().places.subagents, "below");
  await t.emit("subagent_event", { subagent_id: "a", kind: "tool_start", data: { tool: "grep" } });
  await t.emit("subagent_end", { subagent_id: "b", name: "judge", status: "completed", response: "done" });
  t.equal(t.screen({ styles: true }).widgets.subagents, [[["scout ", "accent"], ["find it ", ""], ["grep", "dim"]]]);
  await t.emit("subagent_end", { subagent_id: "a", name: "scout", status: "completed", response: "done" });
  t.equal(t.screen().widgets.subagents, null);
});
