// ==Agent==
// @name     redact
// @summary  Masks keys and passwords in tool output, on the screen, in prompts and in logs
// ==/Agent==

// A pattern is RE2, as everywhere. Each match is replaced by [redacted:NAME] before it is shown,
// sent or logged.
ext.redact({ name: "key", patterns: [
  String.raw`\bsk-[A-Za-z0-9_-]{16,}`,        // model providers
  String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}`,   // GitHub
  String.raw`\bAKIA[0-9A-Z]{16}\b`,           // AWS
] });

// If a pattern is not enough, a function returns the texts to mask: here the password alone.
ext.redact({ name: "password", find: (text) =>
  [...text.matchAll(/password\s*[=:]\s*([^\s"']+)/gi)].map((match) => match[1]) });

ext.test("keys and passwords are masked, and nothing else", async (t) => {
  const shown = async (text) => {
    t.stub("tool", () => text);
    return (await t.call("bash", { command: "env" })).content;
  };
  const key = "A1".repeat(10);
  t.equal(await shown(`x sk-${key} y`), "x [redacted:key] y");
  t.equal(await shown("ghp_" + key), "[redacted:key]");
  t.equal(await shown("AKIA" + key.slice(0, 16)), "[redacted:key]");
  t.equal(await shown("PassWord = hunter22 and more"), "PassWord = [redacted:password] and more");
  for (const text of ["sk-short", "ghp_short", "AKIA" + key, "the password is gone"]) {
    t.equal(await shown(text), text);
  }
});
