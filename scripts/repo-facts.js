// ==Agent==
// @name     repo-facts
// @summary  Tells the model the git branch and uncommitted files at the start of a conversation
// @grant    exec:git
// ==/Agent==

const heading = "git status at the start of the conversation:\n";

ext.on("agent_before_start", { depth: 0 }, async () => {
  if (ext.state.get("told")) return;
  ext.state.set("told", true);
  const argv = ["git", "status", "--short", "--branch"];
  const status = await ext.exec(argv, { timeout: 5 }).catch(() => null);
  if (status?.code !== 0) return; // no git, or no repository
  const text = status.stdout.trimEnd();
  return { context: heading + ext.text.truncate(text, { lines: 40, keep: "head" }) };
});

// told starts a prompt, and returns what the model is told.
async function told(t, depth = 0) {
  const fields = { prompt: "go", system_prompt: "", depth };
  return (await t.emit("agent_before_start", fields)).context;
}

ext.test("tells it once, and not to sub-agents", async (t) => {
  const status = "## main...origin/main\n M a.go\n";
  t.stub("exec", () => ({ code: 0, stdout: status, stderr: "" }));
  t.equal(await told(t, 1), undefined);
  t.equal(await told(t), heading + "## main...origin/main\n M a.go");
  t.equal(await told(t), undefined);
});

ext.test("tells the first of many files", async (t) => {
  const status = "## main\n" + " M a.go\n".repeat(99) + " M z.go\n";
  t.stub("exec", () => ({ code: 0, stdout: status, stderr: "" }));
  const text = await told(t);
  t.equal(ext.regex.find_all(" M a.go", text).length, 39);
  t.match(text, "## main");
});

ext.test("tells nothing without a repository or git", async (t) => {
  t.stub("exec", () => ({ code: 128, stderr: "not a git repository" }));
  t.equal(await told(t), undefined);
  ext.state.delete("told");
  t.stub("exec", () => ({ error: "not_found", message: "no git" }));
  t.equal(await told(t), undefined);
});
