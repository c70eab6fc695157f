// ==Agent==
// @name     protected-paths
// @summary  Refuses to touch protected paths, for every tool
// @guards   bash|write|edit
// ==/Agent==

// Globs begin at the project, or with /, ~/ or **. If it is unknown which files a command touches,
// you are asked. A guard without a function also holds, in the sandbox, for what programs touch.
ext.guard({ writes: "~/.*rc" }, { block: true, reason: "what your shell runs is yours" });
ext.guard({ writes: "/etc/**" }, { block: true, reason: "the system is not part of the task" });

// git and ssh need these files. A function decides only about what the call itself names.
ext.guard({ writes: "**/.git/**" }, () => {
  return { block: true, reason: "git's own files are changed by git" };
});
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
