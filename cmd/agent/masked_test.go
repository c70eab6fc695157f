// This file tests that a redactor's matches are shown nowhere on the screen, and that everything
// else is shown.

package main

import (
	"path/filepath"
	"regexp"
	"testing"
)

// secretEverywhere is a script that outputs a secret wherever a script can output text. The secret
// is in no prompt.
var secretEverywhere = map[string]string{
	"lua": `-- ==Agent==
-- @grant ui agent
-- ==/Agent==
ext.redact{ name = "pin", patterns = { "pin-[0-9]+" } }
local function secret(where) return where .. " pin" .. "-12345 end" end
for _, kind in ipairs({ "text", "diff", "code", "markdown" }) do
  ext.tool{ name = "show_" .. kind, description = "x", approve = false, schema = {}, run = function()
    return { content = "c", display = { kind = kind, title = secret("title of"), text = secret("as " .. kind) }, for_user = secret("for user") }
  end }
end
ext.tool{ name = "drawn", description = "x", approve = false, schema = {}, run = function()
  return { content = secret("content"), details = { list = { secret("details") } } }
end }
ext.render{ tool = "drawn", result = function(result) return { result.content[1].text, "of " .. result.details.list[1] } end }
ext.tool{ name = "fails", description = "x", approve = false, schema = {}, run = function() error(secret("thrown")) end }
ext.guard({ tool = "ls" }, function() return { block = true, reason = secret("reason") } end)
ext.command{ name = "leak", run = function()
  ext.ui.status("s", secret("status")) ext.ui.widget("w", { secret("widget") })
  ext.notify(secret("notified"), "warn") ext.say(secret("said"))
  return { display = secret("displayed") }
end }
ext.command{ name = "panel", run = function() return { panel = { title = secret("panel"), render = function() return { secret("line") } end,
  key = function(name, text, p) p.close() end } } end }
ext.command{ name = "sub", run = function()
  local a = ext.agent.spawn{ prompt = "run sh live.sh sub", tools = { "bash" } }
  return { display = "it said " .. a.wait().response }
end }
`,
	"js": `// ==Agent==
// @grant ui agent
// ==/Agent==
ext.redact({ name: "pin", patterns: ["pin-[0-9]+"] });
const secret = (where) => where + " pin" + "-12345 end";
for (const kind of ["text", "diff", "code", "markdown"]) {
  ext.tool({ name: "show_" + kind, description: "x", approve: false, schema: {}, run: () =>
    ({ content: "c", display: { kind, title: secret("title of"), text: secret("as " + kind) }, for_user: secret("for user") }) });
}
ext.tool({ name: "drawn", description: "x", approve: false, schema: {}, run: () =>
  ({ content: secret("content"), details: { list: [secret("details")] } }) });
ext.render({ tool: "drawn", result: (result) => [result.content[0].text, "of " + result.details.list[0]] });
ext.tool({ name: "fails", description: "x", approve: false, schema: {}, run: () => { throw new Error(secret("thrown")); } });
ext.guard({ tool: "ls" }, () => ({ block: true, reason: secret("reason") }));
ext.command({ name: "leak", run: () => {
  ext.ui.status("s", secret("status")); ext.ui.widget("w", [secret("widget")]);
  ext.notify(secret("notified"), "warn"); ext.say(secret("said"));
  return { display: secret("displayed") };
} });
ext.command({ name: "panel", run: () => ({ panel: { title: secret("panel"), render: () => [secret("line")],
  key: (name, text, p) => { p.close(); } } }) });
ext.command({ name: "sub", run: async () => {
  const a = ext.agent.spawn({ prompt: "run sh live.sh sub", tools: ["bash"] });
  return { display: "it said " + (await a.wait()).response };
} });
`,
}

// TestSecretsAreMaskedOnTheScreen checks that a secret is masked in every part of the screen, and
// that the text around it is shown.
func TestSecretsAreMaskedOnTheScreen(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		x := newTerminal(t)
		x.run("mkdir -p " + x.home + "/scripts")
		write(t, x.script("leak."+lang), secretEverywhere[lang])
		write(t, filepath.Join(x.dir, "live.sh"),
			"printf '%s pin%s end\\n' $1 -12345; touch begun; until [ -e go ]; do sleep 0.02; "+
				"done\n")
		x.start("--model offline --yolo --fullscreen")
		x.wait("leak." + lang + " loaded")
		masked := func(labels ...string) {
			t.Helper()
			for _, l := range labels {
				x.wait(regexp.QuoteMeta(l + " [redacted:pin] end"))
			}
			if found := regexp.MustCompile(`pin-\d`).FindString(x.screen()); found != "" {
				t.Errorf("%v: the secret is on the screen:\n%s", labels, x.screen())
			}
		}
		next := func() { // clears the screen
			t.Helper()
			x.waitIdle()
			x.submit("/new")
			eventually(t, "the screen is empty",
				func() bool { return x.count(`redacted:pin`) == 0 })
		}
		x.submit("run sh live.sh live; printf 'late pin%s end' -6789")
		eventually(t, "the command runs", func() bool { return x.exists("begun") })
		masked("live")
		write(t, filepath.Join(x.dir, "go"), "")
		masked("late")
		x.waitIdle()
		x.submit("!printf 'mine pin%s end' -12345")
		masked("mine")
		x.sendKeys("", "C-o")
		masked("live", "late", "mine")
		x.sendKeys("", "C-o")
		next()
		x.run(`printf 'old pin%s end\n' -12345 >` + filepath.Join(x.dir, "f.txt"))
		x.submit("edit f.txt old => new")
		masked("+ new")
		x.submit("read f.txt")
		masked("new")
		next()
		x.submit("call show_text {}", "call show_diff {}", "call show_code {}",
			"call show_markdown {}")
		masked("title of", "as text", "as diff", "as code", "as markdown", "for user")
		next()
		x.submit("call drawn {}", "call fails {}", "call ls {}")
		masked("content", "of details", "thrown", "reason")
		next()
		x.submit("/panel")
		masked("panel", "line")
		x.waitForFocus("panel")
		x.sendKeys("q")
		x.waitGone("panel [redacted")
		x.submit("/leak")
		masked("status", "widget", "notified", "said", "displayed")
		x.run("rm " + filepath.Join(x.dir, "go") + " " + filepath.Join(x.dir, "begun"))
		x.submit("/sub")
		eventually(t, "the sub-agent's command runs", func() bool { return x.exists("begun") })
		write(t, filepath.Join(x.dir, "go"), "")
		masked("sub")
		x.quit()
	})
}
