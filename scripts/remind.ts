// ==Agent==
// @name     remind
// @summary  /remind 10 look at the oven: a notice after ten minutes
// ==/Agent==

interface Reminder {
  minutes: number;
  text: string;
}

export default (api: typeof ext) => {
  const waiting = new Set<Reminder>();

  api.command({
    name: "remind",
    description: "Remind me in so many minutes",
    args: ["minutes number: from now", "text string: of what"],
    run: (args: any) => {
      const reminder: Reminder = { minutes: args.minutes, text: args.text };
      waiting.add(reminder);
      api.after(reminder.minutes * 60, () => {
        waiting.delete(reminder);
        api.notify(`Reminder: ${reminder.text}`, "warn");
      });
      return { display: `In ${reminder.minutes} min: ${reminder.text} (${waiting.size} waiting)` };
    },
  });

  api.test("reminds when the time has come", async (t) => {
    t.equal((await t.command("/remind 10 the oven")).display, "In 10 min: the oven (1 waiting)");
    await t.clock(599);
    t.equal(waiting.size, 1);
    await t.clock(2);
    t.equal(waiting.size, 0);
  });
};
