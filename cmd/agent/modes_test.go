package main

import (
	"strings"
	"testing"
)

// everything is a script that calls every function for the screen and reports the results.
var everything = map[string]string{
	"lua": `-- ==Agent==
-- @grant ui
-- ==/Agent==
local said
local function note(v, e)
  if type(v) == "table" then v = table.concat(v, "+") end
  said[#said + 1] = e and e.code or tostring(v)
end
ext.command{ name = "all", run = function()
  said = {}
  note(ext.ui.confirm("Sure?"))
  note(ext.ui.confirm("Sure?", { headless = true }))
  note(ext.ui.select("Which?", { "a", "b" }))
  note(ext.ui.select("Which ones?", { "a", "b" }, { multi = true }))
  note(ext.ui.input("Name?"))
  note(ext.ui.edit("text", { headless = "as it was" }))
  note(ext.ui.confirm("Late?", { timeout = 0.05, default = true }))
  ext.ui.status("k", "line") ext.ui.widget("k", { "line" }) ext.ui.footer(function() return "foot" end) ext.ui.title("t") ext.ui.redraw() ext.ui.insert("t") ext.ui.copy("t") ext.ui.desktop("t", "b")
  note(ext.ui.focused())
  local p = ext.ui.panel{ title = "P", render = function() return "panel" end }
  p.close("closed")
  note(p.wait())
  ext.say(table.concat(said, " "))
  return { panel = { title = "R", render = function() return "returned" end } }
end }
`,
	"js": `// ==Agent==
// @grant ui
// ==/Agent==
let said;
const note = async (f) => {
  try {
    const v = await f();
    said.push(Array.isArray(v) ? v.join("+") : String(v));
  } catch (err) {
    said.push(err.code);
  }
};
ext.command({ name: "all", run: async () => {
  said = [];
  await note(() => ext.ui.confirm("Sure?"));
  await note(() => ext.ui.confirm("Sure?", { headless: true }));
  await note(() => ext.ui.select("Which?", ["a", "b"]));
  await note(() => ext.ui.select("Which ones?", ["a", "b"], { multi: true }));
  await note(() => ext.ui.input("Name?"));
  await note(() => ext.ui.edit("text", { headless: "as it was" }));
  await note(() => ext.ui.confirm("Late?", { timeout: 0.05, default: true }));
  ext.ui.status("k", "line"); ext.ui.widget("k", ["line"]); ext.ui.footer(() => "foot"); ext.ui.title("t"); ext.ui.redraw(); ext.ui.insert("t"); ext.ui.copy("t"); ext.ui.desktop("t", "b");
  await note(() => ext.ui.focused());
  const p = ext.ui.panel({ title: "P", render: () => "panel" });
  p.close("closed");
  await note(() => p.wait());
  ext.say(said.join(" "));
  return { panel: { title: "R", render: () => "returned" } };
} });
`,
}

const (
	saidHeadless = "headless true headless headless headless as it was headless false headless"
	saidNoScreen = "/all opens a panel, and there is no screen for it here"
)

// TestScreenInEachMode checks that the functions for the screen do in each mode what the reference
// says.
func TestScreenInEachMode(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		files := map[string]string{"all." + lang: everything[lang]}
		t.Run("json", func(t *testing.T) {
			d := newDrive(t, files)
			d.open()
			d.input("/all")
			d.close()
			if text := d.lines.String(); !strings.Contains(text, `"`+saidHeadless+`"`) ||
				!strings.Contains(text, `"`+saidNoScreen+`"`) {
				t.Errorf("told\n%s", text)
			}
		})
		t.Run("rpc without capabilities", func(t *testing.T) {
			c := newClient(t, files)
			c.openSession(false)
			c.runPrompt("/all")
			c.waitSaid(saidHeadless)
			c.waitSaid(saidNoScreen)
			c.endSession()
		})
		t.Run("rpc", func(t *testing.T) {
			c := newClient(t, files)
			c.open("-e", played, "--model", "played/m")
			c.call("initialize", map[string]any{"protocol": 1,
				"client":       map[string]any{"name": "test"},
				"capabilities": map[string]any{"ui": true, "surface": true, "panels": true}})
			id := c.prompt("/all")
			for _, q := range []struct {
				kind   string
				answer any
			}{{"confirm", true}, {"confirm", false}, {"select", "b"}, {"select", []any{"a", "b"}},
				{"input", "me"}, {"edit", "new"}} {
				c.respond(c.waitDialog(q.kind), map[string]any{"value": q.answer})
			}
			c.waitEnd(id)
			c.waitSaid("true false b a+b me new true true closed")
			c.waitPanel("returned")
			for _, method := range []string{"ui.show", "ui.insert", "ui.copy", "ui.desktop"} {
				c.await(method, 0, func(m message) bool { return m.text("method") == method })
			}
			c.endSession()
		})
		t.Run("acp", func(t *testing.T) {
			e := newEditor(t, files)
			e.open()
			e.queueAnswers("yes", "no", "choice-1", "")
			e.promptText("/all")
			if text := e.shown(); !strings.Contains(text,
				"true false b headless headless as it was true false headless") ||
				!strings.Contains(text, saidNoScreen) {
				t.Errorf("shown\n%s", text)
			}
		})
	})
}
