// ==Agent==
// @name     bookmarks
// @summary  /bookmark TEXT marks a place in the conversation; /bookmarks lists them and inserts one into the editor
// @grant    ui session
// ==/Agent==

ext.render({ entry: "bookmark", call: (data) => [[["▍ ", "accent"], [data.text, "bold"]]] });

const bookmarks = () => ext.session.entries().filter((entry) => entry.type === "custom" && entry.kind === "bookmark").map((entry) => entry.data.text);

ext.command({ name: "bookmark", description: "Marks this place of the conversation", args: ["text string: what to remember"], run: (args) => {
  ext.session.append("bookmark", { text: args.text });
} });

ext.command({ name: "bookmarks", description: "The places that were marked", run: () => {
  const texts = bookmarks();
  let at = 0;
  if (texts.length === 0) return { display: "There are no bookmarks: `/bookmark TEXT` makes one" };
  return { panel: { title: "Bookmarks",
    render: (width, height) => {
      const from = Math.max(0, at - height + 1);
      return texts.slice(from).map((text, i) => [[from + i === at ? "› " : "  ", "accent"], from + i === at ? [text, "bold"] : text]);
    },
    key: (name, text, panel) => {
      if (name === "up") at = Math.max(0, at - 1);
      if (name === "down") at = Math.min(texts.length - 1, at + 1);
      if (name === "enter") panel.close(texts[at]);
    },
    on_close: (text) => { if (text) ext.ui.insert(text); } } };
} });

ext.test("what was marked is listed, and Enter takes one", async (t) => {
  await t.command("/bookmarks");
  t.equal(t.screen().panel, null);
  await t.command("/bookmark the first try");
  await t.command("/bookmark the second try");
  await t.command("/bookmarks");
  t.match(t.screen().panel.lines[0], "› the first try");
  await t.key("down");
  t.match(t.screen().panel.lines[1], "› the second try");
  await t.key("enter");
  t.equal(t.screen().panel, null);
});
ext.test("the list scrolls, up and down, and Enter writes one into the editor", async (t) => {
  ext.session.append("other", { text: "not a bookmark" });
  for (let i = 1; i <= 30; i++) await t.command("/bookmark place " + i);
  await t.command("/bookmarks");
  t.equal(t.screen().panel.lines[0], "› place 1");
  for (let i = 0; i < 30; i++) await t.key("down");
  let lines = t.screen().panel.lines;
  t.equal(lines[lines.length - 1], "› place 30");
  t.equal(lines.join("").split("›").length, 2);
  await t.key("up");
  t.match(t.screen().panel.lines.join("\n"), "› place 29");
  for (let i = 0; i < 30; i++) await t.key("up");
  t.equal(t.screen().panel.lines[0], "› place 1");
  await t.key("enter");
  t.equal(t.screen().inserted, "place 1");
});
