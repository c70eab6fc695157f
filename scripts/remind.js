// ==Agent==
// @name     remind
// @summary  /remind 10 look at the oven: a notice after ten minutes
// ==/Agent==

let waiting = 0;

ext.command({
  name: "remind",
  description: "Remind me in so many minutes",
  args: ["minutes number: from now", "text string: of what"],
  run: (args) => {
    waiting++;
    ext.after(args.minutes * 60, () => {
      waiting--;
      ext.notify(`Reminder: ${args.text}`, "warn");
    });
    return { display: `In ${args.minutes} min: ${args.text} (${waiting} waiting)` };
  },
});

ext.test("reminds when the time has come", async (t) => {
  t.equal((await t.command("/remind 10 the oven")).display, "In 10 min: the oven (1 waiting)");
  await t.clock(599);
  t.equal(waiting, 1);
  await t.clock(2);
  t.equal(waiting, 0);
});
