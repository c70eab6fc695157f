// ==Agent==
// @name     compaction
// @summary  Adds instructions to summaries, and /tidy to compact the conversation when it suits you
// @grant    agent
// ==/Agent==

const keep = ext.option({ name: "keep", description: "what every summary must keep",
  default: "Keep every file path, every decision with its reason, and what is still to do, as lists." });

ext.on("session_before_compact", (ev) => ({ instructions: ev.instructions ? ev.instructions + "\n" + keep : keep }));

async function tidy(percent) {
  if (percent != null && percent < 50) return { display: `Only ${Math.floor(percent)} % is used: \`/compact\` does it all the same.` };
  try {
    await ext.agent.compact();
    return { display: "The conversation is tidy." };
  } catch (err) {
    return { error: err.message };
  }
}

ext.command({ name: "tidy", description: "Compact now if half of the model's window is used, or nobody knows how much is",
  run: (_, call) => tidy(call.window?.percent) });

ext.test("instructions are added to yours", async (t) => {
  const fields = { cause: "manual", messages: [], keep_from: "", input_tokens: 1, output_tokens: 1, limit: 0 };
  t.match((await t.emit("session_before_compact", fields)).instructions, "^Keep every file path");
  fields.instructions = "Be short.";
  t.match((await t.emit("session_before_compact", fields)).instructions, "^Be short.\nKeep every");
});
ext.test("from half of the window on", async (t) => {
  t.match((await t.command("/tidy")).display, "Only 0 % is used");
  t.match((await tidy(49.9)).display ?? "", "Only 49 % is used");
  for (const percent of [50, 100]) t.match((await tidy(percent)).error, "ext.agent.compact"); // in a test there is nothing to compact
  t.match((await tidy(undefined)).error, "ext.agent.compact");
});
