//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// programOnTerminal lets a program that asks for a name have the terminal.
var programOnTerminal = map[string]string{
	"lua": `-- ==Agent==
-- @grant exec:sh
-- ==/Agent==
ext.command{ name = "hello", run = function()
  local r = ext.sh([[stty size; while test "$(stty size)" = "30 200"; do sleep 0.05; done
    stty size </dev/tty; printf "Name? "; read -r name; echo "It is $name."; exit 3]], { tty = true })
  return { display = ("code %d, out %d, late %s"):format(r.code, #r.stdout, tostring(r.timed_out)) }
end }`,
	"js": `// ==Agent==
// @grant exec:sh
// ==/Agent==
ext.command({ name: "hello", run: async () => {
  const r = await ext.sh('stty size; while test "$(stty size)" = "30 200"; do sleep 0.05; done\n' +
    'stty size </dev/tty; printf "Name? "; read -r name; echo "It is $name."; exit 3', { tty: true });
  return { display: "code " + r.code + ", out " + r.stdout.length + ", late " + r.timed_out };
} });`,
}

// TestProgramOnTheTerminal checks that a program of a script has the terminal until it ends: its
// size, its keys and what it shows; and that the screen has them again after it.
func TestProgramOnTheTerminal(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		d := newDrive(t, nil)
		script := filepath.Join(d.dir, "t."+lang)
		write(t, script, programOnTerminal[lang])
		x := startOnPty(t, d, crashVariable+"=", "-e", script)
		waitFor := func(text string) {
			t.Helper()
			eventually(t, text, func() bool { return strings.Contains(x.screen(), text) })
		}
		waitFor("/help shows keys")
		fmt.Fprint(x.keys, "/hello\r")
		waitFor("30 200\r\n")
		if err := pty.Setsize(x.keys, &pty.Winsize{Rows: 30, Cols: 150}); err != nil {
			t.Fatal(err)
		}
		waitFor("30 150\r\nName? ")
		fmt.Fprint(x.keys, "Ann\r")
		waitFor("It is Ann.")
		waitFor("code 3, out 0, late false")
		fmt.Fprint(x.keys, "say ok\r") // drawn in one piece once it has been sent
		waitFor("say ok")
	})
}

// TestKilledProgramOnTheTerminal checks that the editor draws as before after a program that was
// killed while it had the terminal in insert mode.
func TestKilledProgramOnTheTerminal(t *testing.T) {
	t.Parallel()
	x := newTerminal(t)
	write(t, filepath.Join(x.dir, "kill.lua"), `-- ==Agent==
-- @grant exec:sh
-- ==/Agent==
ext.command{ name = "kill", run = function()
  local r = ext.sh([[printf '\033[3;8r\033[4h'; kill -9 $$]], { tty = true })
  return { display = "code " .. r.code }
end }`)
	x.start("-e kill.lua")
	x.sendKeys("/kill", "Enter")
	x.wait("code 137")
	x.sendKeys("hello", "Left")
	x.sendKeys("X", "Left", "Y")
	x.wait("(?m)^› hellYXo *$")
	x.sendKeys("", "C-u", "C-k")
	x.quit()
}

// TestHelpAsksNothing checks that help has colours, and asks nothing of a terminal, which may not
// answer.
func TestHelpAsksNothing(t *testing.T) {
	t.Parallel()
	x := startOnPty(t, newDrive(t, nil), "NO_COLOR=", "help", "models")
	eventually(t, "help", func() bool { return strings.Contains(x.screen(), "of JSON") })
	text := x.screen()
	for _, asked := range []string{"\x1b]", "\x1b[c", "\x1b[>"} {
		if strings.Contains(text, asked) {
			t.Errorf("it writes %q: %q", asked, text)
		}
	}
	if !strings.Contains(text, "\x1b[35m--json") {
		t.Errorf("no colours: %q", text)
	}
}
