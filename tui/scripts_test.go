package tui

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/tui/internal/cells"
)

// someScripts returns a script in each state.
func someScripts(now time.Time) []Script {
	return []Script{
		{Name: "guard.lua", Path: "/home/.agent/scripts/guard.lua", Source: "user",
			Summary: "nothing is deleted for good", State: ScriptLive, Guards: true,
			Since:  now.Add(-time.Hour),
			Grants: []string{"runs the program trash (line 2: exec:trash)"},
			Handlers: []ScriptPart{{Text: "guard bash", Line: 4},
				{Text: "on tool_end", Line: 9}},
			Commands: []string{"trash"}, Calls: 120, Errors: 1, P50: 180 * time.Microsecond,
			P99: 3100 * time.Microsecond},
		{Name: "ci.js", Path: "/home/.agent/scripts/ci.js", Source: "user", State: ScriptKept,
			Since: now.Add(-48 * time.Hour), Calls: 3, P50: time.Millisecond,
			P99:     12 * time.Millisecond,
			Problem: "ci.js:3:5: unexpected token\n  >    3 |   ext.on(\n              ^", Line: 3,
			Notes: []string{"the last good version is in force"}},
		{Name: "flaky.lua", Path: "/p/flaky.lua", Source: "project", State: ScriptBroken,
			Since: now, Guards: true,
			Handlers: []ScriptPart{{Text: "guard *", Line: 7, Broken: true}}},
		{Name: "none.lua", Path: "/p/none.lua", Source: "project", State: ScriptFailed},
		{Name: "off.lua", Path: "/s/off.lua", Source: "user", State: ScriptDisabled, Guards: true},
		{Name: "new.lua", Path: "/p/new.lua", Source: "project", State: ScriptUntrusted},
		{Name: "next.lua", Path: "/p/next.lua", Source: "project", State: ScriptWaiting},
		{Name: "all.lua", Path: "/etc/all.lua", Source: "managed", State: ScriptLive, Fixed: true},
	}
}

// openScripts opens the panel, as /scripts does.
func openScripts(s *stage) {
	s.t.Helper()
	s.typeText("/scripts")
	s.deliver(s.press("enter"))
	s.has("── scripts")
}

// deliver gives the model the results of a command.
func (s *stage) deliver(cmd tea.Cmd) {
	for _, msg := range run(cmd) {
		s.Update(msg)
	}
}

// playScripts opens the panel with scripts in each state.
func playScripts(s *stage) {
	s.backend.Scripts = func() ([]Script, string) {
		return someScripts(s.clock.UTC()), "Sandbox: landlock"
	}
	s.backend.ScriptPast = func(string, bool) ScriptPast {
		return ScriptPast{Decisions: []string{"2026-11-28 12:00:01 c1 bash: refused"}}
	}
	openScripts(s)
}

func TestScriptsPanelLooks(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 140} {
		s := newStage(t, Backend{}, width, 24)
		playScripts(s)
		s.golden(fmt.Sprint("scripts-", width))
		s.deliver(s.press("enter"))
		s.golden(fmt.Sprint("scripts-open-", width))
	}
}

// TestScriptsPanelKeys checks what each key of the panel does.
func TestScriptsPanelKeys(t *testing.T) {
	t.Parallel()
	var called []string
	say := func(format string, args ...any) {
		called = append(called, fmt.Sprintf(format, args...))
	}
	s := newStage(t, Backend{}, 100, 20)
	now := s.clock
	s.backend.Scripts = func() ([]Script, string) { return someScripts(now), "" }
	s.backend.Reload = func() { say("reload") }
	s.backend.EnableScript = func(path string, on bool) error {
		say("%s %v", path, on)
		return errors.New("the list is\nbroken")
	}
	s.backend.ScriptPast = func(path string, log bool) ScriptPast {
		return ScriptPast{Log: []string{fmt.Sprintf("log of %s %v", path, log)}}
	}
	s.backend.Editor = func(path string, line int) (*exec.Cmd, error) {
		say("edit %s:%d", path, line)
		return nil, errors.New("no editor")
	}
	openScripts(s)
	s.deliver(s.press("d")) // a guard: asks first
	s.has("d again disables it")
	s.deliver(s.press("down"))
	s.lacks("d again")
	s.deliver(s.press("d")) // not a guard
	s.has("the list is broken")
	s.deliver(s.press("up", "d"))
	s.deliver(s.press("d"))
	s.deliver(s.press("r"))
	s.deliver(s.press("down", "e"))
	s.has("no editor")
	s.deliver(s.press("end", "d"))
	s.has("all.lua cannot be disabled")
	s.press("up", "up", "up") // off.lua
	s.deliver(s.press("d"))
	s.press("home")
	s.deliver(s.press("l"))
	s.has("log of guard.lua", "log of /home/.agent/scripts/guard.lua true")
	s.deliver(s.press("d")) // the log does not name this key
	s.lacks("d again")
	s.press("esc")
	s.lacks("log of guard.lua")
	s.has("── scripts")
	s.press("esc")
	s.has("Ask, or type")
	want := "[/home/.agent/scripts/ci.js false /home/.agent/scripts/guard.lua false reload " +
		"edit /home/.agent/scripts/ci.js:3 /s/off.lua true]"
	if got := fmt.Sprint(called); got != want {
		t.Errorf("called %s, want %s", got, want)
	}
}

// TestScriptsPanelFollows checks that the panel shows new states and the last failure, and that a
// question comes before it.
func TestScriptsPanelFollows(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 100, 24)
	list := someScripts(s.clock)[:1]
	s.backend.Scripts = func() ([]Script, string) { return list, "" }
	openScripts(s)
	list[0].State = ScriptKept
	s.deliver(s.send("script_error", fields{"script": "guard.lua", "path": list[0].Path,
		"handler": "guard", "file": "guard.lua", "line": 4, "message": "boom \x1b[31m",
		"excerpt": "> 4 | error()", "kept_previous": false}))
	s.has("kept previous")
	s.deliver(s.press("enter"))
	s.has("last error", "boom", "> 4 | error()")
}

// TestScriptsPanelFitsAnySize checks many scripts with strange names on screens of all sizes: each
// line fits, nothing controls the terminal, and the current script is visible.
func TestScriptsPanelFitsAnySize(t *testing.T) {
	t.Parallel()
	var list []Script
	for i := range 200 {
		list = append(list, Script{Name: fmt.Sprintf("s%d\n\x1b[2J\u202e漢字.lua", i),
			Path: fmt.Sprint("/s/\x1b]0;x\a\n", i), Source: "user", State: ScriptLive,
			Summary: "a\n\x1b[31mb", Grants: []string{"x\ny"}, Commands: []string{"a\nb"},
			Problem: "bad \x1b[2J\n  >  3 | x\xff", Calls: i})
	}
	for _, size := range [][2]int{{1, 1}, {5, 2}, {20, 5}, {40, 12}, {100, 40}, {500, 200}} {
		s := newStage(t, Backend{}, size[0], size[1])
		s.backend.Scripts = func() ([]Script, string) { return list, "foot" }
		s.typeText("/scripts")
		s.deliver(s.press("enter"))
		for range 120 {
			s.press("down")
		}
		s.deliver(s.press("enter"))
		s.press("pgdown", "pgup", "down")
		lines := strings.Split(s.text(), "\n")
		if len(lines) > size[1] {
			t.Errorf("%v: %d lines", size, len(lines))
		}
		for _, l := range lines {
			if cells.Width(l) > size[0] || strings.ContainsAny(l, "\x1b\a\u202e") {
				t.Errorf("%v: bad line %q", size, l)
			}
		}
		if size[0] >= 40 && !strings.Contains(s.text(), "s121") {
			t.Errorf("%v: the current script is not visible:\n%s", size, s.text())
		}
	}
}

// TestDisabledGuardIsInTheStatus checks that a disabled guard is named there.
func TestDisabledGuardIsInTheStatus(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{State: func() State { return State{Disabled: []string{"guard.lua"}} }},
		80, 20)
	s.state.stale = true
	s.deliver(s.state.refresh())
	s.has("✗ NOT GUARDED, disabled: guard.lua")
}

// TestErrorIsToldAboveAPanel checks that an error is in the conversation alone, and also above
// a panel that hides the conversation.
func TestErrorIsToldAboveAPanel(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.send("script_error", fields{"script": "a.lua", "handler": "load", "message": "seen"})
	s.send("notification", fields{"level": "error", "message": "not installed", "source": "agent"})
	s.has("✗ not installed")
	if len(s.model.toasts.list) > 0 {
		t.Errorf("told twice: %v", s.model.toasts.list)
	}
	playScripts(s)
	s.send("notification", fields{"level": "warn", "message": "not seen", "source": "agent"})
	s.has("── ! not seen ──")
	s.send("script_error", fields{"script": "a.lua", "handler": "load", "message": "hidden"})
	s.has("── ✗ hidden ──")
}
