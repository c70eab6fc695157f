package tui

import (
	"errors"
	"strings"
	"testing"
)

// TestShortcuts checks that a script's key runs its function, that dialogs, panels and ctrl+c have
// priority, and that /help lists the key.
func TestShortcuts(t *testing.T) {
	t.Parallel()
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

// TestKeysOfUser checks that a key of the user does what it was given, that the key that it
// replaces does nothing, and that the help and /keys say so.
func TestKeysOfUser(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{Shortcut: func(key string) func() {
		if key == "alt+s" {
			return func() { t.Error("the shortcut of a script took the key of the user") }
		}
		return nil
	}, Shortcuts: func() []Shortcut {
		return []Shortcut{{"alt+x", "marks | it", "x.lua"}}
	}}, 100, 60)
	u := &UI{model: s.model}
	problems := u.Configure(Settings{Keys: []Binding{
		{Action: "search", Keys: []string{"alt+s"}, Where: "config.toml:3"},
		{Action: "undo", Keys: []string{"x"}, Where: "config.toml:4"}}})
	want := "config.toml:4: keys: undo: x is text"
	if len(problems) != 1 || !strings.HasPrefix(problems[0], want) {
		t.Errorf("got problems %q", problems)
	}
	s.press("ctrl+f")
	s.lacks("Search")
	run(s.press("alt+s"))
	if !s.selection.search.open {
		t.Error("alt+s does not search")
	}
	s.press("esc")
	s.typeText("/help")
	s.press("enter")
	s.has("alt+s searches the conversation", "alt+x marks")
	s.lacks("ctrl+f")
	s.typeText("/keys")
	s.press("enter")
	s.has("search           │ alt+s", "config.toml:3", "marks | it", "x.lua", "[keys]")
}

// TestHelpPages checks that /help lists the pages of the documents, and shows one that is named.
func TestHelpPages(t *testing.T) {
	s := newStage(t, Backend{Pages: func() []string { return []string{"sandbox", "trust"} },
		Page: func(name string) (string, error) {
			if name != "trust" {
				return "", errors.New("there is no page " + name)
			}
			return "# Trust\n\nIt is for **bytes**.", nil
		}}, 80, 40)
	s.typeText("/help")
	s.sendsNothing()
	s.has("Pages (/help NAME shows one)", "sandbox, trust")
	if help := s.commands.help(); !strings.Contains(help, "- `ctrl+k` kills the rest") {
		t.Errorf("keys are not set off from the text:\n%s", help)
	}
	s.typeText("/help trust")
	s.sendsNothing()
	s.has("It is for bytes.")
	s.typeText("/help nowhere")
	s.sendsNothing()
	s.has("there is no page nowhere")
}

// TestHelpFromItsBeginning checks that a page which is higher than the screen is shown from its
// first line, in both layouts, and that its paragraphs are as wide as the screen.
func TestHelpFromItsBeginning(t *testing.T) {
	page := "# Trust\n\nThese words are\nbroken at a column.\n\n" +
		strings.Repeat("More.\n\n", 50) + "The end."
	backend := Backend{Page: func(string) (string, error) { return page, nil }}
	for _, inline := range []bool{false, true} {
		s := newStage(t, backend, 60, 20)
		if inline {
			s.inlineOn(&scrollback{})
		}
		s.send("say", fields{"markdown": "before"})
		s.typeText("/help trust")
		s.sendsNothing()
		s.has("══ Trust", "These words are broken at a column.")
		s.lacks("The end.", "before")
		s.press("ctrl+end")
		s.has("The end.")
	}
}
