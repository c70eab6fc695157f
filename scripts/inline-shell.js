// ==Agent==
// @name     inline-shell
// @summary  Runs commands in !`...` in your prompt, and replaces them by their output
// @grant    exec:sh
// ==/Agent==

// This works only in prompts that you type: prompts from scripts or other programs run nothing.
ext.on("input", { match: "!`[^`]+`" }, async (ev) => {
  if (ev.source !== "interactive" && ev.source !== "cli") return;
  let text = "", done = 0;
  for (const found of ev.text.matchAll(/!`([^`]+)`/g)) {
    const result = await ext.sh(found[1], { timeout: 10 });
    if (result.code !== 0) {
      return { block: true, reason: `${found[0]} ended with ${result.code}: ${result.stderr.trimEnd()}` };
    }
    text += ev.text.slice(done, found.index) + result.stdout.trimEnd();
    done = found.index + found[0].length;
  }
  return { text: text + ev.text.slice(done) };
});

ext.test("the output takes the place of the command", async (t) => {
  t.stub("exec", () => ({ code: 0, stdout: "main\n", stderr: "" }));
  const out = await t.emit("input", { kind: "prompt", source: "cli", text: "I am on !`git branch --show-current`, and now?" });
  t.equal(out.text, "I am on main, and now?");
});
ext.test("one that fails ends the prompt", async (t) => {
  t.stub("exec", () => ({ code: 2, stdout: "", stderr: "no\n" }));
  await t.emit("input", { kind: "prompt", source: "interactive", text: "see !`false`" });
  t.blocked("!`false` ended with 2: no");
});
ext.test("what a script sends is left alone", async (t) => {
  await t.emit("input", { kind: "prompt", source: "script", text: "see !`rm x`" });
  t.passed();
});
