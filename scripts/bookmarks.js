// ==Agent==
// @name     bookmarks
// @summary  /bookmark TEXT marks a place in the conversation, /bookmarks lists the marked places
// @grant    ui session
// ==/Agent==

ext.render({
  entry: "bookmark",
  call: (data) => [[["▍ ", "accent"], [data.text, "bold"]]],
});

// bookmarks returns the texts of the bookmarks of this session, in order.
const bookmarks = () =>
  ext.session.entries()
    .filter((entry) => entry.type === "custom" && entry.kind === "bookmark")
    .map((entry) => entry.data.text);

ext.command({
  name: "bookmark",
  description: "Marks this place in the conversation",
  args: ["text string: what to remember"],
  run: (args) => { ext.session.append("bookmark", { text: args.text }); },
});

// list returns a panel in which Enter inserts a text into the editor.
function list(texts) {
  let at = 0;
  return {
    title: "Bookmarks",
    render: (width, height) => {
      const lines = [];
      for (let i = Math.max(0, at - height + 1); i < texts.length; i++) {
        const cursor = [i === at ? "› " : "  ", "accent"];
        lines.push([cursor, [texts[i], i === at ? "bold" : null]]);
      }
      return lines;
    },
    key: (name, text, panel) => {
      if (name === "up") at = Math.max(0, at - 1);
      if (name === "down") at = Math.min(texts.length - 1, at + 1);
      if (name === "enter") panel.close(texts[at]);
    },
    on_close: (text) => {
      if (text) ext.ui.insert(text);
    },
  };
}

ext.command({
  name: "bookmarks",
  description: "Lists the marked places, and inserts one into the editor",
  run: () => {
    const texts = bookmarks();
    if (texts.length === 0) return { display: "There are no bookmarks: `/bookmark TEXT` adds one" };
    return { panel: list(texts) };
  },
});

ext.test("bookmarks are listed, and Enter closes the list", async (t) => {
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

ext.test("the list scrolls up and down, and Enter inserts the selected text", async (t) => {
  ext.session.append("other", { text: "not a bookmark" });
  for (let i = 1; i <= 30; i++) await t.command("/bookmark place " + i);
  await t.command("/bookmarks");
  t.equal(t.screen().panel.lines[0], "› place 1");
  for (let i = 0; i < 30; i++) await t.key("down");
  const lines = t.screen().panel.lines;
  t.equal(lines[lines.length - 1], "› place 30");
  t.equal(ext.regex.find_all("›", lines.join("")).length, 1);
  await t.key("up");
  t.match(t.screen().panel.lines.join("\n"), "› place 29");
  for (let i = 0; i < 30; i++) await t.key("up");
  t.equal(t.screen().panel.lines[0], "› place 1");
  await t.key("enter");
  t.equal(t.screen().inserted, "place 1");
});
