package engine

import (
	"strings"
	"testing"
)

func TestChord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ctrl+t": "ctrl+t", "Shift+Ctrl+K": "ctrl+shift+k", "option+Return": "alt+enter is kept",
		"Cmd+P": "super+p", "F5": "f5", "shift+f12": "shift+f12", "ctrl++": "ctrl++",
		"control + space": "ctrl+space",
		"alt+PageUp":      "alt+pgup", "ctrl+é": "ctrl+é", "ctrl+": "ctrl+", "esc": "esc is kept",
		"ctrl+Escape": "ctrl+esc is kept", "ctrl+c": "ctrl+c is kept", "a": "a is for writing",
		"shift+a": "shift+a is for writing",
		"up":      "up is for writing", "f25": "want a chord", "": "want a chord",
		"crtl+t": `did you mean "ctrl"`, "ctrl+entre": `did you mean "enter"`,
		"ctrl+k ctrl+t": "is no modifier", "\x1b[A": "want a chord",
	} {
		got, err := Chord(text)
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// Two scripts cannot have one key: the first has it, and a notice names both files.
func TestShortcutsClash(t *testing.T) {
	t.Parallel()
	gens := []*Generation{}
	for _, name := range []string{"b.lua", "a.js"} {
		g := newGeneration(nil,
			&Script{Name: name, Path: "/scripts/" + name, Source: SourceUser})
		if err := g.Registry.AddShortcut(&Shortcut{Key: "ctrl+t", Line: 3}); err != nil {
			t.Fatal(err)
		}
		gens = append(gens, g)
	}
	s := newSnapshot(1, gens, Plugin{})
	if got := s.Shortcut("ctrl+t").Gen.Name; got != "a.js" {
		t.Errorf("%s has it", got)
	}
	if got := strings.Join(s.Notices, "\n"); !strings.Contains(got,
		"shortcut ctrl+t: a.js:3 (/scripts/a.js) already has it, so the one of b.lua:3 "+
			"(/scripts/b.lua) is not used") {
		t.Errorf("notices: %s", got)
	}
}
