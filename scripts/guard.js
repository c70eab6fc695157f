// ==Agent==
// @name     guard
// @summary  Refuses sudo, force-pushes, and edits of .env files
// @guards   bash|write|edit
// ==/Agent==

ext.guard({ tool: "bash" }, (ev) => {
  const command = ev.args.command;
  if (command.includes("sudo")) {
    return { block: true, reason: "no sudo: say what you need and the user will run it" };
  }
  if (/push.*--force|push.*\s-f/.test(command)) {
    return { ask: "Force-push?", reason: "it can destroy what others have pushed" };
  }
});

ext.guard({ tool: "write|edit", match: String.raw`(^|/)\.env[^/]*$` }, () => {
  return { block: true, reason: "secrets are edited by hand" };
});
