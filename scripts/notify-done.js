// ==Agent==
// @name     notify-done
// @summary  Shows a desktop notification when a long prompt is done and you are not looking
// @grant    ui
// ==/Agent==

const after = ext.option({
  name: "after",
  description: "seconds that a prompt must have taken",
  default: 20,
});

// focused returns null if the terminal does not tell: then the notification is shown.
ext.on("agent_end", { depth: 0 }, (ev) => {
  if (ev.duration_ms < after * 1000 || ext.ui.focused() === true) return;
  const answer = ext.text.truncate(ev.response, { lines: 2, bytes: 200 });
  ext.ui.desktop("agent: " + ev.status, answer);
});

// finish ends a prompt that took so many seconds.
const finish = (t, seconds, response, depth = 0) =>
  t.emit("agent_end", { status: "completed", response, duration_ms: seconds * 1000, depth });

ext.test("notifies after a long prompt if you look elsewhere", async (t) => {
  t.focus(true);
  await finish(t, 30, "done");
  t.equal(t.screen().desktop, []);
  t.focus(false);
  await finish(t, 30, "done");
  t.equal(t.screen().desktop, ["agent: completed: done"]);
});

ext.test("is silent after a short prompt, and for sub-agents", async (t) => {
  await finish(t, 19, "done");
  await finish(t, 30, "helped", 1);
  t.equal(t.screen().desktop, []);
});

ext.test("shortens a long answer", async (t) => {
  await finish(t, 20, "one\ntwo\nthree\nfour");
  const shown = t.screen().desktop[0];
  t.match(shown, "^agent: completed: ");
  t.equal(ext.regex.test("(?s)two.*three|three.*two", shown), false);
});
