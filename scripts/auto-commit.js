// ==Agent==
// @name     auto-commit
// @summary  Commits the files that the model changed, with your prompt as the message
// @grant    exec:git
// ==/Agent==

// git runs a git command. It returns the error text, or null on success.
async function git(...args) {
  let said;
  try {
    const result = await ext.exec(["git", "--literal-pathspecs", ...args]);
    if (result.code === 0) return null;
    said = result.stderr + result.stdout;
  } catch (err) {
    said = err.message;
  }
  return ext.regex.find("[^\n]{1,200}", said)?.text ?? "git failed";
}

let prompt = "", changed = new Set();
ext.on("agent_before_start", { depth: 0 }, (ev) => {
  prompt = ev.prompt;
  changed = new Set();
});

// ev.writes lists the absolute paths of the files that a call writes, for every tool.
ext.on("tool_result", { kind: "edit" }, (ev) => {
  if (ev.is_error) return;
  for (const path of ev.writes) changed.add(path);
});

// stage adds the changed files to git's index. It returns the paths of those that git accepted, and
// the error of the last that it refused, such as a file that it ignores.
async function stage() {
  const staged = [];
  let refused = null;
  for (const path of [...changed].sort()) {
    const err = await git("add", "--", path);
    if (err) refused = err;
    else staged.push(path);
  }
  return { staged, refused };
}

// commit commits these files alone. It returns the error text, or null on success.
function commit(paths) {
  const message = ext.regex.find("\\S[^\n]{0,69}", prompt)?.text ?? "changes";
  return git("commit", "-q", "-m", message, "--only", "--", ...paths);
}

ext.on("agent_end", { depth: 0, timeout: 120 }, async (ev) => {
  if (ev.status !== "completed") return;
  const { staged: paths, refused } = await stage();
  let err = refused;
  if (paths.length > 0) {
    const differs = await git("diff", "--cached", "--quiet", "--", ...paths);
    if (!differs) return;
    err = await commit(paths);
  }
  if (err) {
    ext.notify("not committed: " + err, "warn");
  } else if (paths.length > 0) {
    ext.notify("committed: " + paths.map((path) => ext.path.rel(path)).join(", "));
  }
});

// fake replaces git. fails has the errors of the commands that fail. It returns a list, to which
// each command that runs is added.
function fake(t, fails) {
  const ran = [];
  t.stub("exec", (call) => {
    const line = call.argv.slice(2).join(" ");
    ran.push(line);
    return { code: line in fails ? 1 : 0, stdout: "", stderr: fails[line] ?? "" };
  });
  return ran;
}

const start = (t, text, depth = 0) =>
  t.emit("agent_before_start", { prompt: text, system_prompt: "", depth });

const finish = async (t, status, depth = 0) =>
  (await t.emit("agent_end", { status, response: "", depth })).said;

ext.test("commits what was changed, at the end of a completed prompt", async (t) => {
  const [a, b] = [ext.path.abs("a"), ext.path.abs("b")];
  const ran = fake(t, { [`diff --cached --quiet -- ${a} ${b}`]: "" });
  await start(t, "\n mend the door" + "!".repeat(99) + "\nnow");
  await finish(t, "completed");
  await t.call("write", { path: "b", content: "x" });
  await t.call("edit", { path: "./sub/../a", edits: [{ old: "x", new: "y" }] });
  await finish(t, "cancelled");
  // a sub-agent works for the same prompt
  await start(t, "help", 1);
  await finish(t, "completed", 1);
  t.equal(ran.length, 0);
  t.equal(await finish(t, "completed"), ["committed: a, b"]);
  t.equal(ran, [
    `add -- ${a}`,
    `add -- ${b}`,
    `diff --cached --quiet -- ${a} ${b}`,
    `commit -q -m mend the door${"!".repeat(57)} --only -- ${a} ${b}`,
  ]);
});

ext.test("ignores failed calls and the changes of earlier prompts", async (t) => {
  const ran = fake(t, {});
  t.stub("tool", () => ({ content: "no such file", is_error: true }));
  await t.call("write", { path: "a", content: "x" });
  await finish(t, "completed");
  t.stub("tool", () => "done");
  await t.call("write", { path: "b", content: "x" });
  await start(t, "go");
  await finish(t, "completed");
  t.equal(ran.length, 0);
});

ext.test("leaves out what git refuses, and makes no empty commit", async (t) => {
  const [a, out] = [ext.path.abs("a"), ext.path.abs("out")];
  const diff = "diff --cached --quiet -- " + a;
  /** @type {Record<string, string>} */
  const fails = { [`add -- ${out}`]: "it is ignored\nhint", [diff]: "" };
  const ran = fake(t, fails);
  await t.call("write", { path: "out", content: "x" });
  t.equal(await finish(t, "completed"), ["not committed: it is ignored"]);
  await t.call("write", { path: "a", content: "x" });
  t.equal(await finish(t, "completed"), ["committed: a"]);
  fails[`commit -q -m changes --only -- ${a}`] = "the hook says no";
  t.equal(await finish(t, "completed"), ["not committed: the hook says no"]);
  delete fails[diff];
  t.equal(await finish(t, "completed"), []);
  t.equal(ran[ran.length - 1], diff);
  t.stub("exec", () => ({ error: "not_found", message: "there is no git" }));
  t.equal(await finish(t, "completed"), ["not committed: there is no git"]);
});
