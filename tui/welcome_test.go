package tui

import (
	"errors"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// greeter is a backend that offers scripts; added lists those that the user has added.
func greeter(added *[]string) Backend {
	facts := func() Welcome {
		w := Welcome{Model: "No model is set up: the offline model answers; set ANTHROPIC_API_KEY.",
			Folder: "/home/ada/.agent/scripts", Starters: []Starter{
				{Name: "careful", Summary: "Refuses rm -r, and asks before git discards work",
					Try: "!rm -r none"},
				{Name: "redact", Summary: "Masks keys and passwords everywhere", Try: "!echo a"}}}
		for _, file := range *added {
			if file == "careful.lua" {
				w.Starters[0].File = file
			}
		}
		return w
	}
	return Backend{Welcome: facts, AddStarter: func(file string) (string, error) {
		*added = append(*added, file)
		if file != "careful.lua" {
			return "", errors.New("disk full\x1b[31m")
		}
		return file + " is in force.", nil
	}}
}

// openWelcome opens the panel as the first start does, and waits until it takes keys.
func openWelcome(s *stage) {
	s.t.Helper()
	s.Update(greetMsg{facts: s.backend.Welcome(), opens: true})
	s.advance(2 * time.Second)
	s.has("── welcome")
}

func TestWelcomeLooks(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 140} {
		var added []string
		s := newStage(t, greeter(&added), width, 24)
		openWelcome(s)
		s.golden(fmt.Sprint("welcome-", width))
		s.deliver(s.press("1"))
		s.deliver(s.press("tab"))
		s.deliver(s.press("2"))
		s.golden(fmt.Sprint("welcome-added-", width))
	}
	var added []string
	s := newStage(t, greeter(&added), 40, 8)
	openWelcome(s)
	s.has("Enter: begin") // the last line of a low screen
}

// TestWelcomeKeys checks that keys add scripts, and that a prompt that is just begun is not lost.
func TestWelcomeKeys(t *testing.T) {
	t.Parallel()
	var added []string
	s := newStage(t, greeter(&added), 100, 30)
	openWelcome(s)
	s.press("9") // there is no such script: it begins a prompt
	s.lacks("── welcome")
	s.has("› 9")
	s.press("backspace")

	openWelcome(s)
	s.press("p")
	s.press("q")
	s.has("› pq")
	s.press("ctrl+u")

	openWelcome(s)
	s.Update(tea.PasteMsg{Content: "pasted"})
	s.lacks("── welcome")
	s.has("› pasted")
	s.press("ctrl+u")

	openWelcome(s)
	s.deliver(s.press("1"))
	s.has("careful.lua is in force.")
	s.deliver(s.press("1"))
	s.has("careful.lua is in force already")
	s.deliver(s.press("2"))
	s.has("disk full")
	if got := fmt.Sprint(added); got != "[careful.lua redact.lua]" {
		t.Errorf("added %s", got)
	}
	s.deliver(s.press("1"))
	s.press("t")
	s.has("$ !rm -r none")
	s.lacks("── welcome")
	s.press("ctrl+u")

	openWelcome(s)
	if !quits(s.press("ctrl+d")) {
		t.Error("ctrl+d did not quit")
	}
	s.press("esc")

	s.typeText("/welcome")
	s.deliver(s.press("enter"))
	s.has("── welcome")
	s.press("esc") // the user asked for it, so it takes keys at once
	s.lacks("── welcome")
}

// TestWelcomeYields checks that the panel does not cover what a user writes, nor take its keys.
func TestWelcomeYields(t *testing.T) {
	t.Parallel()
	var added []string
	s := newStage(t, greeter(&added), 100, 30)
	s.typeText("version ")
	s.Update(greetMsg{facts: s.backend.Welcome(), opens: true})
	s.lacks("── welcome")
	s.press("ctrl+u")
	s.Update(greetMsg{facts: s.backend.Welcome(), opens: true})
	s.has("── welcome")
	s.typeText("12") // it has just opened
	s.lacks("── welcome")
	s.has("› 12")
	if len(added) > 0 {
		t.Errorf("typing added %q", added)
	}
}
