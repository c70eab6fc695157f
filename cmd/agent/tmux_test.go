package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// console is the program in a real terminal: a tmux session.
type console struct {
	t       *testing.T
	socket  string
	control *control // of the server behind the socket
	home    string
	dir     string
	masks   string // a script with a redactor; "" if nothing is masked
}

// need skips the test if a program is missing; if AGENT_CI is set, the test fails instead.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			if os.Getenv("AGENT_CI") != "" {
				t.Fatalf("%s is missing", p)
			}
			t.Skipf("%s is not installed", p)
		}
	}
}

// startTerminal runs the program with the given flags and waits for its screen.
func startTerminal(t *testing.T, flags string) *console {
	t.Helper()
	x := newTerminal(t)
	x.start(flags)
	return x
}

// newTerminal creates the folders of a terminal. It does not start the program.
func newTerminal(t *testing.T) *console {
	t.Helper()
	need(t, "tmux", "vim")
	x := &console{t: t, home: t.TempDir(), dir: t.TempDir()}
	if err := os.Mkdir(filepath.Join(x.home, "scripts"), 0o700); err != nil { // no first start
		t.Fatal(err)
	}
	if rounds.Masks(t) {
		x.masks = filepath.Join(t.TempDir(), "masks.lua")
		write(t, x.masks,
			"ext.redact{ name = 'never', patterns = { 'there is no such [0-9]+ text' } }\n")
	}
	// for -e
	write(t, filepath.Join(x.dir, "end.lua"),
		"ext.on('session_end', function(ev) ext.log.info('the end: ' .. ev.cause) end)\n")
	return x
}

func (x *console) start(flags string) {
	x.t.Helper()
	x.startFor(flags, "Ask, or type")
}

// startFor starts the program and waits until the screen shows a text.
func (x *console) startFor(flags, shown string) {
	t := x.t
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// under this name, the test binary acts as the program: see TestMain
	bin := filepath.Join(t.TempDir(), "agent")
	if err := os.Symlink(self, bin); err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(x.dir, "after")) // from the previous start
	key := ""
	if x.masks != "" {
		key, flags = "OPENAI_API_KEY=sk-test-0123456789abcdef", flags+" -e "+x.masks
		if !strings.Contains(flags, "--model") {
			flags += " --model offline"
		}
	}
	socket := filepath.Join(t.TempDir(), "s")
	x.socket, x.control = socket, nil
	x.tmux("-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "40", "-c", x.dir,
		fmt.Sprintf("stty -g >before; env AGENT_HOME=%s %s %s %s; echo EXIT $?; stty -g >after; "+
			"sleep 100", x.home, key, bin, flags))
	t.Cleanup(func() { exec.Command("tmux", "-S", socket, "kill-server").Run() })
	x.control = newControl(t, socket)
	x.wait(shown)
}

// tmux runs a command of tmux. Text of several lines takes a client of its own.
func (x *console) tmux(args ...string) string {
	x.t.Helper()
	run := x.startTmux
	if x.control != nil && !strings.Contains(strings.Join(args, ""), "\n") {
		run = x.control.run
	}
	out, err := run(args...)
	if err != nil {
		x.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// startTmux runs a command of tmux with a client of its own.
func (x *console) startTmux(args ...string) (string, error) {
	out, err := exec.Command("tmux", append([]string{"-S", x.socket}, args...)...).CombinedOutput()
	return string(out), err
}

// screen returns what the terminal shows, with wrapped lines joined.
func (x *console) screen() string { return x.tmux("capture-pane", "-p", "-J") }

// wait polls the screen until a pattern matches.
func (x *console) wait(pattern string) {
	x.t.Helper()
	re := regexp.MustCompile(pattern)
	for end := time.Now().Add(driveTime); time.Now().Before(end); time.Sleep(
		20 * time.Millisecond) {
		if re.MatchString(x.screen()) {
			return
		}
	}
	shown := x.screen()
	x.sendKeys("", "C-l") // shows whether the program has it and has not drawn it
	time.Sleep(time.Second)
	x.t.Fatalf("no %q on the screen:\n%s\nredrawn:\n%s", pattern, shown, x.screen())
}

// waitForFocus waits until a dialog or a panel that shows this text takes keys. As long as the keys
// still go to the editor, its title says so.
func (x *console) waitForFocus(text string) {
	x.t.Helper()
	title, still := regexp.MustCompile("(?m)^── "),
		regexp.MustCompile("(?m)^── .* · (keys go to the editor|waits)")
	for end := time.Now().Add(driveTime); time.Now().Before(end); time.Sleep(
		20 * time.Millisecond) {
		if s := x.screen(); strings.Contains(s, text) && title.MatchString(s) &&
			!still.MatchString(s) {
			return
		}
	}
	x.t.Fatalf("nothing that shows %q has the focus:\n%s", text, x.screen())
}

// sendKeys sends text as keys, then the named keys.
func (x *console) sendKeys(text string, keys ...string) {
	x.t.Helper()
	if text != "" {
		x.tmux("send-keys", "-l", text)
	}
	for _, k := range keys {
		x.tmux("send-keys", k)
	}
}

// submit pastes lines as one prompt, and sends it.
func (x *console) submit(lines ...string) {
	x.t.Helper()
	x.tmux("set-buffer", strings.Join(lines, "\n"))
	x.tmux("paste-buffer", "-p")
	x.wait(regexp.QuoteMeta(lines[len(lines)-1]) + `|\[Pasted \d+ `)
	x.sendKeys("", "Enter")
}

func (x *console) script(name string) string { return filepath.Join(x.home, "scripts", name) }

func (x *console) run(command string) {
	x.t.Helper()
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		x.t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// edits returns a run of n steps. Each step creates a file, waits until the test continues it, and
// then makes a call that a guard may refuse.
func edits(n int) (lines []string) {
	for i := range n {
		lines = append(lines,
			fmt.Sprintf("run touch done%d; until [ -e go%d ]; do sleep 0.02; done", i, i),
			fmt.Sprintf("run echo alpha beta; touch ran%d", i))
	}
	return lines
}

// waitStep waits until step n of the run is waiting.
func (x *console) waitStep(n int) {
	x.t.Helper()
	path := filepath.Join(x.dir, fmt.Sprintf("done%d", n))
	eventually(x.t, path, func() bool { _, err := os.Stat(path); return err == nil })
}

// hears is a script that writes down which scripts are in force, and how many handlers each has.
const hears = "ext.on('script_load', function(ev) ext.log.info(ev.script .. ' has ' .. " +
	"ev.handlers) end)\n"

// TestGuardEditedWhileTheAgentWorks saves, edits, breaks, repairs and deletes a guard during a long
// run, by an editor and by mv, and checks that each next call gets the decision of the last saved
// version.
func TestGuardEditedWhileTheAgentWorks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, more, broken string }{
		{"guard.lua", "ext.guard({ tool = \"bash\" }, function(ev)\n  if " +
			"ev.args.command:find(\"WORD\", 1, true) then return { block = true, reason = \"no " +
			"WORD\" } end\nend)MORE\n", " ext.on('agent_end', function() end)", "local = 1"},
		{"guard.js", "ext.guard({ tool: \"bash\" }, (ev) => {\n  if " +
			"(ev.args.command.includes(\"WORD\")) return { block: true, reason: \"no WORD\" " +
			"};\n});MORE\n", " ext.on('agent_end', () => {});", "const = 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := newTerminal(t)
			write(t, filepath.Join(x.dir, "hears.lua"), hears)
			x.start("--yolo -e hears.lua")
			x.submit(edits(8)...)
			version := 0 // each version has one handler more than the previous one
			guard := func(word string) string {
				version++
				return strings.NewReplacer("WORD", word, "MORE",
					strings.Repeat(c.more, version)).Replace(c.text)
			}
			inForce := func() {
				t.Helper()
				log, text := filepath.Join(x.home, "logs", "hears.lua.log"),
					fmt.Sprintf("%s has %d\n", c.name, 1+version)
				eventually(t, text, func() bool {
					b, _ := os.ReadFile(log)
					return strings.Contains(string(b), text)
				})
			}
			refused := func(n int, want bool) {
				t.Helper()
				write(t, filepath.Join(x.dir, fmt.Sprintf("go%d", n)), "")
				x.waitStep(n + 1)
				_, err := os.Stat(filepath.Join(x.dir, fmt.Sprintf("ran%d", n)))
				if refused := err != nil; refused != want {
					t.Fatalf("step %d: refused %v, want %v\n%s", n, refused, want, x.screen())
				}
			}
			x.waitStep(0)
			refused(0, false) // no guard yet, and no folder of scripts
			source := filepath.Join(t.TempDir(), "source")
			write(t, source, guard("alpha"))
			x.run(fmt.Sprintf("mkdir -p %s && vim -es -u NONE -c 'saveas %s' -c q %s",
				filepath.Dir(x.script(c.name)), x.script(c.name), source))
			inForce()
			refused(1, true) // saved from vim into a new folder
			write(t, source, guard("gamma"))
			x.run(fmt.Sprintf("mv %s %s", source, x.script(c.name)))
			inForce()
			refused(2, false) // replaced by mv, with another rule
			write(t, x.script(c.name), guard("beta"))
			inForce()
			refused(3, true) // edited in place
			write(t, x.script(c.name), guard("gamma")+c.broken)
			x.wait(regexp.QuoteMeta(c.name) + `:4`)
			refused(4, true) // broken: the last good version stays
			x.run(fmt.Sprintf("vim -es -u NONE -c '$d' -c 'wq' %s", x.script(c.name)))
			inForce()
			refused(5, false) // repaired
			write(t, x.script(c.name), guard("alpha"))
			inForce()
			refused(6, true)
			x.wait("refused by " + regexp.QuoteMeta(c.name) + ": no alpha")
			x.sendKeys("", "Escape")
			x.wait("interrupted")
			os.Remove(x.script(c.name))
			x.wait("removed: it no longer runs") // because a tool cannot have removed it
			x.submit("run echo alpha; touch free")
			eventually(t, "the deleted guard is gone", func() bool {
				_, err := os.Stat(filepath.Join(x.dir, "free"))
				return err == nil
			})
			x.quit()
			x.wait("To continue: agent -c")
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// quit ends the program with /quit and checks that the terminal is restored.
func (x *console) quit() {
	x.t.Helper()
	x.sendKeys("/quit", "Enter")
	x.wait("EXIT 0")
	x.sameModes()
}

// sameModes checks that the terminal's modes are the same as before the program. It ignores the
// size, which may change at any time.
func (x *console) sameModes() {
	x.t.Helper()
	eventually(x.t, "stty",
		func() bool {
			info, err := os.Stat(filepath.Join(x.dir, "after"))
			return err == nil &&
				info.Size() > 0
		})
	before, _ := os.ReadFile(filepath.Join(x.dir, "before"))
	after, _ := os.ReadFile(filepath.Join(x.dir, "after"))
	if len(before) == 0 || string(before) != string(after) {
		x.t.Errorf("terminal modes before:\n%s\nafter:\n%s", before, after)
	}
}
