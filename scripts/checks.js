// ==Agent==
// @name     checks
// @summary  Runs your checks after a prompt that changed files, and gives failures to the model
// @grant    exec:sh agent
// ==/Agent==

let line = ext.option({
  name: "run",
  description: "the command line that checks, such as: go test ./...",
  default: "",
});
const most = ext.option({
  name: "most",
  description: "how many times in a row the model gets failures to mend",
  default: 2,
});

// complaint is the message for the model. Only the end of the output is included.
function complaint(result) {
  const how = result.timed_out ? "did not end in time" : "ended with " + result.code;
  const said = ext.text.truncate(result.stdout + result.stderr, { bytes: 8000, keep: "tail" });
  return `\`${line}\` ${how}:\n\n${said}\n\nMend it.`;
}

let changed = false, sent = 0;

// ev.writes lists the files that a call writes, for every tool, including shell commands.
ext.on("tool_result", (ev) => {
  if (ev.writes.length > 0 && !ev.is_error) changed = true;
});

// What you say begins a new count; what this script sends does not.
ext.on("input", (ev) => {
  if (ev.source !== "script") sent = 0;
});

ext.on("agent_end", { depth: 0, timeout: 300 }, async (ev) => {
  if (line === "" || !changed || ev.status !== "completed") return;
  changed = false;
  const result = await ext.sh(line, { timeout: 240 });
  if (result.code === 0) return ext.notify("checks passed: " + line);
  if (sent >= most) return ext.notify("checks still fail: " + line, "warn");
  sent++;
  ext.agent.send(complaint(result));
});

// finish ends a prompt, and returns the notices.
const finish = async (t, status, depth = 0) =>
  (await t.emit("agent_end", { status, response: "", depth })).said;

const write = (t) => t.call("write", { path: "a", content: "b" });

ext.test("nothing runs without changes or without a command line", async (t) => {
  t.stub("exec", () => { throw new Error("it ran"); });
  t.equal(await finish(t, "completed"), []);
  await write(t);
  t.equal(await finish(t, "completed"), []);
});

ext.test("failures go to the model, at most twice until you say something", async (t) => {
  line = "make check";
  let code = 1, ran = 0;
  t.stub("exec", () => {
    ran++;
    return { code, stdout: "FAIL\n", stderr: "" };
  });
  const prompt = async (source, status = "completed") => {
    await t.emit("input", { kind: "prompt", source, text: "go" });
    await write(t);
    return (await finish(t, status))[0] ?? "nothing";
  };
  t.equal([await prompt("cli"), sent], ["nothing", 1]);
  t.equal([await prompt("script"), sent], ["nothing", 2]);
  t.match(await prompt("script"), "checks still fail: make check");
  t.equal(sent, 2);
  t.equal([await prompt("queue"), sent], ["nothing", 1]);
  t.equal([await prompt("interactive", "cancelled"), ran], ["nothing", 4]);
  await finish(t, "completed", 1);
  t.equal(ran, 4);
  code = 0;
  t.match(await prompt("cli"), "checks passed: make check");
  t.equal(sent, 0);
  await finish(t, "completed");
  t.equal(ran, 5);
});

ext.test("a failed write is no change", async (t) => {
  line = "make check";
  t.stub("exec", () => { throw new Error("it ran"); });
  t.stub("tool", () => ({ content: "denied", is_error: true }));
  await write(t);
  await finish(t, "completed");
});

ext.test("a command that writes is a change, one that reads is not", async (t) => {
  line = "make check";
  let ran = 0;
  t.stub("exec", () => {
    ran++;
    return { code: 0, stdout: "", stderr: "" };
  });
  for (const [command, want] of [["cat a", 0], ["sed -i 1d a", 1]]) {
    ran = 0;
    await t.call("bash", { command });
    await finish(t, "completed");
    t.equal(ran, want);
  }
});

ext.test("the message has the exit code and the end of the output", (t) => {
  line = "make check";
  const short = complaint({ code: 3, stdout: "out\n", stderr: "err" });
  t.equal(short, "`make check` ended with 3:\n\nout\nerr\n\nMend it.");
  const output = "first\n" + "x\n".repeat(9000) + "last";
  const long = complaint({ code: 128, timed_out: true, stdout: output, stderr: "" });
  t.match(long, "did not end in time");
  t.match(long, "x\nlast\n\nMend it");
  t.equal([ext.regex.test("first", long), long.length < 8300], [false, true]);
});
