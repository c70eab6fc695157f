// ==Agent==
// @name     NAME
// @version  0.1.0
// @api      1
// @summary  A slash command
// ==/Agent==

// /NAME 3 tea writes a list. Without args, run gets the rest of the line as text.
ext.command({
  name: "NAME",
  description: "Writes something down several times",
  args: ["times integer: how often", "what string?: what"],
  run: (args, call) => {
    if (args.times > 20) return { error: "20 times at most" };
    // display is Markdown that the user sees. { prompt: "..." } would be sent to the model,
    // { insert: "..." } would go into the editor.
    return { display: `- ${args.what ?? "nothing"}\n`.repeat(args.times) };
  },
});

ext.test("writes it down", async (t) => {
  t.equal((await t.command("/NAME 2 tea")).display, "- tea\n- tea\n");
  t.match((await t.command("/NAME 21")).error, "at most");
});
