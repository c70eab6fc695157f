package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// count is how often a pattern is on the screen.
func (x *terminal) count(pattern string) int {
	return len(regexp.MustCompile(pattern).FindAllString(x.screen(), -1))
}

func (x *terminal) exists(name string) bool {
	_, err := os.Stat(filepath.Join(x.dir, name))
	return err == nil
}

// TestScreenTellsWhatCameOfACommand: nothing that the user sends ends in silence.
func TestScreenTellsWhatCameOfACommand(t *testing.T) {
	x := startTerminal(t, "--yolo")
	if err := os.MkdirAll(filepath.Dir(x.script("a.lua")), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, x.script("a.lua"), `ext.command{ name = "bad", run = function(args) return { error = "no " .. args .. " today" } end }
ext.command{ name = "slow", run = function() ext.sleep(60) end }
ext.command{ name = "show", run = function(args) return { display = "shown " .. args } end }
ext.on("input", { match = "forbidden" }, function() return { block = true, reason = "a bad word" } end)
`)
	x.wait("a.lua loaded")
	for _, c := range []struct{ text, want string }{
		{"/nope", "unknown command /nope"},
		{"/bad x", "no x today"},
		{"say forbidden", "refused by a.lua: a bad word"},
		{"/slow", "working.*esc interrupts"},
	} {
		x.submit(c.text)
		x.wait(c.want)
	}
	x.submit("/show queued") // the slow one is at work
	x.wait("1 queued")
	x.typed("", "Escape")
	x.wait("! interrupted")
	if n := x.count("shown queued"); n > 0 {
		t.Errorf("a command ran that was interrupted while it waited:\n%s", x.screen())
	}
	x.wait("› /show queued") // back in the editor
	x.typed("", "Enter")
	x.wait("shown queued")
	x.quit()
}

// TestCommandsHaveNoTerminal: a shell command cannot draw on the screen or wait for the user's keys.
func TestCommandsHaveNoTerminal(t *testing.T) {
	x := startTerminal(t, "--yolo")
	x.submit("run echo scribble >/dev/tty; touch ended", "run read -r line </dev/tty; touch read", "say all done")
	x.wait("(?m)^all done")
	if !x.exists("ended") || !x.exists("read") {
		t.Errorf("the commands did not come to their end:\n%s", x.screen())
	}
	if n := x.count("(?m)^ *scribble"); n > 0 {
		t.Errorf("a command wrote on the terminal:\n%s", x.screen())
	}
	if x.count("/dev/tty: (No such device|Device not configured)") == 0 {
		t.Errorf("the commands have a terminal:\n%s", x.screen())
	}
	x.quit()
}

// TestSignalsEndTheScreen: whatever ends the program, the terminal is as it was and session_end is heard.
func TestSignalsEndTheScreen(t *testing.T) {
	for _, signal := range []string{"TERM", "HUP", "INT", "QUIT"} {
		t.Run(signal, func(t *testing.T) {
			x := startTerminal(t, "--yolo -e end.lua")
			x.submit("run kill -" + signal + " $PPID; sleep 60")
			x.wait("EXIT 0")
			x.sameModes()
			log := filepath.Join(x.home, "logs", "end.lua.log")
			eventually(t, "session_end is heard", func() bool {
				b, _ := os.ReadFile(log)
				return strings.Contains(string(b), "the end: ")
			})
		})
	}
}

// TestTerminalThatIsClosed: the program ends with its terminal, and what it runs with it.
func TestTerminalThatIsClosed(t *testing.T) {
	x := startTerminal(t, "--yolo -e end.lua")
	x.submit("run echo $PPID >pid; sleep 60; touch survived")
	var pid string
	eventually(t, "the command runs", func() bool {
		b, _ := os.ReadFile(filepath.Join(x.dir, "pid"))
		pid = strings.TrimSpace(string(b))
		return pid != ""
	})
	x.tmux("kill-server")
	eventually(t, "the program is gone", func() bool {
		_, err := os.Stat(fmt.Sprintf("/proc/%s/fd", pid))
		return err != nil || !procfs()
	})
	eventually(t, "session_end is heard", func() bool {
		b, _ := os.ReadFile(filepath.Join(x.home, "logs", "end.lua.log"))
		return strings.Contains(string(b), "the end: signal")
	})
}

// procfs reports whether processes can be looked for in /proc.
func procfs() bool { _, err := os.Stat("/proc/self"); return err == nil }

// TestEscAtADialogEndsTheRun: nothing more is asked, and nothing more runs.
func TestEscAtADialogEndsTheRun(t *testing.T) {
	for name, flags := range map[string]string{"approval": "", "lua": "--yolo -e ask.lua", "js": "--yolo -e ask.js"} {
		t.Run(name, func(t *testing.T) {
			x := newTerminal(t)
			write(t, filepath.Join(x.dir, "ask.lua"), `-- ==Agent==
-- @grant ui
-- ==/Agent==
ext.guard({ tool = "bash" }, function() return not ext.ui.confirm("wants to run?") and { block = true } or nil end)
`)
			write(t, filepath.Join(x.dir, "ask.js"), `// ==Agent==
// @grant ui
// ==/Agent==
ext.guard({ tool: "bash" }, async () => (await ext.ui.confirm("wants to run?")) ? null : { block: true });
`)
			x.start(flags)
			x.submit("run touch first", "run touch second")
			x.wait("wants to run")
			time.Sleep(500 * time.Millisecond) // the dialog takes no keys at first
			x.typed("", "Escape")
			x.wait("! interrupted")
			if x.count("wants to run") > 0 || x.exists("first") || x.exists("second") {
				t.Errorf("the run went on:\n%s", x.screen())
			}
			x.quit()
		})
	}
}
