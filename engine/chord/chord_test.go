package chord

import (
	"strings"
	"testing"
)

func TestChord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ctrl+t": "ctrl+t", "Shift+Ctrl+K": "ctrl+shift+k",
		"option+Return": "alt+enter is reserved",
		"Cmd+P":         "super+p", "F5": "f5", "shift+f12": "shift+f12", "ctrl++": "ctrl++",
		"control + space": "ctrl+space",
		"alt+PageUp":      "alt+pgup", "ctrl+é": "ctrl+é", "ctrl+": "ctrl+",
		"esc":         "esc is reserved",
		"ctrl+Escape": "ctrl+esc is reserved", "ctrl+c": "ctrl+c is reserved",
		"a":       "a is a key for editing",
		"shift+a": "shift+a is a key for editing",
		"up":      "up is a key for editing", "f25": "want a chord", "": "want a chord",
		"crtl+t": `did you mean "ctrl"`, "ctrl+entre": `did you mean "enter"`,
		"ctrl+k ctrl+t": "unknown modifier", "\x1b[A": "want a chord",
	} {
		got, err := Parse(text)
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
