// ==Agent==
// @name     protected-paths
// @summary  Refuses to touch protected paths, for every tool
// @guards   bash|write|edit
// ==/Agent==

// Globs begin at the project, or with /, ~/ or **. If it is unknown what a command writes, you are
// asked.
const writes = {
  "**/.git/**": "git's own files are changed by git",
  "~/.*rc": "what your shell runs at its start is yours",
  "/etc/**": "the system is not part of the task",
};

for (const [glob, reason] of Object.entries(writes)) {
  ext.guard({ writes: glob }, () => ({ block: true, reason }));
}

ext.guard({ reads: "~/.ssh/**" }, () => {
  return { block: true, reason: "keys are not to be read" };
});

ext.test("protected paths are refused", async (t) => {
  for (const [command, reason] of Object.entries({
    "rm -rf .git": "git's own",
    "echo x >> ~/.bashrc": "your shell",
    "tee /etc/x": "the system",
    "cat ~/.ssh/id": "keys",
  })) {
    await t.call("bash", { command });
    t.blocked(reason);
  }
  await t.call("write", { path: ".git/hooks/pre-commit", content: "x" });
  t.blocked("git's own");
  await t.call("read", { path: "~/.ssh/id" });
  t.blocked("keys");
  await t.call("bash", { command: "cat .git/config ~/.bashrc; git status" });
  t.passed();
  await t.call("write", { path: "x", content: "y" });
  t.passed();
});
