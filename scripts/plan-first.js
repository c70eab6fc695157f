// ==Agent==
// @name     plan-first
// @summary  /plan on: the model may only read, until /plan off
// @guards   *
// ==/Agent==

// The setting is stored in the session, so it survives a reload, a resume and a fork.
ext.command({
  name: "plan",
  description: "Look and plan, change nothing: on or off",
  args: ["what on|off"],
  run: (args) => {
    const on = args.what === "on";
    ext.state.set("on", on);
    const off = "The plan may be carried out.";
    return { display: on ? "Nothing is changed until `/plan off`." : off };
  },
});

const task = "You are planning: look around, change nothing, and end with a plan.";
const refusal = "a plan is being made: nothing is changed until the user says /plan off";

ext.on("turn_start", () => {
  if (ext.state.get("on")) return { context: task };
});

ext.guard((ev) => {
  if (ext.state.get("on") && !ev.read_only) return { block: true, reason: refusal };
});

ext.test("only what reads may run", async (t) => {
  await t.call("write", { path: "a", content: "b" });
  t.passed();
  t.match((await t.command("/plan on")).display, "until `/plan off`");
  await t.call("write", { path: "a", content: "b" });
  t.blocked("until the user says /plan off");
  await t.call("read", { path: "a" });
  t.passed();
  t.match((await t.emit("turn_start", { turn: 1 })).context, "change nothing");
  await t.command("/plan off");
  await t.call("write", { path: "a", content: "b" });
  t.passed();
});
