// ==Agent==
// @name     read-first
// @summary  Allows an edit of a file only after the model has read it in this conversation
// @guards   edit
// ==/Agent==

// ev.reads and ev.writes list the files that a call reads and writes, for every tool and for commands.
// The files that were read are stored in the session, so they are still known after a resume.
ext.on("tool_result", (ev) => {
  if (ev.is_error) return;
  for (const path of [...ev.reads, ...ev.writes]) {
    if (!ext.state.get("read:" + path)) ext.state.set("read:" + path, true);
  }
});

ext.guard({ tool: "edit" }, (ev) => {
  for (const path of ev.writes) {
    if (!ext.state.get("read:" + path)) {
      return { block: true, reason: `read ${ext.path.rel(path)} first: what you remember of it may be wrong` };
    }
  }
});

ext.test("an edit needs a read", async (t) => {
  const edit = { path: "a.txt", edits: [{ old: "x", new: "y" }] };
  await t.call("edit", edit);
  t.blocked("read a.txt first");
  await t.call("read", { path: "./a.txt" });
  await t.call("edit", edit);
  t.passed();
});

ext.test("a command reads too, and one that failed does not", async (t) => {
  const edit = { path: "b.txt", edits: [{ old: "x", new: "y" }] };
  t.stub("tool", () => ({ content: "no", is_error: true }));
  await t.call("bash", { command: "cat b.txt" });
  await t.call("edit", edit);
  t.blocked("read b.txt first");
  t.stub("tool", () => "x");
  await t.call("bash", { command: "cd . && cat ./b.txt | head" });
  await t.call("edit", edit);
  t.passed();
});
