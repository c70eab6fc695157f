// ==Agent==
// @name     project-rules
// @summary  Gives the model .agent/rules/*.md: at the start, or when it touches the files they name
// @grant    fs.read:./.agent/rules/**
// ==/Agent==

// A rule whose first line is "paths: src/**/*.ts, *.sql" applies to such files; any other rule
// always applies. rules returns a list of {path, text, globs}.
async function rules() {
  const found = [];
  for (const path of await ext.fs.find(".agent/rules/**/*.md")) {
    const text = await ext.fs.read(path);
    const first = /^paths:(.*)\n?/.exec(text);
    if (first) {
      const globs = first[1].split(",").map((glob) => glob.trim());
      found.push({ path, text: text.slice(first[0].length), globs });
    } else {
      found.push({ path, text });
    }
  }
  return found;
}

ext.on("agent_before_start", async (ev) => {
  const texts = [ev.system_prompt, "# Rules of this project"];
  for (const rule of await rules()) {
    if (!rule.globs) texts.push(rule.text);
  }
  if (texts.length > 2) return { system_prompt: texts.join("\n\n") };
});

// fits reports whether a rule applies to one of the files.
function fits(rule, files) {
  const matches = (file) =>
    rule.globs.some((glob) => ext.match(glob, ext.path.rel(file, ext.cwd)));
  return files.some(matches);
}

// The session remembers which rules each agent was given, until a summary replaces them.
const key = (ev, rule) => `told:${ev.agent_id}:${rule.path}`;

ext.on("tool_result", async (ev) => {
  const texts = ["The project's rules about these files:"];
  for (const rule of await rules()) {
    const applies = rule.globs && (fits(rule, ev.reads) || fits(rule, ev.writes));
    if (applies && !ext.state.get(key(ev, rule))) {
      ext.state.set(key(ev, rule), true);
      texts.push(rule.text);
    }
  }
  if (texts.length > 1) return { context: texts.join("\n") };
});

ext.on("session_compact", async (ev) => {
  for (const rule of await rules()) ext.state.delete(key(ev, rule));
});

ext.test("rules without paths are in the system prompt", async (t) => {
  const start = { prompt: "go", system_prompt: "Help." };
  t.equal((await t.emit("agent_before_start", start)).system_prompt, undefined);
  t.file(".agent/rules/style.md", "Short sentences.");
  t.file(".agent/rules/sql.md", "paths: *.sql, db/**\nNo SELECT *.");
  const prompt = (await t.emit("agent_before_start", start)).system_prompt;
  t.equal(prompt, "Help.\n\n# Rules of this project\n\nShort sentences.");
});

ext.test("rules with paths come once with the files, to each agent", async (t) => {
  t.file(".agent/rules/sql.md", "paths: *.sql, db/**\nNo SELECT *.");
  const read = async (path, agent = "main") => {
    return (await t.emit("tool_result", {
      tool: "read", args: { path }, agent_id: agent,
      reads: [`${ext.cwd}/${path}`], writes: [],
    })).context;
  };
  t.equal(await read("a.txt"), undefined);
  t.equal(await read("db/x"), "The project's rules about these files:\nNo SELECT *.");
  t.equal(await read("db/x"), undefined);
  t.match(await read("db/x", "scout"), "No SELECT");
  await t.emit("session_compact", {});
  t.match(await read("x.sql"), "No SELECT");
  t.equal(await read("x.sql", "scout"), undefined);
});
