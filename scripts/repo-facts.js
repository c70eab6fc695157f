// ==Agent==
// @name     repo-facts
// @summary  Tells the model the git branch and uncommitted files at the start of a conversation
// @grant    exec:git
// ==/Agent==

ext.on("agent_before_start", { depth: 0 }, async () => {
  if (ext.state.get("told")) return;
  ext.state.set("told", true);
  const status = await ext.exec(["git", "status", "--short", "--branch"], { timeout: 5 }).catch(() => null);
  if (status?.code !== 0) return; // no git, or no repository
  const text = ext.text.truncate(status.stdout.trimEnd(), { lines: 40, keep: "head" });
  return { context: "git status as the conversation begins:\n" + text };
});

ext.test("told once", async (t) => {
  t.stub("exec", () => ({ code: 0, stdout: "## main...origin/main\n M a.go\n", stderr: "" }));
  const fields = { prompt: "go", system_prompt: "" };
  t.equal((await t.emit("agent_before_start", { prompt: "help", system_prompt: "", depth: 1 })).context, undefined);
  t.equal((await t.emit("agent_before_start", fields)).context, "git status as the conversation begins:\n## main...origin/main\n M a.go");
  t.equal((await t.emit("agent_before_start", fields)).context, undefined);
});
ext.test("of many files, the first", async (t) => {
  t.stub("exec", () => ({ code: 0, stdout: "## main\n" + " M a.go\n".repeat(99) + " M z.go\n", stderr: "" }));
  const told = (await t.emit("agent_before_start", { prompt: "go", system_prompt: "" })).context;
  t.equal(told.split(" M a.go").length - 1, 39);
  t.match(told, "## main");
});
ext.test("no repository, or no git", async (t) => {
  t.stub("exec", () => ({ code: 128, stdout: "", stderr: "not a git repository" }));
  t.equal((await t.emit("agent_before_start", { prompt: "go", system_prompt: "" })).context, undefined);
  ext.state.delete("told");
  t.stub("exec", () => ({ error: "not_found", message: "no git" }));
  t.equal((await t.emit("agent_before_start", { prompt: "go", system_prompt: "" })).context, undefined);
});
