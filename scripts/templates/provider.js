// ==Agent==
// @name     NAME
// @version  0.1.0
// @api      1
// @summary  A model provider
// @grant    provider
// ==/Agent==

// The text of the last message: a real provider sends all of them to a server, with ext.http.
function last(messages) {
  const blocks = messages[messages.length - 1].content;
  return blocks.map((block) => block.text ?? "").join("");
}

// agent --model NAME/echo
ext.provider({
  name: "NAME",
  models: [{ id: "echo", context: 100000, max_output: 4000 }],
  stream: (request, emit) => {
    for (const word of last(request.messages).split(/\s+/)) emit({ text: word + " " });
    // Besides text: what it thinks, and calls of tools, whose results are the last messages of the
    // next request.
    // emit({ reasoning: "simple" });
    // emit({ tool_call: { index: 0, id: "c1", name: "ls", args_delta: "{}" } });
    return { finish_reason: "stop", usage: { input: 1, output: 1 } };
  },
});

ext.test("takes the last message", (t) => {
  t.equal(last([{ content: [] }, { content: [{ type: "text", text: "hello" }] }]), "hello");
});
