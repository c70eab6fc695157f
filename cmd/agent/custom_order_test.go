package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hearing is a script that sends a custom event while it is asked about a call, if it is to send,
// and tells at /NAME in which order it has heard of the two.
var hearing = map[string]string{
	"lua": `local heard = {}
ext.on("tool_call", { priority = PRIO }, function() table.insert(heard, "call") if SENDS then ext.emit("custom:x", 1) ext.sleep(0.05) end end)
ext.on("custom:x", function() table.insert(heard, "custom") end)
ext.command{ name = "NAME", run = function() ext.notify("NAME: " .. table.concat(heard, " ")) end }
`,
	"js": `const heard = [];
ext.on("tool_call", { priority: PRIO }, async () => { heard.push("call"); if (SENDS) { ext.emit("custom:x", 1); await ext.sleep(0.05); } });
ext.on("custom:x", () => { heard.push("custom"); });
ext.command({ name: "NAME", run: () => { ext.notify("NAME: " + heard.join(" ")); } });
`,
}

// TestCustomEventsHaveOneOrder: an event that a script sends while scripts are asked about another
// one comes behind that one in the stream, and in each script: one that was asked before, the one
// that sends, and one that is asked afterwards.
func TestCustomEventsHaveOneOrder(t *testing.T) {
	inBoth(t, func(t *testing.T, lang string) {
		scripts := map[string]string{}
		for name, with := range map[string][]string{"before": {"10", "false"},
			"sender": {"20", "true"}, "behind": {"30", "false"}} {
			scripts[name+"."+lang] = strings.NewReplacer("PRIO", with[0], "SENDS", with[1],
				"NAME", name).Replace(hearing[lang])
		}
		c := newClient(t, scripts)
		if err := os.WriteFile(filepath.Join(c.dir, "a.txt"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		c.hello(true)
		c.prompt("play\ncall read {\"path\":\"a.txt\"}\nsay done")
		place := func(name string) int {
			_, at := c.await(name, 0, func(m message) bool {
				e, _ := m["params"].(map[string]any)
				return m["method"] == "event" && e["event"] == name
			})
			return at
		}
		if call, custom := place("tool_call"), place("custom:x"); custom < call {
			t.Errorf("the stream has custom:x at %d, before tool_call at %d", custom, call)
		}
		place("tool_end")
		for _, name := range []string{"before", "sender", "behind"} {
			c.prompt("/" + name)
			want := name + ": call custom"
			m, _ := c.await(name, 0, func(m message) bool {
				e, _ := m["params"].(map[string]any)
				text, _ := e["message"].(string)
				return e["event"] == "notification" && strings.HasPrefix(text, name+": ")
			})
			if e, _ := m["params"].(map[string]any); e["message"] != want {
				t.Errorf("got %q, want %q", e["message"], want)
			}
		}
	})
}
