// ==Agent==
// @name     project-rules
// @summary  Gives the model the rules in .agent/rules/*.md at the start, or when it touches matching files
// @grant    fs.read:./.agent/rules/**
// ==/Agent==

// A rule whose first line is "paths: src/**/*.ts, *.sql" applies to such files; any other rule always applies.
const rules = async () => {
  const found = [];
  for (const path of await ext.fs.find(".agent/rules/**/*.md")) {
    const text = await ext.fs.read(path);
    const line = /^paths:(.*)/.exec(text);
    found.push({ path, text: line ? text.replace(/^.*\n?/, "") : text, globs: line && line[1].split(",").map((glob) => glob.trim()) });
  }
  return found;
};

ext.on("agent_before_start", async (ev) => {
  const texts = (await rules()).filter((rule) => !rule.globs).map((rule) => rule.text);
  if (texts.length > 0) return { system_prompt: `${ev.system_prompt}\n\n# Rules of this project\n\n${texts.join("\n")}` };
});

// fits reports whether a rule applies to one of the files.
const fits = (rule, files = []) => files.some((file) => rule.globs.some((glob) => ext.match(glob, ext.path.rel(file, ext.cwd))));

// The session remembers which rules the model was given, until a summary replaces them.
ext.on("tool_result", async (ev) => {
  const texts = [];
  for (const rule of await rules()) {
    const key = `told:${rule.path}`;
    if (rule.globs && !ext.state.get(key) && (fits(rule, ev.reads) || fits(rule, ev.writes))) {
      ext.state.set(key, true);
      texts.push(rule.text);
    }
  }
  if (texts.length > 0) return { context: `The project's rules about these files:\n${texts.join("\n")}` };
});

ext.on("session_compact", () => {
  for (const key of ext.state.keys()) ext.state.delete(key);
});

ext.test("rules reach the model", async (t) => {
  const start = { prompt: "go", system_prompt: "Help." };
  t.equal((await t.emit("agent_before_start", start)).system_prompt, undefined);
  t.file(".agent/rules/style.md", "Short sentences.");
  t.file(".agent/rules/sql.md", "paths: *.sql, db/**\nNo SELECT *.");
  t.equal((await t.emit("agent_before_start", start)).system_prompt, "Help.\n\n# Rules of this project\n\nShort sentences.");
  t.equal((await t.emit("tool_result", { tool: "read", args: { path: "a.txt" }, reads: [`${ext.cwd}/a.txt`] })).context, undefined);
  const touched = { tool: "read", args: { path: "db/x" }, reads: [`${ext.cwd}/db/x`] };
  t.equal((await t.emit("tool_result", touched)).context, "The project's rules about these files:\nNo SELECT *.");
  t.equal((await t.emit("tool_result", touched)).context, undefined);
  await t.emit("session_compact", {});
  t.match((await t.emit("tool_result", touched)).context, "No SELECT");
});
