package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// streaming is a model that streams Markdown in small pieces for a few seconds, and then says that
// it is done.
const streaming = `-- ==Agent==
-- @grant provider
-- ==/Agent==
local parts = { "## Heading %d with *emphasis*\n\n", "| name | value | a longer column |\n|---|---|---|\n| a | %d | some text in here |\n| bb | 22 | <div> |\n\n",
  "~~~go\nfunc main() {\n\tfmt.Println(\"line %d\", \"a line of code that is wider than a narrow screen\")\n}\n~~~\n\n",
  "- item %d one\n- item two with **bold**\n\n", "Paragraph %d: the quick brown fox jumps over the lazy dog, again and again, until the line wraps.\n\n" }
ext.provider{ name = "storm", models = { { id = "m", price = { input = 0, output = 0 } } }, stream = function(request, emit)
  for i = 0, 39 do
    local text = parts[i % #parts + 1]:format(i)
    for at = 1, #text, 9 do
      emit{ text = text:sub(at, at + 8) }
      if at % 2 == 0 then ext.sleep(0.01) end
    end
  end
  emit{ text = "the storm is over" }
  return { finish_reason = "stop" }
end }
`

// freshTime is the timeout for a redraw. It is long because the machine may be busy.
const freshTime = 30 * time.Second

// TestResizeStorm resizes the terminal again and again while the model streams. In the end the
// screen must be the same as on a terminal that always had that size. The program is stopped during
// each resize, so that it often draws its next frame for the previous size.
func TestResizeStorm(t *testing.T) {
	t.Parallel()
	need(t, "pgrep")
	storms := uint64(4)
	if rounds.Masks(t) {
		storms = 2 // with the sizes of the first round
	}
	for seed := range storms {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			x := newTerminal(t)
			write(t, filepath.Join(x.dir, "storm.lua"), streaming)
			x.start("--model storm/m -e storm.lua --fullscreen")
			x.submit("go")
			x.wait("(?s)Heading.*working|the storm is over") // the stream may have ended
			program := x.pid()
			r := rand.New(rand.NewPCG(seed, 7))
			width, height := 0, 0
			for n := 0; n < 25 || !strings.Contains(x.rows(), "the storm is over"); n++ {
				width, height = 30+r.IntN(90), 10+r.IntN(35)
				x.resizeLate(program, width, height,
					time.Duration(20+r.IntN(80))*time.Millisecond)
				// resize at random times
				time.Sleep(time.Duration(r.IntN(60)) * time.Millisecond)
			}
			x.wait("(?s)the storm is over.*Ask") // the hint is shorter on narrow screens
			x.waitIdle()
			x.waitSize(width, height)
			drawn := x.stableScreen()
			x.redraw()
			fresh := ""
			for end := time.Now().Add(freshTime); fresh != drawn &&
				time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				fresh = x.rows()
			}
			if fresh != drawn {
				t.Errorf("after the storm:\n%s\nredrawn:\n%s", drawn, fresh)
			}
			x.quit()
		})
	}
}

// pid returns the id of the program's process. The process of the pane is the shell, and the
// program is its child.
func (x *console) pid() string {
	x.t.Helper()
	pane := strings.TrimSpace(x.tmux("display-message", "-p", "#{pane_pid}"))
	out, err := exec.Command("pgrep", "-P", pane).Output()
	if err != nil {
		x.t.Fatalf("pgrep -P %s: %v", pane, err)
	}
	return strings.TrimSpace(string(out))
}

// resizeLate resizes the terminal while the program is stopped for a while, so that its next frame
// may be drawn for the previous size.
func (x *console) resizeLate(program string, width, height int, late time.Duration) {
	x.t.Helper()
	x.run("kill -STOP " + program)
	x.resize(width, height)
	time.Sleep(late)
	x.run("kill -CONT " + program)
}

// stableScreen returns the screen when it has stopped changing.
func (x *console) stableScreen() (drawn string) {
	x.t.Helper()
	eventually(x.t, "the screen does not change", func() bool {
		before := drawn
		drawn = x.rows()
		time.Sleep(300 * time.Millisecond)
		return drawn == before
	})
	return drawn
}

// redraw clears the terminal, resets all its modes, and makes the program draw the screen, so that
// the result does not depend on what was drawn before.
func (x *console) redraw() {
	x.t.Helper()
	x.output("\x1b7\x1b[r\x1b[2J\x1b[Hempty\x1b8")
	x.wait("empty")
	x.sendKeys("", "C-l")
	eventually(x.t, "the screen is redrawn",
		func() bool { return !strings.Contains(x.rows(), "empty") })
}

// output writes to the terminal as if it came from the program.
func (x *console) output(text string) {
	x.t.Helper()
	tty, err := os.OpenFile(strings.TrimSpace(x.tmux("display-message", "-p", "#{pane_tty}")),
		os.O_WRONLY, 0)
	if err != nil {
		x.t.Fatal(err)
	}
	defer tty.Close()
	if _, err := tty.WriteString(text); err != nil {
		x.t.Fatal(err)
	}
}

func (x *console) resize(width, height int) {
	x.t.Helper()
	x.tmux("resize-window", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height))
}

// rows returns the rows of the screen unchanged.
func (x *console) rows() string {
	x.t.Helper()
	return x.tmux("capture-pane", "-p")
}

// waitSize waits until the program has drawn a full screen of this size, which it may do long after
// the resize on a busy machine: a rule is as wide as the screen, and the last row is used.
func (x *console) waitSize(width, height int) {
	x.t.Helper()
	x.waitWidth(width)
	eventually(x.t, "the last row of the screen is drawn", func() bool {
		rows := strings.Split(strings.TrimSuffix(x.rows(), "\n"), "\n")
		return len(rows) == height && strings.TrimSpace(rows[height-1]) != ""
	})
}

// waitWidth waits until a rule is as wide as the screen. Something may stand on it. Rows that the
// terminal wraps are one line, so that parts of a rule of another width do not count.
func (x *console) waitWidth(width int) {
	x.t.Helper()
	eventually(x.t, "a rule is as wide as the screen", func() bool {
		for line := range strings.Lines(x.screen()) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, "──") && strings.HasSuffix(line, "─") &&
				utf8.RuneCountInString(line) == width {
				return true
			}
		}
		return false
	})
}

// TestScreenIsRedrawn checks that ctrl+l and a resize redraw the whole screen: text of other
// programs, margins, and remains of a frame for another size disappear.
func TestScreenIsRedrawn(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "--yolo --fullscreen")
	for _, word := range []string{"alpha", "beta", "gamma"} {
		x.submit("say " + strings.Repeat(word+"\\n", 8))
		x.wait("(?m)^◇ " + word)
		x.waitIdle()
	}
	drawn := x.stableScreen()
	for name, mend := range map[string]func(){
		"ctrl+l": func() { x.sendKeys("", "C-l") },
		"a change of size": func() {
			x.resize(100, 30)
			x.waitWidth(100)
			x.resize(110, 40)
		},
	} {
		x.output("\x1b7\x1b[1;9r\x1b[5;5Hgarbage\x1b[38;1Hgarbage\x1b8")
		x.wait("garbage")
		mend()
		eventually(t, "after "+name+" the screen is as before",
			func() bool { return x.rows() == drawn })
	}
	x.quit()
}
