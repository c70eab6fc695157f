// ==Agent==
// @name     btw
// @summary  /btw QUESTION answers from the conversation so far, without adding to it
// @grant    llm session
// ==/Agent==

// prompt is the question for the model. Only the end of a long conversation is included.
function prompt(said, question) {
  return ext.text.truncate(said, { bytes: 50000, keep: "tail" }) + "\n\nQuestion: " + question;
}

ext.command({ name: "btw", description: "Ask something by the way", run: async (args) => {
  if (args === "") return { error: "what is the question?" };
  try {
    const answer = await ext.llm.complete({
      system: "Answer the question about this conversation in a few sentences.",
      prompt: prompt(ext.text.transcript(ext.session.messages()), args),
    });
    return { display: answer.text };
  } catch (err) {
    return { error: err.message };
  }
} });

ext.test("the model answers", async (t) => {
  t.stub("llm", (request) => request.prompt.match(/Question: (.*)/)[1].toUpperCase());
  t.equal((await t.command("/btw why?")).display, "WHY?");
  t.match((await t.command("/btw")).error, "what is the question");
  t.stub("llm", () => ({ error: "overloaded", message: "later" }));
  t.equal((await t.command("/btw why?")).error, "later");
});
ext.test("of a long conversation, the end", (t) => {
  const asked = prompt("first\n" + "x\n".repeat(30000) + "last", "why?");
  t.equal(ext.regex.test("first", asked), false);
  t.match(asked, "x\nlast\n\nQuestion: why\\?$");
  t.equal(asked.length > 45000 && asked.length < 51000, true);
});
