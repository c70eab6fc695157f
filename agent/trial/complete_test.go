package trial_test

import (
	"strings"
	"testing"
)

// TestComplete checks that a test asks the script to complete words and arguments of commands, and
// that it hears of what no script completes and of a completion that fails.
func TestComplete(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{"x.lua": `-- ==Agent==
-- @grant ui
-- ==/Agent==
ext.completion{ prefix = "#", complete = function(word)
  if word == "#bad" then error("no tickets") end
  return { { value = word .. "2", description = "crash" } }
end }
ext.command{ name = "go", run = function() end,
  complete = function(prefix) return { prefix .. "in" } end }
ext.test("x", function(t)
  t.equal(t.complete("#1").choices, { { value = "#12", description = "crash" } })
  t.equal(t.complete("/go ma").choices[1].value, "main")
  t.equal(t.complete("/go").choices[1].value, "in")
end)
ext.test("word", function(t) t.complete("@x") end)
ext.test("command", function(t) t.complete("/gone x") end)
ext.test("fails", function(t) t.complete("#bad") end)`, "x.js": `// ==Agent==
// @grant ui
// ==/Agent==
ext.completion({ prefix: "#", complete: (word) => {
  if (word === "#bad") throw new Error("no tickets");
  return [{ value: word + "2", description: "crash" }];
} });
ext.command({ name: "go", run: () => {}, complete: (prefix) => [prefix + "in"] });
ext.test("x", async (t) => {
  t.equal((await t.complete("#1")).choices, [{ value: "#12", description: "crash" }]);
  t.equal((await t.complete("/go ma")).choices[0].value, "main");
  t.equal((await t.complete("/go")).choices[0].value, "in");
});
ext.test("word", async (t) => { await t.complete("@x"); });
ext.test("command", async (t) => { await t.complete("/gone x"); });
ext.test("fails", async (t) => { await t.complete("#bad"); });`} {
		got := results(t, name, src)
		for _, want := range []string{"x: ok\n",
			`t.complete: no ext.completion has a prefix of "@x"`,
			"t.complete: there is no command /gone", "no tickets"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got\n%s\nwant %s", name, got, want)
			}
		}
	}
}
