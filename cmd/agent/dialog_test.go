package main

import (
	"strings"
	"testing"
)

// manyDialogs opens more dialogs than can be open at the same time.
var manyDialogs = map[string]string{
	"lua": `-- ==Agent==
-- @grant ui
-- ==/Agent==
ext.command{ name = "nag", run = function()
  local fs = {}
  for i = 1, 21 do
    fs[i] = function()
      local ok, err = pcall(ext.ui.confirm, "Question " .. i)
      if not ok then ext.notify(tostring(err)) end
      return ok and "answered" or "refused"
    end
  end
  return { display = table.concat(ext.all(fs), ";") }
end }`,
	"js": `// ==Agent==
// @grant ui
// ==/Agent==
ext.command({ name: "nag", run: async () => {
  const ask = async (i) => {
    try {
      await ext.ui.confirm("Question " + i);
      return "answered";
    } catch (err) {
      ext.notify(err.message);
      return "refused";
    }
  };
  return { display: (await Promise.all(Array.from({ length: 21 }, (_, i) => ask(i)))).join(";") };
} });`,
}

// TestRPCTooManyDialogs checks that a script that opens too many dialogs gets an error for the one
// that exceeds the limit, and that answers make room for more.
func TestRPCTooManyDialogs(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		c := newClient(t, map[string]string{"n." + lang: manyDialogs[lang]})
		c.openSession(true)
		for range 2 {
			id := c.prompt("/nag")
			var open []message
			c.await("the refusal", c.seen, func(m message) bool {
				return m.event() == "notification" &&
					strings.Contains(m.params().text("message"),
						"ext.ui.confirm: the script already waits for the answers to 20 questions")
			})
			for range 20 {
				open = append(open, c.waitDialog("confirm"))
			}
			for _, q := range open {
				c.respond(q, map[string]any{"value": true})
			}
			c.waitEnd(id)
			said := c.waitEvent("say").text("markdown")
			if strings.Count(said, "answered") != 20 {
				t.Errorf("the script got %s", said)
			}
		}
		c.endSession()
	})
}
