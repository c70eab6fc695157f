package zot_test

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// TestOrder: scripts see what an extension has made of a call, and an extension is asked about what
// scripts have made of it, in both languages.
func TestOrder(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"own.lua": `ext.guard({}, function(ev)
				if ev.args.command == "ls -l" then return { block = true, reason = "the script" } end
			end)
			ext.on("tool_call", function(ev)
				if ev.args.command == "pwd" then return { args = { command = "rm x" } } end
			end)`,
		"own.js": `ext.guard({}, (ev) => {
				if (ev.args.command === "ls -l") return { block: true, reason: "the script" };
			});
			ext.on("tool_call", (ev) => {
				if (ev.args.command === "pwd") return { args: { command: "rm x" } };
			});`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 20, lua.New(), js.New()).install("x", "guard")
			w.Answers = true
			w.Write(name, text)
			w.start()
			for command, want := range map[string]string{
				"ls":    "refused by " + name + ": the script",
				"pwd":   "refused by x/extension.json: never",
				"rm":    "refused by x/extension.json: never",
				"ls -l": "refused by " + name + ": the script",
				"date":  "ran date",
			} {
				if got := w.Bash(command); !strings.HasPrefix(got, want) {
					t.Errorf("%s: got %q, want %q; %s", command, got, want, w.Recorded())
				}
			}
		})
	}
}
