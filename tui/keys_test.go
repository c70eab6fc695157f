package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/ui"
)

// TestEscTwiceGoesBack checks that two presses of esc in an empty editor list the prompts, and that
// nothing else does.
func TestEscTwiceGoesBack(t *testing.T) {
	wait := func(d time.Duration) func(s *stage) { return func(s *stage) { s.advance(d) } }
	nothing := func(*stage) {}
	for name, test := range map[string]struct {
		before, between func(s *stage)
		first, second   string
		want            bool
	}{
		"twice":     {nothing, nothing, "esc", "esc", true},
		"at once":   {nothing, nothing, "a backspace", "alt+esc", true},
		"too late":  {nothing, wait(escWithin + 1), "esc", "esc", false},
		"text":      {func(s *stage) { s.typeText("draft") }, nothing, "esc", "esc", false},
		"typed":     {nothing, func(s *stage) { s.press("a", "backspace") }, "esc", "esc", false},
		"a run":     {func(s *stage) { s.send("agent_start", nil) }, nothing, "esc", "esc", false},
		"interrupt": {nothing, nothing, "ctrl+c", "esc", false},
	} {
		t.Run(name, func(t *testing.T) {
			asked := ""
			s := newStage(t, Backend{Choices: func(command string) (string, []ui.Choice) {
				asked = command
				return "Go back", []ui.Choice{{Label: "fix the tests", Value: "e1 before"}}
			}}, 60, 20)
			s.Update(commandsMsg{{Name: "fork", Picks: true}})
			test.before(s)
			for _, key := range strings.Fields(test.first) {
				run(s.press(key))
			}
			test.between(s)
			for _, msg := range run(s.press(test.second)) {
				s.Update(msg)
			}
			if (asked == "fork") != test.want {
				t.Fatalf("asked for the choices of %q", asked)
			}
			if !test.want {
				return
			}
			s.has("Go back", "› fix the tests")
			s.press("enter")
			if got := <-s.work.submits; got.text != "/fork e1 before" {
				t.Errorf("submitted %q", got.text)
			}
		})
	}
}
