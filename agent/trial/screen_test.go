package trial_test

import (
	"strings"
	"testing"
)

// TestScreen checks that a test sees what the script shows, and that its keys, including those
// typed ahead, reach panels and shortcuts.
func TestScreen(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{"x.lua": `-- ==Agent==
-- @grant ui keys
-- ==/Agent==
local n = 0
ext.ui.widget("clock", function(width) n = n + 1 return { width .. " " .. ext.time.now(), { { "x", "ok" } } } end, { refresh = 10 })
ext.ui.footer(function() return "foot" end)
ext.ui.header(function() return "head" end)
ext.command{ name = "pick", run = function()
  local typed = ""
  local p
  p = ext.ui.panel{ title = "Pick", render = function() return { "> " .. typed } end,
    key = function(name, text) if name == "enter" then p.close(typed) else typed = typed .. text end end }
  return { display = p.wait() or "left" }
end }
ext.keys(function(name, text) return name == "7" and text == "7" end)
ext.shortcut{ key = "ctrl+t", run = function() ext.ui.title("t") ext.ui.insert("in") ext.ui.copy("co") return { display = "run" } end }
ext.test("x", function(t)
  t.equal(t.screen().widgets.clock, { "80 1000000000", "x" })
  t.clock(25)
  t.equal(t.screen({ styles = true }).widgets.clock, { { { "80 1000000020", "" } }, { { "x", "ok" } } })
  t.equal(n, 3)
  t.equal(t.screen().footer, { "foot" })
  t.equal(t.screen().header, { "head" })
  t.equal(t.key("7").taken, true)
  t.key("a") t.key("Ä") t.key("space") t.key("enter")
  t.equal(t.command("/pick").display, "aÄ ")
  t.key("Escape")
  t.equal(t.command("/pick").display, "left")
  t.equal(t.screen().panel, nil)
  t.equal(t.key("Control+T").display, "run")
  local s = t.screen()
  t.equal({ s.title, s.inserted, s.copied, s.places }, { "t", "in", "co", { clock = "above" } })
end)
ext.test("a key for nobody", function(t) t.key("x") end)
ext.test("no key", function(t) t.key("entr") end)`, "x.js": `// ==Agent==
// @grant ui keys
// ==/Agent==
let n = 0;
ext.ui.widget("clock", (width) => { n++; return [width + " " + ext.time.now(), [["x", "ok"]]]; }, { refresh: 10 });
ext.ui.footer(() => "foot");
ext.ui.header(() => "head");
ext.command({ name: "pick", run: async () => {
  let typed = "";
  const p = ext.ui.panel({ title: "Pick", render: () => ["> " + typed],
    key: (name, text) => { if (name === "enter") p.close(typed); else typed += text; } });
  return { display: (await p.wait()) ?? "left" };
} });
ext.keys((name, text) => name === "7" && text === "7");
ext.shortcut({ key: "ctrl+t", run: () => { ext.ui.title("t"); ext.ui.insert("in"); ext.ui.copy("co"); return { display: "run" }; } });
ext.test("x", async (t) => {
  t.equal(t.screen().widgets.clock, ["80 1000000000", "x"]);
  await t.clock(25);
  t.equal(t.screen({ styles: true }).widgets.clock, [[["80 1000000020", ""]], [["x", "ok"]]]);
  t.equal(n, 3);
  t.equal(t.screen().footer, ["foot"]);
  t.equal(t.screen().header, ["head"]);
  t.equal((await t.key("7")).taken, true);
  for (const key of ["a", "Ä", "space", "enter"]) await t.key(key);
  t.equal((await t.command("/pick")).display, "aÄ ");
  await t.key("Escape");
  t.equal((await t.command("/pick")).display, "left");
  t.equal(t.screen().panel, null);
  t.equal((await t.key("Control+T")).display, "run");
  const s = t.screen();
  t.equal([s.title, s.inserted, s.copied, s.places], ["t", "in", "co", { clock: "above" }]);
});
ext.test("a key for nobody", async (t) => { await t.key("x"); });
ext.test("no key", async (t) => { await t.key("entr"); });`} {
		got := results(t, name, src)
		for _, want := range []string{"x: ok\n",
			`t.key("x") was pressed, and no panel was there to hear it`,
			`t.key: name: got "entr", want a chord such as ctrl+t, alt+shift+k or f5; did you ` +
				`mean "enter"?`} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got\n%s\nwant %s", name, got, want)
			}
		}
	}
}

// TestNoKey checks that a command that waits for a key in its panel ends the test.
func TestNoKey(t *testing.T) {
	t.Parallel()
	got := results(t, "x.lua", `-- ==Agent==
-- @grant ui
-- ==/Agent==
ext.command{ name = "pick", run = function() ext.ui.panel{ title = "Pick", render = function() return "?" end }.wait() end }
ext.test("x", function(t)
  t.command("/pick")
end)`)
	if !strings.Contains(got,
		"x: x.lua:6: the test waits for something that does not come: a key in a panel (t.key)") {
		t.Errorf("got %s", got)
	}
}
