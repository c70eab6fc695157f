package graphics

import (
	"regexp"
	"strings"
	"testing"
)

// TestPrinted checks the lines of an image that is printed, and what draws it.
func TestPrinted(t *testing.T) {
	i := NewItem("image/png", encode(t, "png", aPicture(320, 160)))
	s := &Shelf{Prints: true}
	if _, lines := s.Draw(i, 1, 30, 11); lines != nil || !i.Waits() {
		t.Error("it is drawn before it is read")
	}
	if s.read(t, 1) {
		t.Error("something is sent to the terminal")
	}
	if _, lines := s.Draw(i, 1, 30, 11); lines != nil || i.Waits() {
		t.Error("it is drawn with placeholders")
	}
	lines, mark, sequence := i.Printed()
	if len(lines) != 8 || lines[0] != "" || lines[7] != mark {
		t.Errorf("the lines are %q", lines)
	}
	want := regexp.MustCompile("^\x1b7\x1b\\[7A\x1b\\]1337;File=[a-zA-Z0-9=;:]*width=30;" +
		"[a-zA-Z0-9=;]*:[A-Za-z0-9+/=]*\a\x1b8$")
	if !want.MatchString(sequence) || !strings.Contains(sequence, "height=8;") {
		t.Errorf("the sequence is %.200q", sequence)
	}
	if lines, _, _ := NewItem("image/png", "").Printed(); lines != nil {
		t.Errorf("lines of an image that is not known: %q", lines)
	}
}

func TestKnownToPrint(t *testing.T) {
	for env, want := range map[string]bool{"": false, "TERM=xterm-256color": false,
		"TERM_PROGRAM=iTerm.app": true, "TERM_PROGRAM=WezTerm": true, "TERM_PROGRAM=mintty": true,
		"LC_TERMINAL=iTerm2": true, "LC_TERMINAL=iTerm2 TMUX=x": false,
		"TERM_PROGRAM=WezTerm TERM=screen": false, "TERM_PROGRAM=vscode": false} {
		if got := KnownToPrint(variables(env)); got != want {
			t.Errorf("%s: got %v", env, got)
		}
	}
}

// variables returns a lookup in "NAME=value NAME=value".
func variables(env string) func(name string) string {
	return func(name string) string {
		for _, set := range strings.Fields(env) {
			if key, value, _ := strings.Cut(set, "="); key == name {
				return value
			}
		}
		return ""
	}
}
