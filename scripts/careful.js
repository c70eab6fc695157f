// ==Agent==
// @name    careful
// @version 1.0.0
// @api     1
// @summary No rm -r and no force-push, however they are written down
// @guards  bash
// ==/Agent==

// A guard has the last word on a tool call. This one reads a command as words, the way a careful person would:
// what is plainly meant is refused, what only looks like it is asked about. It stops accidents. Somebody who
// wants to hide a command from it can.

// simpleCommands cuts a command line at ; | & ( ) ` and new lines, and each piece into words without quotes.
const simpleCommands = (line) =>
  line.replace(/\\\r?\n/g, " ").replace(/["'\\]/g, "").replace(/[<>]/g, " ")
    .split(/[;|&()`\r\n]+/)
    .map((piece) => piece.split(/\s+/).filter((word) => word !== ""));

const base = (word) => word.split("/").pop();

// hasFlag tells whether one of the short letters ("-fr") or the long flag stands among the words after from.
function hasFlag(words, from, letters, long) {
  for (const word of words.slice(from + 1)) {
    if (word === "--") return false;
    if (new RegExp(`^-[a-zA-Z]*[${letters}]`).test(word)) return true;
    if (word.length > 2 && long.startsWith(word)) return true; // --rec is --recursive
  }
  return false;
}

// pushesByForce looks at the words after git.
function pushesByForce(words, git) {
  const push = words.indexOf("push", git + 1);
  if (push < 0) return false;
  if (words.slice(push + 1).some((word) => word.startsWith("+"))) return true; // git push origin +main
  return hasFlag(words, push, "f", "--force");
}

// wrappers run the command that follows them.
const wrappers = ["sudo", "doas", "env", "command", "exec", "nohup", "nice", "time", "xargs"];

// program returns the place of the word that names the program that runs.
const program = (words) =>
  words.findIndex((word) => !wrappers.includes(base(word)) && !word.includes("=") && !word.startsWith("-"));

// judge returns what is wrong with one simple command, and whether that is certain.
function judge(words) {
  const main = program(words);
  for (const [i, word] of words.entries()) {
    const name = base(word);
    if (name === "rm" && words[i - 1] !== "git" && hasFlag(words, i, "rR", "--recursive")) {
      return { reason: "rm -r cannot be undone: move things to the trash, or remove them one by one", certain: i === main };
    }
    if (name === "git" && pushesByForce(words, i)) {
      return { reason: "a force-push destroys what others have pushed: use --force-with-lease", certain: i === main };
    }
  }
  return {};
}

ext.guard({ tool: "bash" }, (ev) => {
  let doubt;
  for (const words of simpleCommands(ev.args.command)) {
    const { reason, certain } = judge(words);
    if (certain) return { block: true, reason };
    doubt ??= reason;
  }
  if (doubt) return { ask: "Run this command all the same?", reason: doubt };
});

ext.test("what is plainly meant is refused, what looks like it is asked about", async (t) => {
  for (const command of ["rm -rf x", "sudo r'm' --rec x", "ls; rm -R x", "A=1 rm -r x", "git push --force", "git -C . push origin +main", "git push -f", "true && rm x -r", "nice nohup env rm -r x", "git commit && git push -f"]) {
    t.equal((await t.call("bash", { command })).asked, []);
    t.blocked();
  }
  for (const command of ["find . -exec rm -r {} +", "echo rm -r x", "echo git push -f"]) {
    t.answer("approve", true);
    await t.call("bash", { command });
    t.asked("Run this command all the same?");
  }
  for (const command of ["rm x", "rm -f x", "rm -- -r", "git rm -r x", "git push", "git push origin main", "rm -f notes.txt", "git push; ls -f", "git pull --force", "ls -R"]) {
    await t.call("bash", { command });
    t.passed();
  }
});
