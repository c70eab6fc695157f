// ==Agent==
// @name     NAME
// @version  0.1.0
// @api      1
// @summary  Refuses unwanted tool calls
// @guards   bash|write|edit
// ==/Agent==

// A guard has the last word on a tool call's final arguments, in every mode. If it returns nothing,
// the call goes on; with { block: true, reason: "why" } the model is told why it is refused; with
// { ask: "question?" } the user decides. If the guard fails, the user is asked.

// ext.shell.check reads a command line as bash does: quotes, wrappers such as sudo and the order of
// flags do not matter. If it is unknown what the command does, the user is asked.
ext.guard({ tool: "bash" }, (ev) =>
  ext.shell.check(ev.args.command, {
    deny: [{ cmd: "git", sub: "push", flags: "force", reason: "no force-push" }],
  }));

// writes is a glob of files. It covers every tool, shell commands and symbolic links. A guard about
// files that has no function also holds, in the sandbox, for what programs write.
ext.guard({ writes: "**/.env" }, { block: true, reason: "secrets are edited by hand" });

// agent ext test runs these; agent ext check tries the guard on harmless commands.
ext.test("a force-push is refused", async (t) => {
  await t.call("bash", { command: "git push --force" });
  t.blocked("no force-push");
  await t.call("bash", { command: "git push" });
  t.passed();
});

ext.test("secrets are not written", async (t) => {
  await t.call("write", { path: "a/.env", content: "x" });
  t.blocked("by hand");
  await t.call("bash", { command: "cp example .env" });
  t.blocked("by hand");
  await t.call("write", { path: "environment", content: "x" });
  t.passed();
});
