// ==Agent==
// @name     auto-commit
// @summary  After each prompt, commits the files that the model changed, with the prompt as the message
// @grant    exec:git
// ==/Agent==

// git runs it, and returns why it failed, null if it did not.
async function git(...args) {
  let said;
  try {
    const r = await ext.exec(["git", "--literal-pathspecs", ...args]);
    if (r.code === 0) return null;
    said = r.stderr + r.stdout;
  } catch (err) {
    said = err.message;
  }
  return ext.regex.find("[^\n]{1,200}", said)?.text ?? "git failed";
}

let prompt = "", changed = new Set();
ext.on("agent_before_start", { depth: 0 }, (ev) => { prompt = ev.prompt; changed = new Set(); });
// ev.writes lists the absolute paths of the files that a call writes, for every tool.
ext.on("tool_result", { kind: "edit" }, (ev) => {
  if (!ev.is_error) for (const path of ev.writes) changed.add(path);
});

ext.on("agent_end", { depth: 0, timeout: 120 }, async (ev) => {
  if (ev.status !== "completed") return;
  const paths = [];
  let why = null;
  for (const path of [...changed].sort()) {
    why = await git("add", "--", path);
    if (!why) paths.push(path); // what git ignores, does not have or no longer finds keeps it from nothing else
  }
  if (paths.length === 0) return why ? ext.notify("not committed: " + why, "warn") : undefined;
  if (!await git("diff", "--cached", "--quiet", "--", ...paths)) return; // nothing has changed
  const message = ext.regex.find("\\S[^\n]{0,69}", prompt)?.text ?? "changes";
  why = await git("commit", "-q", "-m", message, "--only", "--", ...paths);
  ext.notify(why ? "not committed: " + why : "committed: " + paths.map((path) => ext.path.rel(path)).join(", "), why ? "warn" : "info");
});

// fake replaces git; fails holds the commands that fail. It returns the list of commands that were run.
function fake(t, fails) {
  const ran = [];
  t.stub("exec", (call) => {
    const line = call.argv.slice(2).join(" ");
    ran.push(line);
    return { code: line in fails ? 1 : 0, stdout: "", stderr: fails[line] ?? "" };
  });
  return ran;
}

ext.test("only what was changed, and only when it is done", async (t) => {
  const [a, b] = [ext.path.abs("a"), ext.path.abs("b")];
  const ran = fake(t, { [`diff --cached --quiet -- ${a} ${b}`]: "" });
  await t.emit("agent_before_start", { prompt: "\n mend the door" + "!".repeat(99) + "\nnow", system_prompt: "" });
  await t.emit("agent_end", { status: "completed", response: "" });
  await t.call("write", { path: "b", content: "x" });
  await t.call("edit", { path: "./sub/../a", edits: [{ old: "x", new: "y" }] });
  await t.emit("agent_end", { status: "cancelled", response: "" });
  await t.emit("agent_before_start", { prompt: "help", system_prompt: "", depth: 1 }); // a sub-agent is part of the work
  await t.emit("agent_end", { status: "completed", response: "", depth: 1 });
  t.equal(ran.length, 0);
  t.equal((await t.emit("agent_end", { status: "completed", response: "" })).said, ["committed: a, b"]);
  t.equal(ran, [`add -- ${a}`, `add -- ${b}`, `diff --cached --quiet -- ${a} ${b}`,
    `commit -q -m mend the door${"!".repeat(57)} --only -- ${a} ${b}`]);
});
ext.test("what fails was not changed, and a new prompt begins anew", async (t) => {
  const ran = fake(t, {});
  t.stub("tool", () => ({ content: "no such file", is_error: true }));
  await t.call("write", { path: "a", content: "x" });
  await t.emit("agent_end", { status: "completed", response: "" });
  t.stub("tool", () => "done");
  await t.call("write", { path: "b", content: "x" });
  await t.emit("agent_before_start", { prompt: "go", system_prompt: "" });
  await t.emit("agent_end", { status: "completed", response: "" });
  t.equal(ran.length, 0);
});
ext.test("what git cannot take is left out, what is as it was makes no commit", async (t) => {
  const [a, out] = [ext.path.abs("a"), ext.path.abs("out")];
  const diff = "diff --cached --quiet -- " + a;
  /** @type {Record<string, string>} */
  const fails = { [`add -- ${out}`]: "it is ignored\nhint", [diff]: "" };
  const ran = fake(t, fails);
  const end = async () => (await t.emit("agent_end", { status: "completed", response: "" })).said;
  await t.call("write", { path: "out", content: "x" });
  t.equal(await end(), ["not committed: it is ignored"]);
  await t.call("write", { path: "a", content: "x" });
  t.equal(await end(), ["committed: a"]);
  fails[`commit -q -m changes --only -- ${a}`] = "the hook says no";
  t.equal(await end(), ["not committed: the hook says no"]);
  delete fails[diff];
  t.equal(await end(), []);
  t.equal(ran[ran.length - 1], diff);
  t.stub("exec", () => ({ error: "not_found", message: "there is no git" }));
  t.equal(await end(), ["not committed: there is no git"]);
});
