//go:build linux && !race

// This file runs scripts that could hang or crash the program, in a child process whose memory the
// kernel limits.

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/long"
)

const (
	// childMemory is the limit of a child's data segment in KiB, as ulimit -d counts it:
	// RLIMIT_DATA. The kernel enforces it when memory is mapped, so that one huge allocation ends
	// the child at once. (RLIMIT_AS does not work, because Go reserves much address space that it
	// never uses.) It includes memory that was mapped and never touched, and Go never unmaps
	// memory, so it must hold the scripts, the garbage of earlier bombs, the 128 MB that one script
	// may use, and what it allocates until it is stopped.
	childMemory = 2 << 20
	// childPeak is the largest allowed resident size of the child, in MB (VmHWM).
	childPeak = 1 << 10
)

// bombs are the scripts of testdata/bombs/LANGUAGE.txt, one per line.
type bombs struct {
	stopped  []string // by the watchdog
	ends     []string // by themselves, with an error
	harmless []string
}

func readBombs(t *testing.T, lang string) (b bombs) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "bombs", lang+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(strings.TrimSpace(string(text)), "\n\n")
	for i, list := range []*[]string{&b.stopped, &b.ends, &b.harmless} {
		lines := strings.Split(parts[i], "\n")
		*list = lines[1:] // the first one is a comment
	}
	return b
}

// bombForms are the places where a script runs a bomb: %[1]d is its number, %[2]s its text. Those
// at the top level of a file declare their guard in the header.
var bombForms = map[string]map[string]string{
	"lua": {
		"guard": "ext.guard({ tool = \"target%[1]d\", timeout = 0.1 }, function(ev)\n%[2]s\nend)\n",
		"tool": "ext.tool{ name = \"tool%[1]d\", description = \"x\", schema = {}, " +
			"timeout = 0.4, run = function()\n%[2]s\nend }\n",
		"command": "ext.command{ name = \"command%[1]d\", run = function()\n%[2]s\nend }\n",
		"load":    "-- ==Agent==\n-- @guards target%[1]d\n-- ==/Agent==\n%[2]s\n",
		"target": "ext.tool{ name = \"target%[1]d\", description = \"x\", schema = {}, " +
			"run = function() return \"THE TARGET RAN\" end }\n",
		"neighbour": "ext.guard({ tool = \"target0\" }, function() " +
			"return { block = true, reason = \"says the neighbour\" } end)\n",
	},
	"js": {
		"guard": "ext.guard({ tool: \"target%[1]d\", timeout: 0.1 }, (ev) => {\n%[2]s\n});\n",
		"tool": "ext.tool({ name: \"tool%[1]d\", description: \"x\", schema: {}, " +
			"timeout: 0.4, run: () => {\n%[2]s\n} });\n",
		"command": "ext.command({ name: \"command%[1]d\", run: () => {\n%[2]s\n} });\n",
		"load": "// ==Agent==\n// @guards target%[1]d\n// ==/Agent==\n" +
			"export default () => {\n%[2]s\n};\n",
		"target": "ext.tool({ name: \"target%[1]d\", description: \"x\", schema: {}, " +
			"run: () => \"THE TARGET RAN\" });\n",
		"neighbour": "ext.guard({ tool: \"target0\" }, () => " +
			"({ block: true, reason: \"says the neighbour\" }));\n",
	},
}

// child is the program in a process with limited memory.
type child struct {
	*client
	cmd          *exec.Cmd
	peak         int // the largest resident size so far, in MB
	messagesRead int // messages that failures has read
	gone         chan struct{}
}

// newChild starts the program with scripts and waits until it has loaded them.
func newChild(t *testing.T, files map[string]string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "agent")
	if err := os.Symlink(self, name); err != nil {
		t.Fatal(err)
	}
	c := &child{client: newClient(t, files)}
	c.cmd = exec.Command("sh", "-c", fmt.Sprintf("ulimit -d %d && exec \"$0\" rpc --yolo "+
		"--model offline/offline", childMemory), name)
	c.cmd.Dir, c.cmd.Stderr = c.dir, &c.err
	c.cmd.Env = append(os.Environ(), "AGENT_HOME="+c.home, "HOME="+c.home)
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.cmd.Process.Kill(); c.cmd.Wait() })
	c.gone = make(chan struct{})
	go func() {
		defer close(c.gone)
		lines := bufio.NewScanner(out)
		for lines.Buffer(nil, 64<<20); lines.Scan(); {
			c.addMessage(append(lines.Bytes(), '\n'))
		}
	}()
	c.write = in
	c.call("initialize", map[string]any{"protocol": 1, "client": map[string]any{"name": "test"},
		"events": []string{"script_error"}})
	return c
}

// runBomb sends a prompt and returns its response, and the errors of scripts meanwhile.
func (c *child) runBomb(what, prompt string) (response string, errors []string) {
	c.t.Helper()
	id := c.prompt(prompt)
	looked := c.messagesRead // the prompt ends after all that was read before it began
	for end := time.Now().Add(driveTime); ; time.Sleep(time.Millisecond) {
		m, at := c.find(looked, func(m message) bool {
			looked++
			return m.text("method") == "prompt.end" && m.params().text("id") == id
		})
		if at >= 0 {
			response = m.params().text("response")
			break
		}
		select {
		case <-c.gone:
			c.t.Fatalf("%s: the program ended: %.3000s", what, c.err.String())
		default:
		}
		if time.Now().After(end) {
			c.t.Fatalf("%s: the prompt does not end", what)
		}
	}
	errors = c.failures()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		c.t.Fatalf("%s: the program has ended: %s", what, c.err.String())
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int
	fmt.Sscan(rest, &kilobytes)
	if now := kilobytes >> 10; now > c.peak {
		if now > c.peak+100 {
			c.t.Logf("%s: %d MB", what, now)
		}
		c.peak = now
	}
	if c.peak > childPeak {
		c.t.Fatalf("%s: the program held %d MB", what, c.peak)
	}
	return response, errors
}

// failures returns the script errors since the last call, as file:line: message.
func (c *child) failures() (list []string) {
	for {
		m, at := c.find(c.messagesRead, func(m message) bool { return m.event() == "script_error" })
		if at < 0 {
			return list
		}
		c.messagesRead = at + 1
		p := m.params()
		list = append(list, fmt.Sprintf("%s:%v: %.200s", p["script"], p["line"], p["message"]))
	}
}

// placedBomb is a bomb and the form that its script uses.
type placedBomb struct{ body, form string }

// assignForms assigns the forms to the bombs in turn.
func assignForms(list []string, forms ...string) (out []placedBomb) {
	for i, body := range list {
		out = append(out, placedBomb{body, forms[i%len(forms)]})
	}
	return out
}

// TestBombsInAChild runs bombs in guards, tools, commands and at the top level of files. It checks
// that the program survives within its memory, names the script and line, lets no call of a bombed
// guard through, and that the other scripts answer as before. Everyday runs take each fifth bomb,
// in all forms: the forms change from one bomb to the next.
func TestBombsInAChild(t *testing.T) {
	t.Parallel()
	for _, lang := range languages {
		b := readBombs(t, lang)
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			all := assignForms(b.ends, "guard", "tool", "command", "load")
			all = append(all, assignForms(b.harmless, "harmless")...)
			for list := range slices.Chunk(long.Every(5, all), 60) {
				runBombs(t, lang, list)
			}
			// these use their whole time limit: 0.1 s, 0.4 s, 1 s, 2 s
			slow := assignForms(b.stopped, "guard")
			for _, form := range []string{"tool", "load", "command"} {
				slow = append(slow, placedBomb{b.stopped[0], form})
			}
			// each leaves up to 200 MB of garbage
			for list := range slices.Chunk(long.Every(5, slow), 8) {
				runBombs(t, lang, list)
			}
		})
	}
}

// startBombs starts a child with a script for each bomb, and their neighbour.
func startBombs(t *testing.T, lang string, list []placedBomb) *child {
	t.Helper()
	forms := bombForms[lang]
	neighbour := forms["neighbour"] + fmt.Sprintf(forms["target"], 0)
	files := map[string]string{}
	for i, p := range list {
		form := p.form
		if form == "harmless" {
			form = "command"
		}
		files[fmt.Sprintf("bomb%d.%s", i+1, lang)] = fmt.Sprintf(forms[form], i+1, p.body)
		neighbour += fmt.Sprintf(forms["target"], i+1)
	}
	files["neighbour."+lang] = neighbour
	return newChild(t, files)
}

// prompt returns the prompt that runs bomb n.
func (p placedBomb) prompt(n int) string {
	switch p.form {
	case "command", "harmless":
		return fmt.Sprintf("/command%d", n)
	case "tool":
		return fmt.Sprintf("call tool%d {}", n)
	}
	return fmt.Sprintf("call target%d {}", n)
}

func runBombs(t *testing.T, lang string, list []placedBomb) {
	c := startBombs(t, lang, list)
	atStart := c.failures()
	for i, p := range list {
		fail := func(format string, args ...any) {
			t.Helper()
			t.Errorf("%s: %s\n"+format, append([]any{p.form, p.body}, args...)...)
		}
		name := fmt.Sprintf("bomb%d.%s", i+1, lang)
		response, errs := c.runBomb(p.form+": "+p.body, p.prompt(i+1))
		if p.form == "load" {
			errs = atStart
		}
		named := slices.ContainsFunc(errs, func(e string) bool {
			return strings.HasPrefix(e, name+":") && !strings.HasPrefix(e, name+":0:")
		})
		guards := p.form == "guard" || p.form == "load"
		slow := !slices.ContainsFunc(errs, func(e string) bool { // on a busy machine
			return !strings.Contains(e, "used up its script time")
		})
		switch {
		case p.form == "harmless" && !slow:
			fail("it failed: %q", errs)
		case p.form != "harmless" && !named:
			fail("no error names %s and a line: %.1000q", name, errs)
		case guards && (strings.Contains(response, "THE TARGET RAN") ||
			!strings.Contains(response, "refused")):
			fail("the call was not refused: %.300s", response)
		}
		if r, _ := c.runBomb("neighbour", "call target0 {}"); !strings.Contains(r,
			"says the neighbour") {
			fail("afterwards the neighbour: %.300s", r)
		}
	}
	c.quit()
}

// quit ends the child's session and waits for it to exit.
func (c *child) quit() {
	c.t.Helper()
	c.call("shutdown", map[string]any{})
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("the program ended with %v: %.2000s", err, c.err.String())
	}
	c.t.Logf("%v of CPU, at most %d MB", c.cmd.ProcessState.UserTime()+
		c.cmd.ProcessState.SystemTime(), c.peak)
}
