// ==Agent==
// @name     NAME
// @version  0.1.0
// @api      1
// @summary  A tool that the model can call
// ==/Agent==

// The model uses the name, description and schema to decide when to call the tool.
ext.tool({
  name: "count_words",
  description: "Counts the words of a text",
  schema: {
    text: "string: what to count in",
    least: "integer?: count only words of at least so many letters",
  },
  read_only: true, // it changes nothing, so it runs without a question
  run: (args, call) => {
    const words = args.text.split(/\s+/).filter((word) => word.length >= (args.least ?? 1));
    // or an object: { content: "...", is_error: true, display: { kind: "markdown" } }
    return `${words.length} words`;
  },
});

ext.test("counts words", async (t) => {
  t.equal((await t.call("count_words", { text: "a small text" })).content, "3 words");
  t.equal((await t.call("count_words", { text: "a small text", least: 5 })).content, "1 words");
});
