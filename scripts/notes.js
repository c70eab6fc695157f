// ==Agent==
// @name     notes
// @summary  /note TEXT adds a line to NOTES.md, /notes shows them, and the model gets them
// @grant    fs.read:./NOTES.md  fs.write:./NOTES.md
// ==/Agent==

const file = "NOTES.md";

ext.command({
  name: "note",
  description: "Writes a note down",
  run: async (text) => {
    if (text === "") return { error: "what should be noted?" };
    try {
      await ext.fs.append(file, `- ${text}\n`);
    } catch (err) {
      return { error: err.message };
    }
    return { display: "Noted." };
  },
});

ext.command({
  name: "notes",
  description: "Shows the notes, or those with a word",
  run: async (word) => {
    let lines = [];
    try {
      lines = await ext.fs.lines(file);
    } catch (err) {
      if (err.code !== "not_found") return { error: err.message };
    }
    const found = lines.filter((line) => line.toLowerCase().includes(word.toLowerCase()));
    return { display: found.length > 0 ? found.join("\n") : "No notes." };
  },
});

ext.on("agent_before_start", async () => {
  const notes = await ext.fs.read(file, { limit: 4000 }).catch(() => null);
  if (notes !== null) return { context: "The user's notes:\n" + notes };
});

ext.test("a note is kept and found", async (t) => {
  t.equal((await t.command("/notes")).display, "No notes.");
  t.match((await t.command("/note")).error, "what");
  await t.command("/note call Ada back");
  await t.command("/note buy milk");
  t.equal((await t.command("/notes")).display, "- call Ada back\n- buy milk");
  t.equal((await t.command("/notes ada")).display, "- call Ada back");
  t.match((await t.emit("agent_before_start", { prompt: "x" })).context, "buy milk");
});

ext.test("a word is not a pattern, and the model gets the beginning of long notes", async (t) => {
  t.equal((await t.command("/note call Ada")).display, "Noted.");
  t.equal((await t.command("/notes a.a")).display, "No notes.");
  t.file("NOTES.md", "x".repeat(9000));
  t.equal((await t.emit("agent_before_start", { prompt: "x" })).context.length < 4100, true);
});

ext.test("errors name the file", async (t) => {
  t.file("NOTES.md/x", ""); // NOTES.md is a folder
  t.match((await t.command("/note a")).error, "NOTES.md");
  t.match((await t.command("/notes")).error, "NOTES.md");
});
