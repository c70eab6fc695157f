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
      const said = result.stderr.trimEnd();
      return { block: true, reason: `${found[0]} ended with ${result.code}: ${said}` };
    }
    text += ev.text.slice(done, found.index) + result.stdout.trimEnd();
    done = found.index + found[0].length;
  }
  return { text: text + ev.text.slice(done) };
});

const input = (t, source, text) => t.emit("input", { kind: "prompt", source, text });

ext.test("the output takes the place of the command", async (t) => {
  t.stub("exec", () => ({ code: 0, stdout: "main\n", stderr: "" }));
  const out = await input(t, "cli", "I am on !`git branch --show-current`, and now?");
  t.equal(out.text, "I am on main, and now?");
});

ext.test("a command that fails ends the prompt, and the next does not run", async (t) => {
  let ran = 0;
  t.stub("exec", () => {
    ran++;
    return { code: 2, stdout: "", stderr: "no\n" };
  });
  await input(t, "interactive", "see !`false` and !`true`");
  t.blocked("!`false` ended with 2: no");
  t.equal(ran, 1);
});

ext.test("commands in a script's prompt do not run", async (t) => {
  await input(t, "script", "see !`rm x`");
  t.passed();
});
