package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/session"
)

// count returns how often a pattern matches on the screen.
func (x *console) count(pattern string) int {
	return len(regexp.MustCompile(pattern).FindAllString(x.screen(), -1))
}

// lines returns a pattern for consecutive lines; each argument is the pattern of one line. The time
// behind a call that took long is left out.
func lines(patterns ...string) string {
	const rest = `(  \d[\d.]* s)? *`
	return "(?m)^" + strings.Join(patterns, rest+"\\n") + rest + "$"
}

func (x *console) exists(name string) bool {
	_, err := os.Stat(filepath.Join(x.dir, name))
	return err == nil
}

// TestScreenShowsResultOfCommands checks that every command of the user leads to visible output.
func TestScreenShowsResultOfCommands(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "--yolo")
	if err := os.MkdirAll(filepath.Dir(x.script("a.lua")), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, x.script("a.lua"),
		`ext.command{ name = "bad", run = function(args) return { error = "no " .. args .. " today" } end }
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
	x.submit("/show beside") // while the slow command runs
	x.wait("shown beside")
	x.wait("working")
	x.sendKeys("", "Escape")
	x.wait("! interrupted")
	x.waitIdle()
	x.quit()
}

// waitIdle waits until the agent is idle.
func (x *console) waitIdle() {
	x.t.Helper()
	eventually(x.t, "the agent is idle", func() bool { return x.count("working \\d") == 0 })
}

// TestInputWhileTheAgentWorks checks that input during a run steers the agent or is queued, and
// that queued input can be taken back.
func TestInputWhileTheAgentWorks(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "--yolo")
	x.submit("run touch begun; sleep 100", "run touch skipped")
	eventually(t, "the command runs", func() bool { return x.exists("begun") })
	x.submit("say the last word")
	x.wait("steering: say the last word")
	x.sendKeys("say follows", "M-Enter")
	x.wait("follow-up: say follows")
	x.sendKeys("say taken back", "M-Enter")
	x.wait("3 queued")
	x.sendKeys("", "Up")
	x.wait("› say taken back")
	x.wait("2 queued")
	x.sendKeys("", "C-c") // the editor is empty, so this interrupts
	x.wait("! interrupted")
	x.wait(lines("› say the last word", "  say follows", "  say taken back"))
	x.waitIdle()
	x.sendKeys("", "C-u", "BSpace", "C-u", "BSpace", "C-u")
	x.submit("run touch again; until [ -e go ]; do sleep 0.02; done", "run touch skipped")
	eventually(t, "the command runs", func() bool { return x.exists("again") })
	x.sendKeys("say follows", "M-Enter")
	x.submit("say steered")
	x.wait("2 queued")
	write(t, filepath.Join(x.dir, "go"), "")
	x.wait("↳ say steered")
	x.wait("(?m)^◇ follows")
	if x.exists("skipped") {
		t.Errorf("a call ran after the steering:\n%s", x.screen())
	}
	x.waitIdle()
	x.quit()
}

// TestShellLines checks that the user's own commands run at once, and that the session holds only
// the output that the model may see.
func TestShellLines(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "--fullscreen")
	x.submit("!echo seen by all")
	x.wait(lines("● bash  echo seen by all  yours", "  │ seen by all"))
	x.submit("!!echo between us")
	x.wait(lines("● bash  echo between us  not in context", "  │ between us"))
	x.submit("/new")
	eventually(t, "the screen is empty",
		func() bool { return x.count("seen by all|between us") == 0 })
	x.sendKeys("/resume", "Enter")
	x.wait("── Resume a session")
	x.sendKeys("", "Enter")
	x.wait(lines("● bash  echo seen by all  yours", "  │ seen by all"))
	if x.count("between us") > 0 {
		t.Errorf("output that the model must not see was stored:\n%s", x.screen())
	}
	x.quit()
}

// TestResumeAndForkOnTheScreen picks another session, checks that the screen shows it, forks it
// before a prompt and edits that prompt.
func TestResumeAndForkOnTheScreen(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "--yolo --fullscreen")
	for _, word := range []string{"alpha", "beta"} {
		x.submit("say " + word + " one")
		x.wait("(?m)^◇ " + word + " one")
		x.submit("say " + word + " two")
		x.wait("(?m)^◇ " + word + " two")
		x.waitIdle()
		x.submit("/new")
		eventually(t, "the screen is empty", func() bool { return x.count(word) == 0 })
	}
	x.sendKeys("/resume", "Enter")
	x.wait("2 of 2")
	x.sendKeys("alpha")
	x.wait("1 of 2")
	x.sendKeys("", "Enter")
	x.wait(lines("› say alpha one", "", "◇ alpha one", "", "› say alpha two", "", "◇ alpha two"))
	x.sendKeys("/fork", "Enter")
	// newest first
	x.wait(lines("› say alpha two +(just now|\\d+ min ago)",
		"  say alpha one +(just now|\\d+ min ago)"))
	x.sendKeys("", "Enter")
	eventually(t, "the conversation is shorter",
		func() bool { return x.count("(?m)^◇ alpha two") == 0 })
	x.wait(lines("◇ alpha one"))
	x.wait(lines("─+", "› say alpha two")) // to be edited
	x.sendKeys(", or three", "Enter")
	x.wait("(?m)^◇ alpha two, or three")
	x.waitIdle()
	x.sendKeys("/fork", "Enter")
	x.wait(lines("── Go back to before a prompt, or on with another branch .*", ".*",
		"› ● say alpha two, or three .*", "  ● say alpha one .*",
		"  ╰ say alpha two +another branch, (just now|\\d+ min ago)"))
	x.sendKeys("", "Down", "Down", "Enter")
	x.wait("(?m)^◇ alpha two *$")
	eventually(t, "the other branch is gone",
		func() bool { return x.count("(?m)^◇ alpha two, or three") == 0 })
	x.sendKeys("/fork", "Enter")
	x.wait("another branch")
	x.sendKeys("", "Down", "Down", "Enter")
	x.wait("(?m)^◇ alpha two, or three")
	x.quit()
	x.start("-c")
	x.wait(lines("◇ alpha one", "(.*\n)*◇ alpha two, or three"))
	x.quit()
	x.startFor("-r", "── Resume a session")
	x.waitForFocus("Resume a session")
	x.sendKeys("beta", "Enter")
	x.wait("(?m)^◇ beta two")
	x.quit()
}

// TestResizeEvent checks that scripts get one event for a new size.
func TestResizeEvent(t *testing.T) {
	t.Parallel()
	x := newTerminal(t)
	write(t, filepath.Join(x.dir, "size.lua"),
		"ext.on('terminal_resize', function(ev) ext.say('now ' .. ev.width .. ' wide') end)\n")
	x.start("-e size.lua")
	x.wait("size.lua loaded")
	x.tmux("resize-window", "-x", "90", "-y", "30")
	x.wait("now 90 wide")
	x.tmux("resize-window", "-x", "110", "-y", "40") // as it was before the program
	x.wait("now 110 wide")
	x.quit()
}

// TestSuspend checks that ctrl+z returns the terminal to the shell until the program is continued.
func TestSuspend(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "")
	// this shell has no job control, so nothing would continue the program
	x.sendKeys("half a prompt", "C-z")
	x.wait("half a prompt")
	x.sendKeys(", and the rest")
	x.wait("half a prompt, and the rest")
	x.sendKeys("", "C-u")
	x.quit()
}

// TestCommandsHaveNoTerminal checks that a shell command cannot draw on the screen or read keys.
func TestCommandsHaveNoTerminal(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "--yolo")
	x.submit("run echo scribble >/dev/tty; touch ended", "run read -r line </dev/tty; touch read",
		"say all done")
	x.wait("(?m)^ *all done")
	if !x.exists("ended") || !x.exists("read") {
		t.Errorf("the commands did not end:\n%s", x.screen())
	}
	if n := x.count("(?m)^ *scribble"); n > 0 {
		t.Errorf("a command wrote on the terminal:\n%s", x.screen())
	}
	if x.count("/dev/tty: (No such device|Device not configured)") == 0 {
		t.Errorf("the commands have a terminal:\n%s", x.screen())
	}
	x.quit()
}

// programID is the process of the program for a command that it runs. On Linux the parent of the
// command is a small process between them.
const programID = "$(cut -d' ' -f4 /proc/$PPID/stat 2>/dev/null || echo $PPID)"

// TestSignalsEndTheScreen checks that however the program ends, the terminal is restored and
// session_end fires.
func TestSignalsEndTheScreen(t *testing.T) {
	t.Parallel()
	for signal, code := range map[string]int{"TERM": 143, "HUP": 129, "INT": 130, "QUIT": 131} {
		t.Run(signal, func(t *testing.T) {
			x := startTerminal(t, "--yolo -e end.lua")
			x.submit("run kill -" + signal + " " + programID + "; sleep 60")
			x.wait(fmt.Sprint("EXIT ", code))
			x.sameModes()
			log := filepath.Join(x.home, "logs", "end.lua.log")
			eventually(t, "session_end fires", func() bool {
				b, _ := os.ReadFile(log)
				return strings.Contains(string(b), "the end: ")
			})
		})
	}
}

// TestClosedTerminal checks that the program and its commands end when the terminal is closed.
func TestClosedTerminal(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "--yolo -e end.lua")
	x.submit("run echo " + programID + " >pid; sleep 60; touch survived")
	var pid string
	eventually(t, "the command runs", func() bool {
		b, _ := os.ReadFile(filepath.Join(x.dir, "pid"))
		pid = strings.TrimSpace(string(b))
		return pid != ""
	})
	if out, err := x.startTmux("kill-server"); err != nil {
		t.Fatalf("tmux kill-server: %v\n%s", err, out)
	}
	eventually(t, "the program is gone", func() bool {
		// one that has ended may wait for its parent, which may be this test: it has no executable
		_, err := os.Readlink(fmt.Sprintf("/proc/%s/exe", pid))
		return err != nil || !hasProcfs()
	})
	eventually(t, "session_end fires", func() bool {
		b, _ := os.ReadFile(filepath.Join(x.home, "logs", "end.lua.log"))
		return strings.Contains(string(b), "the end: signal")
	})
}

// hasProcfs reports whether the system has /proc.
func hasProcfs() bool { _, err := os.Stat("/proc/self"); return err == nil }

// TestEscAtADialogEndsTheRun checks that after Esc no dialog opens and no call runs.
func TestEscAtADialogEndsTheRun(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string]string{"approval": "", "lua": "--yolo -e ask.lua",
		"js": "--yolo -e ask.js"} {
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
			x.waitForFocus("wants to run")
			x.sendKeys("", "Escape")
			x.wait("! interrupted")
			if x.count("wants to run") > 0 || x.exists("first") || x.exists("second") {
				t.Errorf("the run continued:\n%s", x.screen())
			}
			x.quit()
		})
	}
}

// TestInterruptionIsShownOnce checks that even if redactors delay the events, an interruption is
// shown once.
func TestInterruptionIsShownOnce(t *testing.T) {
	t.Parallel()
	for lang, script := range slowRedactors {
		name := "slow." + lang
		t.Run(name, func(t *testing.T) {
			x := newTerminal(t)
			write(t, filepath.Join(x.dir, name), script)
			x.start("--yolo -e " + name)
			x.submit("run touch begun; sleep 100")
			eventually(t, "the command runs", func() bool { return x.exists("begun") })
			x.sendKeys("say follows", "M-Enter")
			x.wait("1 queued")
			x.sendKeys("", "Escape")
			x.wait("! interrupted")
			x.wait("› say follows")
			x.waitIdle()
			if n := x.count("! interrupted"); n != 1 {
				t.Errorf("shown %d times:\n%s", n, x.screen())
			}
			x.sendKeys("", "C-u")
			x.quit()
		})
	}
}

// TestErrorIsShownOnce checks that a script's error is shown once in the transcript, and once in
// the question that it causes.
func TestErrorIsShownOnce(t *testing.T) {
	t.Parallel()
	x := newTerminal(t)
	write(t, filepath.Join(x.dir, "fails.lua"),
		"ext.guard(function() error('guard ' .. 'oops') end)\next.command{ name = 'boom', run = "+
			"function() error('command ' .. 'oops') end }\n")
	x.start("--yolo -e fails.lua")
	x.submit("/boom")
	x.wait("command oops")
	x.submit("run echo hi")
	x.wait("run this call all the same")
	if n := x.count("command oops"); n != 1 {
		t.Errorf("the error of the command is shown %d times:\n%s", n, x.screen())
	}
	if n := x.count("guard oops"); n != 2 {
		t.Errorf("the error of the guard is shown %d times, want once in the transcript and once "+
			"in the question:\n%s", n, x.screen())
	}
	x.waitForFocus("run this call all the same")
	x.sendKeys("n")
	x.waitGone("Reject and say why")
	x.quit()
}

// TestLastLines checks what the terminal shows after the screen: no unknown cost looks like 0.
func TestLastLines(t *testing.T) {
	t.Parallel()
	for want, used := range map[string]session.Total{
		"Session cost: $0.25\n":   {Cost: 0.25, Requests: 2},
		"Session cost: unknown\n": {Requests: 2, Unpriced: 2},
		"Session cost: $0.25, and requests whose price is unknown\n": {Cost: 0.25, Unpriced: 1},
	} {
		if got := lastLines("", used); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := lastLines("/s/x.jsonl", used); got != want+"To continue: agent -c\n" {
			t.Errorf("with a file: got %q", got)
		}
	}
}

// TestOwnArgumentsAreCompleted checks that tab completes the arguments of the agent's own commands.
func TestOwnArgumentsAreCompleted(t *testing.T) {
	t.Parallel()
	x := newTerminal(t)
	os.MkdirAll(filepath.Join(x.home, "agents"), 0o700)
	write(t, filepath.Join(x.home, "agents", "reviewer.md"),
		"---\ndescription: Reviews code\n---\nReview.\n")
	x.start("--yolo")
	for typed, want := range map[string]string{"/thinking hi": "› /thinking high",
		"/permission pl": "› /permission plan", "/agent ma": "› /agent main",
		"/agent rvw": "› reviewer +Reviews code", "/permissions ": "› /permissions remove",
		"/model off": "› /model offline/offline"} {
		x.sendKeys(typed, "Tab")
		x.wait(want)
		x.sendKeys("", "C-u")
		x.wait("Ask, or type")
	}
	x.quit()
}
