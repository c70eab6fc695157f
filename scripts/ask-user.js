// ==Agent==
// @name     ask-user
// @summary  A tool with which the model asks you a question instead of guessing
// @grant    ui
// ==/Agent==

ext.tool({
  name: "ask_user", kind: "other", read_only: true, approve: false, timeout: 600,
  description: "Ask the user something that you cannot find out by yourself. Give answers to choose from where you can.",
  schema: { question: "string: one question", answers: "string[]?: to choose from" },
  run: async (args) => {
    try {
      const answer = args.answers && args.answers.length > 0 ? await ext.ui.select(args.question, args.answers) : await ext.ui.input(args.question);
      if (answer != null) return "The user answers: " + answer;
      return "The user gave no answer (cancelled). Do what seems best, and say so.";
    } catch (err) {
      return `The user gave no answer (${err.code}). Do what seems best, and say so.`;
    }
  },
});

ext.test("chosen and written answers", async (t) => {
  t.answer("select", "blue");
  t.equal((await t.call("ask_user", { question: "Which?", answers: ["red", "blue"] })).content, "The user answers: blue");
  t.answer("input", "42");
  t.equal((await t.call("ask_user", { question: "How many?" })).content, "The user answers: 42");
  t.match((await t.call("ask_user", { question: "Really?" })).content, "no answer \\(headless\\)");
});
