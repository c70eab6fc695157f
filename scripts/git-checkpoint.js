// ==Agent==
// @name     git-checkpoint
// @summary  Saves your files before each prompt; /rewind restores them and removes newer files
// @grant    exec:git
// ==/Agent==

const most = 50; // checkpoints per session; git removes older ones later

// git uses a separate index here, so your staged changes and ignored files are not touched.
async function git(...words) {
  const where = await ext.exec(["git", "rev-parse", "--path-format=absolute", "--git-path", "agent-index"]).catch(() => null);
  if (where?.code !== 0) return null; // no repository
  const r = await ext.exec(["git", ...words], { timeout: 60, env: { GIT_INDEX_FILE: where.stdout.trim() } });
  return r.code === 0 ? r.stdout.trim() : null;
}

// snapshot stores all files, including untracked ones, in a git tree and keeps it with a ref.
async function snapshot() {
  if ((await git("add", "-A", ":/")) === null) return null;
  const tree = await git("write-tree");
  return tree !== null && (await git("update-ref", "refs/agent/" + tree, tree)) !== null ? tree : null;
}

ext.on("agent_before_start", { depth: 0, timeout: 120 }, async (ev) => {
  const tree = await snapshot();
  if (tree === null) return;
  const kept = ext.state.get("kept") ?? [];
  kept.push({ tree, prompt: ext.regex.find("^[^\n]{0,60}", ev.prompt)?.text });
  if (kept.length > most) await git("update-ref", "-d", "refs/agent/" + kept.shift().tree);
  ext.state.set("kept", kept);
});

ext.command({ name: "rewind", description: "Your files as they were before the last prompt, or before prompt N of these", args: ["n integer?: which prompt"], run: async (args) => {
  const kept = ext.state.get("kept") ?? [];
  const n = args.n ?? kept.length;
  const point = kept[n - 1], now = await snapshot();
  if (!point) return { error: `there are ${kept.length} checkpoints` };
  if (now === null || (await git("read-tree", "--reset", "-u", point.tree)) === null) return { error: "git could not restore " + point.tree };
  return { display: `Your files are as they were before prompt ${n}: ${point.prompt}\n\nAs they were just now: \`git restore --source ${now.slice(0, 12)} -- :/\`` };
} });

ext.test("a checkpoint before each prompt, and the way back", async (t) => {
  let ran = [];
  const said = { "write-tree": "abc\n", "rev-parse": "/repo/.git/agent-index\n" };
  t.stub("exec", (call) => {
    if (call.argv[1] !== "rev-parse") {
      ran.push(call.argv.join(" "));
      t.equal(call.env.GIT_INDEX_FILE, "/repo/.git/agent-index");
    }
    return said[call.argv[1]];
  });
  t.match((await t.command("/rewind")).error, "there are 0 checkpoints");
  ran = [];
  await t.emit("agent_before_start", { prompt: "break it", system_prompt: "" });
  t.equal(ran, ["git add -A :/", "git write-tree", "git update-ref refs/agent/abc abc"]);
  t.match((await t.command("/rewind 1")).display, "before prompt 1: break it");
  t.equal(ran[ran.length - 1], "git read-tree --reset -u abc");
  t.match((await t.command("/rewind 2")).error, "there are 1 checkpoints");
});
ext.test("no repository", async (t) => {
  t.stub("exec", () => ({ code: 128, stderr: "not a git repository" }));
  await t.emit("agent_before_start", { prompt: "go", system_prompt: "" });
  t.match((await t.command("/rewind")).error, "there are 0 checkpoints");
});
ext.test("only the last ones are kept, and none for sub-agents", async (t) => {
  let n = 0;
  const gone = [];
  t.stub("exec", (call) => {
    if (call.argv[1] === "write-tree") return "tree" + ++n;
    if (call.argv[2] === "-d") gone.push(call.argv[3]);
    return "";
  });
  for (let i = 0; i < 51; i++) await t.emit("agent_before_start", { prompt: "a" + "é".repeat(80), system_prompt: "" });
  await t.emit("agent_before_start", { prompt: "go", system_prompt: "", depth: 1 });
  t.equal(gone, ["refs/agent/tree1"]);
  t.match((await t.command("/rewind 51")).error, "there are 50 checkpoints");
  t.match((await t.command("/rewind 50")).display, "before prompt 50: aé{59}\n");
  t.match((await t.command("/rewind")).display, "before prompt 50");
  for (const fails of ["read-tree", "add", "rev-parse"]) {
    t.stub("exec", (call) => ({ code: call.argv[1] === fails ? 1 : 0, stdout: "", stderr: "" }));
    t.match((await t.command("/rewind")).error, "git could not restore tree51");
  }
});
