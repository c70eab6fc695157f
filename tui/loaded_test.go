package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/tui/internal/feed"
)

// load sends a script_load of a script in the user's folder.
func (s *stage) load(name, cause string, generation int) {
	s.settle(s.send("script_load", fields{"script": name, "path": "/s/" + name, "handlers": 2,
		"ms": 1.5, "cause": cause, "generation": generation}))
}

// loadFailed sends a script_error of a script whose last version stays.
func (s *stage) loadFailed(name string) {
	s.settle(s.send("script_error", fields{"script": name, "path": "/s/" + name,
		"handler": "load", "file": name, "line": 3, "message": "unexpected end",
		"kept_previous": true}))
}

// guardAndCommand describes versions with one guard, for bash, one redactor, one command
// and no tools.
func guardAndCommand(string, int) Registered {
	return Registered{Guards: []string{"bash"}, Masks: 1, Commands: 1}
}

// TestScriptsOfTheStartShareALine checks that up to three scripts have lines of their own, that
// more share one, and that failures among them keep theirs.
func TestScriptsOfTheStartShareALine(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{Registered: guardAndCommand}, 100, 24)
	for i := range 3 {
		s.load(fmt.Sprintf("a%d.lua", i), "start", i+1)
	}
	s.has("a0.lua loaded: 2 handlers, 1 redactor, 1 command, 1.5 ms", "a2.lua loaded")
	s.lacks("scripts loaded")
	s.loadFailed("broken.lua")
	for i := range 30 {
		s.load(fmt.Sprintf("b%d.lua", i), "start", i+4)
	}
	s.has("33 scripts loaded: 33 guards, 33 other handlers, 33 redactors, 33 commands, "+
		"50 ms",
		"broken.lua:3: unexpected end")
	s.lacks("a0.lua", "b1.lua")
	if n := strings.Count(s.text(), "loaded:"); n != 1 {
		t.Errorf("got %d lines about loads, want 1", n)
	}
	s.Update(feed.Batch{loadMsg(nil)}) // another session
	s.load("later.lua", "start", 40)
	s.has("later.lua loaded: 2 handlers")
}

// TestLaterLoads checks the words for a script that is new, saved, and removed and made again.
func TestLaterLoads(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{Registered: guardAndCommand}, 100, 24)
	const loaded, reloaded = "guard.lua loaded: 2 handlers, 1 redactor, 1 command, 1.5 ms",
		"guard.lua reloaded: 2 handlers, 1 redactor, 1 command, 1.5 ms"
	s.load("guard.lua", "save", 1)
	s.has(loaded)
	s.lacks(reloaded)
	s.load("guard.lua", "save", 2)
	s.has(reloaded)
	s.settle(s.send("script_unload", fields{"script": "guard.lua", "path": "/s/guard.lua",
		"cause": "removed"}))
	s.load("guard.lua", "save", 3)
	if n := strings.Count(s.text(), "· guard.lua loaded: 2"); n != 2 {
		t.Errorf("said %d times that it was loaded, want 2\n%s", n, s.text())
	}
}

// TestFailureNamesTheVersionThatStays checks the time of the version in force; at the start, it is
// not known how old that is.
func TestFailureNamesTheVersionThatStays(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 100, 30)
	at := s.clock.Format("15:04")
	s.load("old.lua", "start", 1)
	s.loadFailed("old.lua")
	s.has("the last good version of old.lua stays in force")
	s.send("session_start", fields{"cause": "startup"})
	s.load("guard.lua", "save", 2)
	s.advance(10 * time.Minute)
	s.loadFailed("guard.lua")
	s.has("the version of " + at + " stays in force")
	day := s.clock.Format(time.DateOnly)
	s.advance(48 * time.Hour)
	s.loadFailed("guard.lua")
	s.has("the version of " + day + " " + at + " stays in force")
}

// TestGuardSwitchedOff: a guard that its manifest has switched off is an error, as a removed one.
func TestGuardSwitchedOff(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{Registered: func(string, int) Registered {
		return Registered{Guards: []string{"bash"}}
	}}, 120, 24)
	s.load("a/m.json", "start", 1)
	s.send("script_unload", fields{"script": "a/m.json", "path": "/s/a/m.json", "cause": "off"})
	s.has("✗ a/m.json was switched off by its manifest: it no longer runs, and no longer guards " +
		"bash")
	s.has("hint: switch it on there, and it is in force again")
	if last := s.model.toasts.list[0]; last.level != "error" {
		t.Errorf("a toast of level %s, want error", last.level)
	}
}

// TestRemovedGuardIsAnError checks that a removed script that guarded or masked something is an
// error that says what, and that any other is a remark.
func TestRemovedGuardIsAnError(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]Registered{
		"runs, and no longer guards bash, edit":   {Guards: []string{"bash", "edit", "bash"}},
		"guards a b, and no longer masks secrets": {Guards: []string{"a\nb"}, Masks: 1},
		"runs, and no longer masks secrets":       {Masks: 2},
		"guards 1, 2, 3, 4, 2 more":               {Guards: []string{"1", "2", "3", "4", "5", "6"}},
		"x.lua removed: it no longer runs":        {Commands: 1},
	} {
		s := newStage(t, Backend{Registered: func(string, int) Registered { return r }}, 120, 24)
		s.load("x.lua", "start", 1)
		s.send("script_unload", fields{"script": "x.lua", "path": "/s/x.lua", "cause": "removed"})
		s.has(want)
		level, mark := "error", "✗ x.lua removed"
		if r.Commands > 0 {
			level, mark = "info", "· x.lua removed"
		}
		s.has(mark)
		if last := s.model.toasts.list[0]; last.level != level {
			t.Errorf("%s: a toast of level %s, want %s", want, last.level, level)
		}
	}
}

// TestVersionThatWaits checks that a version that waits for the user is not shown as a failure: in
// the conversation, in the status line and in the panel of scripts.
func TestVersionThatWaits(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{
		State: func() State { return State{Held: []string{"guard.lua"}} },
		Scripts: func() ([]Script, string) {
			return []Script{{Name: "guard.lua", State: ScriptWaiting, Problem: "it asks for more",
				Tools: []string{"a", "b"}}}, ""
		}}, 100, 24)
	s.settle(s.send("script_error", fields{"script": "guard.lua", "path": "/s/guard.lua",
		"handler": "load", "file": "guard.lua", "message": "asks for more", "waits": true}))
	s.has("… guard.lua: asks for more", "no version of guard.lua is in force", "… waits: guard.lua")
	s.lacks("✗")
	openScripts(s)
	s.has("commands  tools  calls", "… guard.lua  waiting ", "-      2      -")
	s.lacks("✗")
}

// TestWhatAGuardOfAllGuards checks that tools are not named besides all of them.
func TestWhatAGuardOfAllGuards(t *testing.T) {
	t.Parallel()
	if got := protects(Registered{Guards: []string{"bash", "any tool"}}); got != "guards any tool" {
		t.Errorf("got %q", got)
	}
}
