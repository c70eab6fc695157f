// ==Agent==
// @name     ask-user
// @summary  A tool with which the model asks you a question instead of guessing
// @grant    ui
// ==/Agent==

// An open dialog stops the clock of the tool: you may take your time.
ext.tool({
  name: "ask_user",
  description: "Ask the user something that you cannot find out by yourself. " +
    "Give answers to choose from where you can.",
  read_only: true,
  schema: { question: "string: one question", answers: "string[]?: to choose from" },
  run: async (args) => {
    try {
      const answer = args.answers?.length > 0
        ? await ext.ui.select(args.question, args.answers)
        : await ext.ui.input(args.question);
      return "The user answers: " + answer;
    } catch (err) {
      return `The user gave no answer (${err.code}). Do what seems best, and say so.`;
    }
  },
});

ext.test("chosen and written answers", async (t) => {
  const ask = async (question, answers) =>
    (await t.call("ask_user", { question, answers })).content;
  t.answer("select", "blue");
  t.equal(await ask("Which?", ["red", "blue"]), "The user answers: blue");
  t.answer("input", "42");
  t.equal(await ask("How many?"), "The user answers: 42");
  t.match(await ask("Really?"), "no answer \\(headless\\)");
});
