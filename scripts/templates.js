// ==Agent==
// @name     templates
// @summary  Common prompts as commands: /explain, /review, /fix
// ==/Agent==

// Copy this file and make the list your own. The text after the command replaces %s; without one,
// default does.
const templates = [
  {
    name: "explain",
    description: "Explain a piece of code",
    prompt: "Explain %s: its purpose, how it works, and what is surprising. Change nothing.",
  },
  {
    name: "review",
    description: "Review changes",
    prompt: "Review %s as a careful colleague would: bugs first, then what is hard to read. " +
      "Change nothing.",
    default: "the changes that are not committed yet",
  },
  {
    name: "fix",
    description: "Fix what fails",
    prompt: "Run %s, find out why it fails, and mend the cause, not the symptom.",
    default: "the tests",
  },
];

for (const template of templates) {
  ext.command({
    name: template.name,
    description: template.description,
    run: (args) => {
      const about = args || template.default;
      if (!about) return { error: "about what?" };
      return { prompt: template.prompt.replaceAll("%s", () => about) };
    },
  });
}

ext.test("the text after the command is inserted", async (t) => {
  t.match((await t.command("/explain main.go %1")).prompt, "^Explain main.go %1: its");
  t.match((await t.command("/fix")).prompt, "^Run the tests, find");
  t.match((await t.command("/explain")).error, "about what");
});
