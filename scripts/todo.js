// ==Agent==
// @name     todo
// @summary  A to-do list above the editor, kept by the model, and by you with /todo
// @grant    ui
// ==/Agent==

const items = () => ext.state.get("items") ?? [];

function show() {
  const lines = items().map((item, i) => [[item.done ? "[x] " : "[ ] ", item.done ? "ok" : "dim"], [`${i + 1} ${item.text}`, item.done ? "dim" : null]]);
  ext.ui.widget("todo", lines.length > 0 ? lines : null);
}

function change(f) {
  ext.state.update("items", (items) => f(items ?? []));
  show();
}

ext.on("session_start", show);

ext.tool({ name: "todo", description: "Keeps the list of what is to be done, which the user sees. Give all of it each time.", approve: false,
  schema: { items: "string[]: what is to be done, in order", done: "integer[]?: numbers of those that are done, from 1 on" },
  run: (args) => {
    const done = new Set(args.done ?? []);
    change(() => args.items.map((text, i) => ({ text, done: done.has(i + 1) })));
    return "The user sees the list.";
  } });

ext.command({ name: "todo", description: "Adds to the list; a number: that is done; clear: empties it", run: (args) => {
  const n = args === "" ? NaN : Number(args);
  if (args === "") return { error: "/todo TEXT, /todo NUMBER or /todo clear" };
  if (!Number.isNaN(n) && !items()[n - 1]) return { error: "there is no " + args };
  change((list) => {
    if (args === "clear") return [];
    if (Number.isNaN(n)) return [...list, { text: args, done: false }];
    return list.map((item, i) => (i === n - 1 ? { text: item.text, done: true } : item));
  });
} });

ext.test("the model and the user keep it", async (t) => {
  await t.call("todo", { items: ["tests", "docs"], done: [1, 9] });
  t.equal(t.screen().widgets.todo, ["[x] 1 tests", "[ ] 2 docs"]);
  await t.command("/todo release");
  await t.command("/todo 2");
  t.equal(t.screen().widgets.todo, ["[x] 1 tests", "[x] 2 docs", "[ ] 3 release"]);
  t.equal((await t.command("/todo 9")).error, "there is no 9");
  t.match((await t.command("/todo")).error, "/todo TEXT");
  await t.command("/todo clear");
  t.equal(t.screen().widgets.todo, null);
});
