package tui

import "testing"

// TestShortcuts checks that a script's key runs its function, that dialogs, panels and ctrl+c have
// priority, and that /help lists the key.
func TestShortcuts(t *testing.T) {
	ran := 0
	s := newStage(t, Backend{Shortcut: func(key string) func() {
		if key != "ctrl+t" {
			return nil
		}
		return func() { ran++ }
	}, Shortcuts: func() []Shortcut {
		return []Shortcut{
			{"ctrl+t", "Runs\x1b[2J the tests\nand", "test.lua"}}
	}}, 100, 40)
	run(s.press("ctrl+t"))
	run(s.press("ctrl+o"))
	if ran != 1 {
		t.Errorf("it ran %d times", ran)
	}
	s.typeText("/help")
	s.press("enter")
	s.has("ctrl+t Runs the tests (test.lua)", "/quit")
}
