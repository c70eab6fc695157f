// ==Agent==
// @name     loops
// @summary  Warns a model that repeats the same call, and asks you at the fifth time
// ==/Agent==

// Blocking loop_detected would end the prompt. So the call itself is refused, which tells the model
// why. repeated has, for each agent, the call that it is about to repeat.
const repeated = new Map();

ext.on("loop_detected", (ev) => {
  if (ev.count >= 5) {
    const times = `${ev.tool} was called ${ev.count} times`;
    return { ask: `${times} with the same arguments. Once more?` };
  }
  repeated.set(ev.agent_id, { tool: ev.tool, count: ev.count });
});

ext.on("tool_call", (ev) => {
  const call = repeated.get(ev.agent_id);
  if (call?.tool !== ev.tool) return;
  repeated.delete(ev.agent_id);
  const what = `this is call ${call.count} of ${ev.tool}`;
  return { block: true, reason: `${what} with the same arguments: try something else` };
});

const detect = (t, count, agent = "main") =>
  t.emit("loop_detected", { tool: "bash", count, args_hash: "x", agent_id: agent });

ext.test("refuses the call, and asks at the fifth time", async (t) => {
  for (const count of [3, 4]) {
    await detect(t, count);
    t.passed();
    await t.call("ls", {});
    t.passed();
    await t.call("bash", { command: "make" });
    t.blocked(`call ${count} of bash`);
    await t.call("bash", { command: "make" });
    t.passed();
  }
  await detect(t, 5);
  t.asked("5 times");
  await t.call("bash", { command: "make" });
  t.passed();
});

ext.test("the loop of a sub-agent does not stop another agent", async (t) => {
  await detect(t, 3, "scout");
  await t.call("bash", { command: "make" });
  t.passed();
});
