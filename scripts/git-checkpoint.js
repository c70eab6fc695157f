// ==Agent==
// @name     git-checkpoint
// @summary  Saves your files before each prompt; /rewind restores them and removes newer files
// @grant    exec:git
// ==/Agent==

const most = 50; // checkpoints per session; git removes older ones later

// git runs a git command. It returns the output without the final line break, or null on failure.
// The command uses an index of its own, so your staged changes and ignored files are not touched.
async function git(...words) {
  const output = async (argv, options) => {
    const result = await ext.exec(argv, options).catch(() => null);
    return result?.code === 0 ? result.stdout.trimEnd() : null;
  };
  const index = await output(
    ["git", "rev-parse", "--path-format=absolute", "--git-path", "agent-index"]);
  if (index === null) return null; // no repository
  return output(["git", ...words], { timeout: 60, env: { GIT_INDEX_FILE: index } });
}

// snapshot stores all files, including untracked ones, in a git tree and keeps it with a ref.
async function snapshot() {
  if ((await git("add", "-A", ":/")) === null) return null;
  const tree = await git("write-tree");
  if (tree === null) return null;
  const kept = await git("update-ref", "refs/agent/" + tree, tree);
  return kept === null ? null : tree;
}

ext.on("agent_before_start", { depth: 0, timeout: 120 }, async (ev) => {
  const tree = await snapshot();
  if (tree === null) return;
  const kept = ext.state.get("kept") ?? [];
  kept.push({ tree, prompt: ext.regex.find("^[^\n]{0,60}", ev.prompt)?.text });
  if (kept.length > most) await git("update-ref", "-d", "refs/agent/" + kept.shift().tree);
  ext.state.set("kept", kept);
});

const restored = (n, prompt, now) => `\
Your files are as they were before prompt ${n}: ${prompt}

As they were just now: \`git restore --source ${now} -- :/\``;

ext.command({
  name: "rewind",
  description: "Restores your files as they were before the last prompt, or before prompt N",
  args: ["n integer?: which prompt"],
  run: async (args) => {
    const kept = ext.state.get("kept") ?? [];
    const n = args.n ?? kept.length;
    const point = kept[n - 1];
    if (!point) return { error: `there are ${kept.length} checkpoints` };
    const now = await snapshot();
    if (now === null || (await git("read-tree", "--reset", "-u", point.tree)) === null) {
      return { error: "git could not restore " + point.tree };
    }
    return { display: restored(n, point.prompt, now.slice(0, 12)) };
  },
});

const start = (t, prompt, depth = 0) =>
  t.emit("agent_before_start", { prompt, system_prompt: "", depth });

ext.test("makes a checkpoint before each prompt, and restores it", async (t) => {
  const ran = [];
  const says = { "write-tree": "abc\n", "rev-parse": "/repo/.git/agent-index\n" };
  t.stub("exec", (call) => {
    const command = call.argv[1];
    if (command !== "rev-parse") {
      ran.push(call.argv.join(" "));
      t.equal(call.env.GIT_INDEX_FILE, "/repo/.git/agent-index");
    }
    return says[command];
  });
  t.match((await t.command("/rewind")).error, "there are 0 checkpoints");
  t.equal(ran, []);
  await start(t, "break it");
  t.equal(ran, ["git add -A :/", "git write-tree", "git update-ref refs/agent/abc abc"]);
  t.match((await t.command("/rewind 1")).display, "before prompt 1: break it");
  t.equal(ran[ran.length - 1], "git read-tree --reset -u abc");
  t.match((await t.command("/rewind 2")).error, "there are 1 checkpoints");
});

ext.test("makes none without a repository", async (t) => {
  t.stub("exec", () => ({ code: 128, stderr: "not a git repository" }));
  await start(t, "go");
  t.match((await t.command("/rewind")).error, "there are 0 checkpoints");
});

ext.test("keeps the last checkpoints, and makes none for sub-agents", async (t) => {
  let trees = 0;
  const removed = [];
  t.stub("exec", (call) => {
    if (call.argv[1] === "write-tree") return "tree" + ++trees;
    if (call.argv[2] === "-d") removed.push(call.argv[3]);
    return "";
  });
  for (let i = 0; i < most + 1; i++) await start(t, "a" + "é".repeat(80));
  await start(t, "go", 1);
  t.equal(removed, ["refs/agent/tree1"]);
  t.match((await t.command("/rewind 51")).error, "there are 50 checkpoints");
  t.match((await t.command("/rewind 50")).display, "before prompt 50: aé{59}\n");
  t.match((await t.command("/rewind")).display, "before prompt 50");
  for (const failing of ["read-tree", "add", "rev-parse"]) {
    t.stub("exec", (call) => ({ code: call.argv[1] === failing ? 1 : 0, stdout: "", stderr: "" }));
    t.match((await t.command("/rewind")).error, "git could not restore tree51");
  }
});
