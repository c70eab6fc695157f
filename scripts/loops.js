// ==Agent==
// @name     loops
// @summary  Warns a model that repeats the same call, and asks you at the fifth time
// ==/Agent==

// Blocking loop_detected would end the prompt, so the call itself is refused and the model is told why.
const again = new Map(); // by agent: the call that it is about to repeat
ext.on("loop_detected", (ev) => {
  if (ev.count >= 5) return { ask: `${ev.tool} was called ${ev.count} times with the same arguments. Once more?` };
  again.set(ev.agent_id, { tool: ev.tool, count: ev.count });
});

ext.on("tool_call", (ev) => {
  const call = again.get(ev.agent_id);
  if (call?.tool !== ev.tool) return;
  again.delete(ev.agent_id);
  return { block: true, reason: `this is call ${call.count} of ${ev.tool} with the same arguments: nothing changes by it, try something else` };
});

ext.test("a word first, then a question", async (t) => {
  for (const count of [3, 4]) {
    await t.emit("loop_detected", { tool: "bash", count, args_hash: "x" });
    t.passed();
    await t.call("ls", {});
    t.passed();
    await t.call("bash", { command: "make" });
    t.blocked(`call ${count} of bash`);
    await t.call("bash", { command: "make" });
    t.passed();
  }
  await t.emit("loop_detected", { tool: "bash", count: 5, args_hash: "x" });
  t.asked("5 times");
  await t.call("bash", { command: "make" });
  t.passed();
});
ext.test("what another agent repeats is its own", async (t) => {
  await t.emit("loop_detected", { tool: "bash", count: 3, args_hash: "x", agent_id: "scout" });
  await t.call("bash", { command: "make" });
  t.passed();
});
