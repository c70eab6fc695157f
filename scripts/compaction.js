// ==Agent==
// @name     compaction
// @summary  Adds instructions to summaries, and /tidy to compact the conversation when it suits you
// @grant    agent
// ==/Agent==

const keep = ext.option({
  name: "keep",
  description: "what every summary must keep",
  default: "Keep every path, every decision and its reason, and what is left to do, as lists.",
});

ext.on("session_before_compact", (ev) => ({
  instructions: ev.instructions ? ev.instructions + "\n" + keep : keep,
}));

// tidy compacts the conversation unless it uses less than half of the model's window. Some models
// do not tell the size of their window: percent is then undefined.
async function tidy(percent) {
  if (percent != null && percent < 50) {
    const used = `Only ${Math.floor(percent)} % of the window is used`;
    return { display: `${used}: \`/compact\` compacts it anyway.` };
  }
  try {
    await ext.agent.compact();
    return { display: "The conversation is compacted." };
  } catch (err) {
    return { error: err.message };
  }
}

ext.command({
  name: "tidy",
  description: "Compacts the conversation if half of the model's window or more is used",
  run: (_, call) => tidy(call.window?.percent),
});

ext.test("instructions are added to yours", async (t) => {
  const fields = {
    cause: "manual", messages: [], keep_from: "",
    input_tokens: 1, output_tokens: 1, limit: 0,
  };
  t.match((await t.emit("session_before_compact", fields)).instructions, "^Keep every path");
  fields.instructions = "Be short.";
  t.match((await t.emit("session_before_compact", fields)).instructions, "^Be short.\nKeep every");
});

ext.test("compacts from half of the window on", async (t) => {
  t.match((await t.command("/tidy")).display, "Only 0 % of the window");
  t.match((await tidy(49.9)).display ?? "", "Only 49 % of the window");
  // a test has no conversation: ext.agent.compact fails
  t.match((await tidy(50)).error, "ext.agent.compact");
  t.match((await tidy(100)).error, "ext.agent.compact");
  t.match((await tidy(undefined)).error, "ext.agent.compact");
});
