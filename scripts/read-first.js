// ==Agent==
// @name     read-first
// @summary  A file is edited only after the model has read it in this conversation
// @guards   edit
// ==/Agent==

// What was read is kept in the session, so that it also holds after a resume.
ext.on("tool_result", { tool: "read|write" }, (ev) => {
  if (!ev.is_error) ext.state.set("read:" + ext.path.abs(ev.args.path), true);
});

ext.guard({ tool: "edit" }, (ev) => {
  if (!ext.state.get("read:" + ext.path.abs(ev.args.path))) {
    return { block: true, reason: `read ${ev.args.path} first: what you remember of it may be wrong` };
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
