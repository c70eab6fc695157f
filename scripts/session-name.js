// ==Agent==
// @name     session-name
// @summary  Names a session after its first prompt, with a small model
// @grant    llm session
// ==/Agent==

// nameIn returns a model's answer without the quotes, asterisks or full stop around it.
function nameIn(text) {
  const line = ext.regex.find("[\\pL\\pN][^\n]{0,59}", text);
  return line?.text.replace(/[\s"'*`.]+$/, "");
}

// beginning returns the part of the conversation that the model gets.
function beginning(conversation) {
  return ext.text.truncate(conversation, { bytes: 4000, keep: "head" });
}

ext.on("agent_end", { depth: 0, timeout: 30 }, async (ev) => {
  if (ev.status !== "completed" || ext.session.name()) return;
  try {
    const answer = await ext.llm.complete({
      model: "small",
      max_tokens: 30,
      system: "Name this conversation in at most five words. Answer with the name alone.",
      prompt: beginning(ext.text.transcript(ext.session.messages())),
    });
    const name = nameIn(answer.text);
    if (name) ext.session.name(name);
  } catch (err) {
    ext.log.debug(err.message);
  }
});

ext.test("asks a model once, at the end of a completed prompt", async (t) => {
  const asked = [];
  /** @type {any} */
  let answer = { error: "overloaded", message: "later" };
  t.stub("llm", (request) => {
    asked.push(request.model);
    return answer;
  });
  await t.emit("agent_end", { status: "cancelled", response: "" });
  await t.emit("agent_end", { status: "completed", response: "", depth: 1 });
  t.equal(asked.length, 0);
  await t.emit("agent_end", { status: "completed", response: "done" });
  t.equal(ext.session.name(), null);
  answer = ' \n**"The name".**\nIt fits.';
  for (let i = 0; i < 2; i++) await t.emit("agent_end", { status: "completed", response: "done" });
  t.equal(ext.session.name(), "The name");
  t.equal(asked, ["small", "small"]);
});

ext.test("names are short", (t) => {
  t.equal(nameIn("é".repeat(99)), "é".repeat(60));
  t.equal(nameIn(" \n"), undefined);
  t.match(beginning("first" + "x\n".repeat(9000)), "^first");
});
