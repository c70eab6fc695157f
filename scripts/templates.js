// ==Agent==
// @name     templates
// @summary  Common prompts as commands: /explain, /review, /fix
// ==/Agent==

// Copy this file and make the list your own. The text after the command replaces %s.
const templates = [
  ["explain", "Explain a piece of code", "Explain %s: what it is for, how it works, and what surprises in it. Change nothing."],
  ["review", "Look over changes", "Review %s as a careful colleague would: bugs first, then what is hard to read. Change nothing.", "the changes that are not committed yet"],
  ["fix", "Fix what fails", "Run %s, find out why it fails, and mend the cause, not the symptom.", "the tests"],
];

for (const [name, description, text, otherwise] of templates) {
  ext.command({ name, description, run: (args) => {
    const about = args || otherwise;
    if (!about) return { error: "about what?" };
    return { prompt: text.replaceAll("%s", () => about) };
  } });
}

ext.test("what is typed is put in", async (t) => {
  t.match((await t.command("/explain main.go %1")).prompt, "^Explain main.go %1: what");
  t.match((await t.command("/fix")).prompt, "^Run the tests, find");
  t.match((await t.command("/explain")).error, "about what");
});
