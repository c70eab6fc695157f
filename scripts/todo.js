// ==Agent==
// @name     todo
// @summary  A to-do list above the editor, kept by the model, and by you with /todo
// @grant    ui
// ==/Agent==

// get returns the list of the session: items {text, done}.
const get = () => ext.state.get("items") ?? [];

function show() {
  const lines = get().map((item, i) => {
    const box = item.done ? ["[x] ", "ok"] : ["[ ] ", "dim"];
    return [box, [`${i + 1} ${item.text}`, item.done ? "dim" : null]];
  });
  ext.ui.widget("todo", lines.length > 0 ? lines : null);
}

function set(items) {
  ext.state.set("items", items);
  show();
}

ext.on("session_start", show);

ext.tool({
  name: "todo",
  description: "Keeps the list of what is to be done, which the user sees. " +
    "Give all of it each time.",
  approve: false,
  schema: {
    items: "string[]: what is to be done, in order",
    done: "integer[]?: numbers of those that are done, from 1 on",
  },
  run: (args) => {
    const done = new Set(args.done ?? []);
    set(args.items.map((text, i) => ({ text, done: done.has(i + 1) })));
    return "The user sees the list.";
  },
});

ext.command({
  name: "todo",
  description: "TEXT adds to the list, NUMBER marks as done, clear empties it",
  run: (args) => {
    let items = get();
    const n = Number(args);
    if (args === "") {
      return { error: "/todo TEXT, /todo NUMBER or /todo clear" };
    } else if (args === "clear") {
      items = [];
    } else if (Number.isNaN(n)) {
      items.push({ text: args, done: false });
    } else if (items[n - 1]) {
      items[n - 1].done = true;
    } else {
      return { error: "there is no " + args };
    }
    set(items);
  },
});

ext.test("the model and the user keep the list", async (t) => {
  await t.call("todo", { items: ["tests", "docs"], done: [1, 9] });
  t.equal(t.screen().widgets.todo, ["[x] 1 tests", "[ ] 2 docs"]);
  await t.command("/todo release");
  await t.command("/todo 2");
  t.equal(t.screen().widgets.todo, ["[x] 1 tests", "[x] 2 docs", "[ ] 3 release"]);
  t.equal((await t.command("/todo 9")).error, "there is no 9");
  t.match((await t.command("/todo")).error, "/todo TEXT");
  await t.command("/todo clear");
  t.equal(t.screen().widgets.todo, null);
  await t.command("/todo anew");
  t.equal(t.screen().widgets.todo, ["[ ] 1 anew"]);
});
