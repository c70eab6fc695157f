// This file tests what scripts show on a screen, in an rpc client and in a real terminal.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// showing are scripts that show something of each kind.
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

// waitShown waits for a notification with these parameters, anywhere in the output.
func (c *client) waitShown(method, params string) {
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
		c.waitShown("ui.show",
			"map[key:cost kind:status lines:[[map[text:$1 [redacted:key]]]] order:50 side:right]")
		c.waitShown("ui.show",
			"map[key:todo kind:widget lines:[[map[text:width 80]]] order:50 place:above]")
		c.waitShown("ui.show", "map[key: kind:title lines:[[map[text:VERSION]]] order:50]")
		c.call("ui.screen", map[string]any{"width": 33, "focused": false})
		c.waitShown("ui.show",
			"map[key:todo kind:widget lines:[[map[text:width 33]]] order:50 place:above]")
		c.runPrompt("/act")
		c.waitShown("ui.insert", "map[text:fix it]")
		c.waitShown("ui.copy", "map[text:some text]")
		c.waitShown("ui.desktop", "map[body:done title:agent]")
		if err := os.Remove(filepath.Join(c.home, "scripts", "s."+lang)); err != nil {
			t.Fatal(err)
		}
		c.waitShown("ui.show", "map[key:cost kind:status]")
		c.waitShown("ui.show", "map[key:todo kind:widget]")
		if text, _, _ := c.refused("ui.screen",
			map[string]any{"width": 20000}); text != "ui.screen: width: got 20000, "+
			"want 1 to 10000" {
			t.Error(text)
		}
		c.call("shutdown", nil)
		c.waitExit(exitOK)
	})
}

// TestRPCWithoutSurface checks that a client without the capability gets no notifications about it.
func TestRPCWithoutSurface(t *testing.T) {
	t.Parallel()
	c := newClient(t, map[string]string{"s.lua": showing["lua"]})
	c.openSession(true)
	c.runPrompt("/act")
	if _, at := c.find(0, func(m message) bool {
		return len(m.text("method")) > 3 &&
			m.text("method")[:3] == "ui."
	}); at >= 0 {
		t.Errorf("notifications were sent:\n%s", c.output())
	}
	c.call("shutdown", nil)
	c.waitExit(exitOK)
}

// TestSurfaceInTerminal checks that the screen shows what a script sets, that it follows the
// script's file, and that a function that hangs or throws blocks nothing.
func TestSurfaceInTerminal(t *testing.T) {
	t.Parallel()
	x := newTerminal(t)
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
	x.waitGone(`the new version`)
	x.quit()
}

// waitGone polls until the screen does not contain the text.
func (x *console) waitGone(text string) {
	x.t.Helper()
	for end := time.Now().Add(driveTime); time.Now().Before(end); time.Sleep(
		20 * time.Millisecond) {
		if !strings.Contains(x.screen(), text) {
			return
		}
	}
	x.t.Fatalf("still %q on the screen:\n%s", text, x.screen())
}

// TestRPCManyAndEdit tests multiple choice, input with choices, and multi-line text over rpc.
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
	c.openSession(true)
	id := c.prompt("/ask")
	q := c.waitDialog("select")
	if q["multi"] != true || q["other"] != true || len(q["choices"].([]any)) != 2 {
		t.Errorf("asked %v", q)
	}
	if text, _, _ := c.refused("ui.respond", map[string]any{"id": q["id"],
		"value": "a"}); text != `ui.respond: value: got "a", want a list of values` {
		t.Error(text)
	}
	c.respond(q, map[string]any{"value": []any{"b", "mine"}})
	q = c.waitDialog("edit")
	if q["text"] != "one\ntwo" || q["title"] != "Message" {
		t.Errorf("asked %v", q)
	}
	c.respond(q, map[string]any{"value": "three\nfour"})
	c.wait("what was said", func(m message) bool {
		return m.event() == "say" && m.params().text("markdown") == `["b","mine"]`+" three\nfour"
	})
	c.waitEnd(id)
	c.call("shutdown", nil)
	c.waitExit(exitOK)
}
