// ==Agent==
// @name     read-first
// @summary  Allows an edit of a file only after the model has read it in this conversation
// @guards   edit
// ==/Agent==

// ev.reads and ev.writes list the files that a call reads and writes, for every tool and for
// commands. The files that an agent knows are stored in the session, so they are still known after
// a resume. What a sub-agent has read, the main agent has not seen.
const key = (ev, path) => `read:${ev.agent_id}:${path}`;

ext.on("tool_result", (ev) => {
  if (ev.is_error) return;
  for (const path of [...ev.reads, ...ev.writes]) {
    if (!ext.state.get(key(ev, path))) ext.state.set(key(ev, path), true);
  }
});

ext.guard({ tool: "edit" }, (ev) => {
  for (const path of ev.writes) {
    if (!ext.state.get(key(ev, path))) {
      const name = ext.path.rel(path);
      return { block: true, reason: `read ${name} first: what you remember of it may be wrong` };
    }
  }
});

const edit = (t, path) => t.call("edit", { path, edits: [{ old: "x", new: "y" }] });

ext.test("an edit needs a read", async (t) => {
  await edit(t, "a.txt");
  t.blocked("read a.txt first");
  await t.call("read", { path: "./a.txt" });
  await edit(t, "a.txt");
  t.passed();
});

ext.test("a command that reads the file counts, unless it fails", async (t) => {
  t.stub("tool", () => ({ content: "no", is_error: true }));
  await t.call("bash", { command: "cat b.txt" });
  await edit(t, "b.txt");
  t.blocked("read b.txt first");
  t.stub("tool", () => "x");
  await t.call("bash", { command: "cd . && cat ./b.txt | head" });
  await edit(t, "b.txt");
  t.passed();
});

ext.test("what a sub-agent has read does not count", async (t) => {
  await t.emit("tool_result", {
    tool: "read", args: { path: "c.txt" }, agent_id: "scout",
    reads: [ext.path.abs("c.txt")], writes: [],
  });
  await edit(t, "c.txt");
  t.blocked("read c.txt first");
});
