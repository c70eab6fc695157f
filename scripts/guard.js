// ==Agent==
// @name     guard
// @summary  Refuses sudo and changes of .env files, and asks before a force-push
// @guards   bash|write|edit
// ==/Agent==

const sudo = "no sudo: say what you need and the user will run it";
const force = "it can destroy what others have pushed";

ext.guard({ tool: "bash" }, (ev) =>
  ext.shell.check(ev.args.command, {
    deny: [{ cmd: ["sudo", "doas"], reason: sudo }],
    ask: [{ cmd: "git", sub: "push", flags: "force", reason: force }],
  }));

// A guard about files that has no function also holds, in the sandbox, for what programs write.
ext.guard({ writes: "**/.env*" }, { block: true, reason: "secrets are edited by hand" });

ext.test("refuses sudo, and asks before a force-push", async (t) => {
  for (const command of ["sudo ls", "env 's'udo ls", "doas ls"]) {
    t.equal((await t.call("bash", { command })).asked, []);
    t.blocked("no sudo");
  }
  t.answer("approve", true);
  await t.call("bash", { command: "git push origin -f" });
  t.asked("destroy what others have pushed");
  await t.call("bash", { command: "git push; echo sudo" });
  t.passed();
});

ext.test("refuses changes of .env files", async (t) => {
  for (const [tool, args] of Object.entries({
    write: { path: ".env", content: "x" },
    edit: { path: "a/.env.local", edits: [{ old: "x", new: "y" }] },
    bash: { command: "echo x > a/../.env" },
  })) {
    await t.call(tool, args);
    t.blocked("edited by hand");
  }
  await t.call("write", { path: "environment", content: "x" });
  t.passed();
  await t.call("read", { path: ".env" });
  t.passed();
});
