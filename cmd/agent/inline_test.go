package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// scrollback returns all lines of the terminal, with wrapped lines joined, without the empty ones
// at its end.
func (x *console) scrollback() string {
	x.t.Helper()
	lines := strings.Split(x.tmux("capture-pane", "-p", "-J", "-S", "-"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// sameScrollback checks that the terminal has the same lines as before, once it is at rest.
func (x *console) sameScrollback(before, after string) {
	x.t.Helper()
	now := ""
	for end := time.Now().Add(freshTime); time.Now().Before(end); time.Sleep(
		50 * time.Millisecond) {
		if now = x.scrollback(); now == before {
			return
		}
	}
	x.t.Errorf("after %s the lines are\n%s\nwant\n%s", after, now, before)
}

// TestScrollback checks that what is printed stays in the terminal as it is: when its size changes,
// when something takes the whole screen, and after the end.
func TestScrollback(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "--model offline --yolo -e end.lua")
	for _, word := range []string{"alpha", "beta"} {
		x.submit("say " + strings.Repeat(word+" and a few more words, so that the line is long "+
			"enough to be wrapped if the terminal is narrow\\n\\n", 15))
		x.wait("(?m)^◇ " + word)
		x.waitIdle()
	}
	x.submit("run seq 100")
	eventually(t, "the output is printed", func() bool {
		return strings.Contains(x.scrollback(), "more lines (ctrl+o shows them)")
	})
	x.waitIdle()
	x.stableScreen()
	before := x.scrollback()
	if strings.Count(before, "alpha and") != 15 {
		t.Fatalf("the lines are\n%s", before)
	}
	for range 3 {
		for _, size := range [][2]int{{60, 30}, {150, 20}, {110, 40}} {
			x.resize(size[0], size[1])
			x.waitWidth(size[0])
		}
	}
	x.sameScrollback(before, "resizes")
	x.sendKeys("", "C-o")
	x.wait("the whole conversation")
	x.sendKeys("", "Escape")
	x.sameScrollback(before, "ctrl+o")
	x.sendKeys("/scripts", "Enter")
	x.waitForFocus("end.lua")
	x.sendKeys("", "Escape")
	x.sameScrollback(before, "/scripts")
	x.quit()
	printed := strings.TrimRight(before[:strings.LastIndex(before, "\n───")], "\n")
	if all := x.scrollback(); !strings.HasPrefix(all, printed+"\nSession cost") {
		t.Errorf("after the end the lines are\n%s\nwant\n%s", all, before)
	}
}

// counting is a provider that streams numbered lines.
const counting = `-- ==Agent==
-- @grant provider
-- ==/Agent==
ext.provider{ name = "count", models = { { id = "m", price = { input = 0, output = 0 } } }, stream = function(req, emit)
  for i = 0, 149 do
    emit{ text = "item " .. i .. " of the answer\n\n" }
    ext.sleep(0.03)
  end
  return { finish_reason = "stop" }
end }
`

// TestScrollbackWhileStreaming changes the size of the terminal again and again while the model
// streams: the answer must be printed whole, once, and nothing of the live lines may stay.
func TestScrollbackWhileStreaming(t *testing.T) {
	t.Parallel()
	x := newTerminal(t)
	write(t, filepath.Join(x.dir, "count.lua"), counting)
	x.start("--model count/m -e count.lua")
	for round := 1; round <= 2; round++ { // the second one on a full screen
		x.submit("go")
		x.wait(`(?s)item \d.*working`)
		for i, size := range [][2]int{{90, 30}, {70, 40}, {109, 25}, {80, 38}, {110, 40}} {
			if round > 1 {
				x.resize(size[0], size[1])
			}
			// some lines later, or at the end
			x.wait(fmt.Sprintf(`item (%d\d|[%d-9]\d|1\d\d) of`, 2+i, 2+i))
		}
		x.wait("(?s)item 149 of the answer.*Ask, or type")
		x.waitIdle()
	}
	x.stableScreen()
	all := x.scrollback()
	found := regexp.MustCompile(`(?m)^(?:◇| ) item (\d+) of`).FindAllStringSubmatch(all, -1)
	for i, f := range found {
		if f[1] != fmt.Sprint(i%150) {
			t.Errorf("line %d is item %s:\n%s", i, f[1], all)
			break
		}
	}
	if n := len(found); n != 300 {
		t.Errorf("%d lines of 300:\n%s", n, all)
	}
	for _, live := range []string{"working", "printed when"} {
		if strings.Contains(all, live) {
			t.Errorf("%q stays in\n%s", live, all)
		}
	}
	x.quit()
}
