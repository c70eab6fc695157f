// This file tests panels of scripts, in an rpc client and in a real terminal.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// panelScripts opens one panel through its command's result, and one with ext.ui.panel.
var panelScripts = map[string]string{
	"lua": `-- ==Agent==
-- @grant ui
-- ==/Agent==
local heard = {}
local function panel(title)
  return { title = title, overlay = title == "Second", render = function(w, h) return { w .. "x" .. h, { { table.concat(heard, " "), "warn" } } } end,
    key = function(name, text, p)
      heard[#heard + 1] = name .. "=" .. text
      if name == "q" then p.close("won") end
      if name == "o" then ext.ui.panel(panel("Second")) end
      return name == "esc" and #heard == 2
    end,
    on_close = function(v) ext.ui.insert(title .. " closed with " .. tostring(v)) end }
end
ext.command{ name = "game", run = function() return { panel = panel("Game") } end }
ext.command{ name = "wait", run = function() return { display = "got " .. tostring(ext.ui.panel(panel("Wait")).wait()) } end }
ext.command{ name = "sure", run = function() return { display = tostring(ext.ui.confirm("Sure?", { headless = true })) } end }
`,
	"js": `// ==Agent==
// @grant ui
// ==/Agent==
const heard = [];
const panel = (title) => ({ title, overlay: title === "Second", render: (w, h) => [w + "x" + h, [[heard.join(" "), "warn"]]],
  key: (name, text, p) => {
    heard.push(name + "=" + text);
    if (name === "q") p.close("won");
    if (name === "o") ext.ui.panel(panel("Second"));
    return name === "esc" && heard.length === 2;
  },
  on_close: (v) => { ext.ui.insert(title + " closed with " + (v ?? "nil")); } });
ext.command({ name: "game", run: () => ({ panel: panel("Game") }) });
ext.command({ name: "wait", run: async () => ({ display: "got " + ((await ext.ui.panel(panel("Wait")).wait()) ?? "nil") }) });
ext.command({ name: "sure", run: async () => ({ display: String(await ext.ui.confirm("Sure?", { headless: true })) }) });
`,
}

// panelClient returns a client that shows panels.
func panelClient(t *testing.T, lang string) *client {
	c := newClient(t, map[string]string{"p." + lang: panelScripts[lang]})
	c.open("-e", played, "--model", "played/m")
	c.call("initialize", map[string]any{"protocol": 1, "client": map[string]any{"name": "test"},
		"capabilities": map[string]any{"ui": true, "surface": true, "panels": true}})
	return c
}

// waitPanel waits for a panel that shows the texts, after the last message that was waited for.
// With the text "" it waits for the end of a panel.
func (c *client) waitPanel(texts ...string) (id string) {
	c.t.Helper()
	m := c.wait("a panel with "+strings.Join(texts, ", "), func(m message) bool {
		lines, open := m.params()["lines"]
		if m.text("method") != "ui.panel" || open == (texts[0] == "") {
			return false
		}
		all := fmt.Sprint(m.params().text("title"), m.params()["overlay"], lines)
		for _, text := range texts {
			if !strings.Contains(all, text) {
				return false
			}
		}
		return true
	})
	return m.params().text("id")
}

func (c *client) pressKey(id, name, text string) {
	c.t.Helper()
	c.call("ui.key", map[string]any{"id": id, "key": name, "text": text})
}

func TestRPCPanel(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		c := panelClient(t, lang)
		c.runPrompt("/game")
		id := c.waitPanel("Game<nil>", "80x24")
		c.call("ui.screen", map[string]any{"width": 40, "height": 7})
		c.waitPanel("40x7")
		c.pressKey(id, "a", "a")
		c.waitPanel("text:a=a")
		c.pressKey(id, "esc", "") // the panel handles the first esc itself
		c.waitPanel("a=a esc=")
		c.pressKey(id, "o", "o")
		second := c.waitPanel("Secondtrue", "esc= o=o")
		c.pressKey(second, "esc", "")
		if got := c.waitPanel(""); got != second {
			t.Errorf("%s is closed, want %s", got, second)
		}
		c.waitShown("ui.insert", "map[text:Second closed with nil]")
		c.pressKey(id, "q", "q")
		c.waitPanel("")
		c.waitShown("ui.insert", "map[text:Game closed with won]")
		if text, _, _ := c.refused("ui.key", map[string]any{"id": id,
			"key": "a"}); text != "ui.key: no panel \""+id+"\" is open" {
			t.Error(text)
		}
		if text, _, _ := c.refused("ui.key", map[string]any{"id": id,
			"key": ""}); text != "ui.key: key: got 0 bytes, want 1 to 100" {
			t.Error(text)
		}
		if text, _, _ := c.refused("ui.screen",
			map[string]any{"height": 0}); text != "ui.screen: height: got 0, want 1 to 10000" {
			t.Error(text)
		}
		c.endSession()
	})
}

// TestRPCPanelEnds checks that a panel ends when the client leaves it, when its prompt is aborted,
// and when its script is removed.
func TestRPCPanelEnds(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		c := panelClient(t, lang)
		id := c.prompt("/wait")
		c.call("ui.leave", map[string]any{"id": c.waitPanel("Wait")})
		c.waitPanel("")
		c.waitEnd(id)
		c.waitSaid("got nil")
		id = c.prompt("/wait")
		c.waitPanel("Wait")
		c.call("abort", nil)
		c.waitPanel("")
		c.waitEnd(id)
		c.runPrompt("/game")
		c.waitPanel("Game")
		if err := os.Remove(filepath.Join(c.home, "scripts", "p."+lang)); err != nil {
			t.Fatal(err)
		}
		c.waitPanel("")
		c.endSession()
	})
}

// TestRPCWithoutPanels checks that a script gets an error that says why if the client does not show
// panels.
func TestRPCWithoutPanels(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		c := newClient(t, map[string]string{"p." + lang: panelScripts[lang]})
		c.open("-e", played, "--model", "played/m")
		if text, _, _ := c.refused("initialize", map[string]any{"protocol": 1,
			"client":       map[string]any{"name": "test"},
			"capabilities": map[string]any{"panels": true}}); text != "initialize: "+
			"capabilities.panels: it goes with surface" {
			t.Error(text)
		}
		c.call("initialize", map[string]any{"protocol": 1, "client": map[string]any{"name": "test"},
			"capabilities": map[string]any{"surface": true}})
		c.runPrompt("/game")
		c.waitSaid("/game opens a panel, and there is no screen for it here")
		c.runPrompt("/wait")
		if lang == "js" {
			c.await("what the script is told", 0, func(m message) bool {
				return m.event() == "script_error" &&
					m.params().text("message") == "panel.wait: there is no screen here"
			})
		} else {
			c.waitSaid("got nil")
		}
		c.runPrompt("/sure")
		c.waitSaid("true")
		c.endSession()
	})
}

// waitSaid waits for a text that a script shows, anywhere in the output.
func (c *client) waitSaid(markdown string) {
	c.t.Helper()
	c.await("said: "+markdown, 0, func(m message) bool {
		return m.event() == "say" &&
			m.params().text("markdown") == markdown
	})
}
