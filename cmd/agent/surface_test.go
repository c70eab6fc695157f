// This file tests what scripts put on a screen: a client's, and a real terminal's.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// showing shows something of each kind.
var showing = map[string]string{
	"lua": `-- ==Agent==
-- @grant ui
-- ==/Agent==
ext.redact{ name = "key", patterns = { "sk-[0-9]+" } }
ext.ui.status("cost", { { "$1", "warn" }, " sk-1" }, { side = "right" })
ext.ui.widget("todo", function(width) return { "width " .. width } end)
ext.ui.title("VERSION")
ext.command{ name = "act", run = function()
  ext.ui.insert("fix it")
  ext.ui.copy("some text")
  ext.ui.desktop("agent", "done")
  return { display = "focused " .. tostring(ext.ui.focused()) }
end }
`,
	"js": `// ==Agent==
// @grant ui
// ==/Agent==
ext.redact({ name: "key", patterns: ["sk-[0-9]+"] });
ext.ui.status("cost", [["$1", "warn"], " sk-1"], { side: "right" });
ext.ui.widget("todo", (width) => ["width " + width]);
ext.ui.title("VERSION");
ext.command({ name: "act", run: () => {
  ext.ui.insert("fix it");
  ext.ui.copy("some text");
  ext.ui.desktop("agent", "done");
  return { display: "focused " + ext.ui.focused() };
} });
`,
}

// shown waits for a notification with these parameters, wherever it stands.
func (c *client) shown(method, params string) {
	c.t.Helper()
	c.await(method+" "+params, 0, func(m message) bool {
		p := m.params()
		delete(p, "script")
		return m.text("method") == method && fmt.Sprint(map[string]any(p)) == params
	})
}

func TestRPCSurface(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		c := newClient(t, map[string]string{"s." + lang: showing[lang]})
		c.open("-e", played, "--model", "played/m")
		c.call("initialize", map[string]any{"protocol": 1, "client": map[string]any{"name": "test"},
			"capabilities": map[string]any{"ui": true, "surface": true}})
		c.shown("ui.show",
			"map[key:cost kind:status lines:[[map[text:$1 [redacted:key]]]] order:50 side:right]")
		c.shown("ui.show",
			"map[key:todo kind:widget lines:[[map[text:width 80]]] order:50 place:above]")
		c.shown("ui.show", "map[key: kind:title lines:[[map[text:VERSION]]] order:50]")
		c.call("ui.screen", map[string]any{"width": 33, "focused": false})
		c.shown("ui.show",
			"map[key:todo kind:widget lines:[[map[text:width 33]]] order:50 place:above]")
		c.does("/act")
		c.shown("ui.insert", "map[text:fix it]")
		c.shown("ui.copy", "map[text:some text]")
		c.shown("ui.desktop", "map[body:done title:agent]")
		if err := os.Remove(filepath.Join(c.home, "scripts", "s."+lang)); err != nil {
			t.Fatal(err)
		}
		c.shown("ui.show", "map[key:cost kind:status]")
		c.shown("ui.show", "map[key:todo kind:widget]")
		if text, _, _ := c.refused("ui.screen",
			map[string]any{"width": 20000}); text != "ui.screen: width: got 20000, want 1 to 10000" {
			t.Error(text)
		}
		c.call("shutdown", nil)
		c.ends(exitOK)
	})
}

// A client that does not say that it shows what scripts put on a screen is not told of it.
func TestRPCWithoutSurface(t *testing.T) {
	t.Parallel()
	c := newClient(t, map[string]string{"s.lua": showing["lua"]})
	c.hello(true)
	c.does("/act")
	if _, at := c.find(0, func(m message) bool {
		return len(m.text("method")) > 3 &&
			m.text("method")[:3] == "ui."
	}); at >= 0 {
		t.Errorf("told of it:\n%s", c.told())
	}
	c.call("shutdown", nil)
	c.ends(exitOK)
}

// What a script shows is on the screen, follows its file, and a function that hangs or throws stops
// nobody.
func TestSurfaceInTerminal(t *testing.T) {
	t.Parallel()
	x := newTerminal(t)
	if err := os.Mkdir(filepath.Join(x.home, "scripts"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, x.script("s.lua"), showing["lua"])
	x.start("--model offline")
	x.wait(`(?s)width 110\n─+\n.*\$1`)
	write(t, x.script("s.lua"),
		"-- ==Agent==\n-- @grant ui\n-- ==/Agent==\next.ui.status('x', 'the new "+
			"\\27[2Jversion')\next.ui.widget('y', function() while true do end "+
			"end)\next.ui.widget('z', function() error('thrown') end)\n")
	x.wait(`the new version`)
	x.wait(`s.lua:5`)
	x.wait(`s.lua:6: .*thrown`)
	x.submit("say still alive")
	x.wait(`(?s)still alive.*still alive`)
	if err := os.Remove(x.script("s.lua")); err != nil {
		t.Fatal(err)
	}
	x.gone(`the new version`)
	x.quit()
}

// gone polls until the screen has no such text.
func (x *console) gone(text string) {
	x.t.Helper()
	for end := time.Now().Add(driveTime); time.Now().Before(end); time.Sleep(
		20 * time.Millisecond) {
		if !strings.Contains(x.screen(), text) {
			return
		}
	}
	x.t.Fatalf("still %q on the screen:\n%s", text, x.screen())
}

// Several choices, words of the user's own, and texts of several lines, over rpc.
func TestRPCManyAndEdit(t *testing.T) {
	t.Parallel()
	c := newClient(t, map[string]string{"a.lua": `-- ==Agent==
-- @grant ui
-- ==/Agent==
ext.command{ name = "ask", run = function()
  local many = ext.ui.select("Which?", { "a", "b" }, { multi = true, other = true })
  local text = ext.ui.edit("one\ntwo", { title = "Message" })
  return { display = ext.json.encode(many) .. " " .. text }
end }`})
	c.hello(true)
	id := c.prompt("/ask")
	q := c.asked("select")
	if q["multi"] != true || q["other"] != true || len(q["choices"].([]any)) != 2 {
		t.Errorf("asked %v", q)
	}
	if text, _, _ := c.refused("ui.respond", map[string]any{"id": q["id"],
		"value": "a"}); text != `ui.respond: value: got "a", want a list of values` {
		t.Error(text)
	}
	c.respond(q, map[string]any{"value": []any{"b", "mine"}})
	q = c.asked("edit")
	if q["text"] != "one\ntwo" || q["title"] != "Message" {
		t.Errorf("asked %v", q)
	}
	c.respond(q, map[string]any{"value": "three\nfour"})
	c.wait("what was said", func(m message) bool {
		return m.event() == "say" && m.params().text("markdown") == `["b","mine"]`+" three\nfour"
	})
	c.over(id)
	c.call("shutdown", nil)
	c.ends(exitOK)
}
