package tui

import (
	"slices"
	"strings"
	"testing"
)

// TestSlashCompletionIsFuzzy checks which commands are listed for a text, and that enter sends the
// highlighted one if the text is its beginning, or only completes the text if it needs arguments.
func TestSlashCompletionIsFuzzy(t *testing.T) {
	t.Parallel()
	all := []Command{{Name: "remodel"}, {Name: "model"}, {Name: "models"}, {Name: "mode"},
		{Name: "skill", Hint: "NAME [TASK]"}, {Name: "compact", Hint: "[INSTRUCTIONS]"}}
	for text, test := range map[string]struct {
		want []string
		sent string
		text string // what enter leaves in the editor
	}{
		"/mod":   {[]string{"model", "models", "mode", "remodel"}, "/model", ""},
		"/mdls":  {[]string{"models"}, "/mdls", ""},
		"/model": {[]string{"model", "models"}, "/model", ""},
		"/mode":  {[]string{"model", "models", "mode"}, "/mode", ""},
		"/odel":  {[]string{"model", "models", "remodel"}, "/odel", ""},
		"/zzz":   {nil, "/zzz", ""},
		"/sk":    {[]string{"skill"}, "", "/skill"},
		"/skill": {nil, "/skill", ""},
		"/comp":  {[]string{"compact"}, "/compact", ""},
		"/r":     {[]string{"reload", "remodel"}, "", ""}, // the screen does /reload itself
	} {
		t.Run(text[1:], func(t *testing.T) {
			s := newStage(t, Backend{}, 80, 20)
			s.Update(commandsMsg(all))
			s.typeText(text)
			var got []string
			for _, cmd := range s.editor.complete.matches {
				got = append(got, cmd.Name)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if test.sent == text && len(got) > 0 && !slices.Contains(got, text[1:]) {
				s.lacks("› /" + got[0]) // Enter does not mean it
			}
			if test.sent == "" {
				s.sendsNothing()
				s.has("› " + test.text)
			} else {
				s.sends(test.sent)
			}
		})
	}
}

// TestHighlightedCommandStays checks that commands which arrive late do not change what enter
// means.
func TestHighlightedCommandStays(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.Update(commandsMsg([]Command{{Name: "model"}, {Name: "move"}}))
	s.typeText("/mo")
	s.press("down")
	s.has("› /move")
	s.Update(commandsMsg([]Command{{Name: "more"}, {Name: "model"}, {Name: "sumo"},
		{Name: "move"}}))
	s.has("› /move")
	s.typeText("r") // for another text the best one is highlighted
	s.has("› /more")
}

// TestChosenCommandIsMeant checks that enter means a command that the user has moved to, even if
// the text is not its beginning.
func TestChosenCommandIsMeant(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.Update(commandsMsg([]Command{{Name: "model"}, {Name: "models"}}))
	s.typeText("/odel")
	s.press("down")
	if c := s.editor.complete; !c.meant() || c.matches[c.at].Name != "models" {
		t.Error("the chosen command is not meant")
	}
	s.typeText("s")
	if s.editor.complete.meant() {
		t.Error("the choice for another text is still meant")
	}
}

// TestArgumentsAreFound checks which arguments tab offers, or takes if there is only one, and how
// further keys narrow the list.
func TestArgumentsAreFound(t *testing.T) {
	t.Parallel()
	all := []string{"stage", "live", "live-eu", "eu-live", "Staging area"}
	var asked []string
	keyNames := []string{"backspace", "down", "tab", "enter", "esc", "ctrl+u"}
	complete := func(line string) (out []Completion) {
		asked = append(asked, line)
		prefix := strings.TrimPrefix(line, "/deploy ")
		if prefix == "1" {
			return []Completion{{Value: "one"}, {Value: "first"}}
		}
		for _, v := range all {
			if strings.HasPrefix(v, prefix) {
				out = append(out, Completion{Value: v, Description: "to " + strings.ToUpper(v)})
			}
		}
		return out
	}
	for keys, want := range map[string]string{
		"":                 "stage live live-eu eu-live Staging area",
		"live":             "live live-eu",
		"lv":               "live live-eu eu-live",
		"eu-":              "> eu-live", // the only one is taken
		"sg":               "stage Staging area",
		"zz":               "",
		"1":                "one first",                               // the command knows better
		"to":               "stage live live-eu eu-live Staging area", // by the descriptions
		" live":            "live live-eu eu-live",
		" lve-u":           "live-eu",
		" sta backspace":   "stage Staging area",
		" sta down tab":    "> Staging area",
		" live down enter": "> ",
		" zzz":             "",
		" zz backspace":    "",
		" l esc":           "> l",
		" l ctrl+u":        "> ",
	} {
		t.Run(keys, func(t *testing.T) {
			asked = nil
			s := newStage(t, Backend{Complete: complete}, 80, 20)
			before, after, _ := strings.Cut(keys, " ")
			s.typeText("/deploy " + before)
			s.deliver(s.press("tab"))
			for _, word := range strings.Fields(after) {
				if slices.Contains(keyNames, word) {
					s.press(word)
				} else {
					s.typeText(word)
				}
			}
			var got []string
			for _, m := range s.editor.complete.matches {
				got = append(got, m.Name)
			}
			if strings.HasPrefix(want, "> ") {
				if value := strings.TrimPrefix(s.editor.value(), "/deploy "); value != want[2:] {
					t.Errorf("got the text %q, want %q", value, want[2:])
				}
			} else if strings.Join(got, " ") != want {
				t.Errorf("got %q, want %q; asked %q", got, want, asked)
			}
		})
	}
}

// TestListsStayWhileScriptsLoad checks that a list of arguments or files stays open, with its
// choice, when the commands change because a script was loaded.
func TestListsStayWhileScriptsLoad(t *testing.T) {
	t.Parallel()
	b := Backend{Files: func() []string { return []string{"a.go", "b.go"} },
		Complete: func(string) []Completion {
			return []Completion{{Value: "one"}, {Value: "two"}}
		}}
	for typed, want := range map[string]string{"/deploy |tab": "/deploy two",
		"see |@": "see @b.go "} {
		s := newStage(t, b, 80, 20)
		text, key, _ := strings.Cut(typed, "|")
		s.typeText(text)
		s.deliver(s.press(key))
		s.press("down")
		s.Update(commandsMsg{{Name: "new"}})
		s.press("tab")
		if got := s.editor.value(); got != want {
			t.Errorf("after %q: got %q, want %q", typed, got, want)
		}
	}
}

// TestScreenCommandsTakeNoArguments checks what is said of words after a command of the screen that
// takes none: it is not sent to the agent, which does not know it.
func TestScreenCommandsTakeNoArguments(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.typeText("/fullscreen now")
	s.press("enter")
	s.has("✗ /fullscreen: it takes no arguments")
	if n := len(s.work.submits); n > 0 {
		t.Errorf("%d inputs were sent to the agent", n)
	}
}
