// ==Agent==
// @name     notify-done
// @summary  Shows a desktop notification when a long prompt is done and you are not looking
// @grant    ui
// ==/Agent==

const after = ext.option({ name: "after", description: "seconds that a prompt must have taken", default: 20 });
let began = 0;

ext.on("agent_before_start", { depth: 0 }, () => { began = ext.time.now(); });

ext.on("agent_end", { depth: 0 }, (ev) => {
  if (ext.time.now() - began < after || ext.ui.focused() === true) return;
  ext.ui.desktop("agent: " + ev.status, ext.text.truncate(ev.response ?? "", { lines: 2, bytes: 200 }));
});

ext.test("what takes long is told to who looks elsewhere", async (t) => {
  const work = async () => {
    await t.emit("agent_before_start", { prompt: "go", system_prompt: "" });
    await t.clock(30);
    await t.emit("agent_end", { status: "completed", response: "done" });
  };
  t.focus(true);
  await work();
  t.equal(t.screen().desktop, []);
  t.focus(false);
  await work();
  t.equal(t.screen().desktop, ["agent: completed: done"]);
});
ext.test("what is quick is not told", async (t) => {
  await t.emit("agent_before_start", { prompt: "go", system_prompt: "" });
  await t.emit("agent_end", { status: "completed", response: "done" });
  t.equal(t.screen().desktop, []);
});
ext.test("sub-agents neither begin nor end it, and a long answer is short", async (t) => {
  await t.emit("agent_before_start", { prompt: "go", system_prompt: "" });
  await t.clock(30);
  await t.emit("agent_before_start", { prompt: "help", system_prompt: "", depth: 1 });
  await t.emit("agent_end", { status: "completed", response: "helped", depth: 1 });
  t.equal(t.screen().desktop, []);
  await t.emit("agent_end", { status: "completed", response: "one\ntwo\nthree\nfour" });
  const told = t.screen().desktop[0];
  t.match(told, "^agent: completed: ");
  t.equal(ext.regex.test("two[^$]*three|three[^$]*two", told), false);
});
