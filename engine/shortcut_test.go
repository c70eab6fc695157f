package engine

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/scriptfile"
)

// TestShortcutsClash: if two scripts use the same key, the first one gets it, and a notice names
// both files.
func TestShortcutsClash(t *testing.T) {
	t.Parallel()
	gens := []*Generation{}
	for _, name := range []string{"b.lua", "a.js"} {
		g := newGeneration(nil,
			&scriptfile.Script{Name: name, Path: "/scripts/" + name, Source: scriptfile.SourceUser})
		if err := g.Registry.AddShortcut(&Shortcut{Key: "ctrl+t", Line: 3}); err != nil {
			t.Fatal(err)
		}
		gens = append(gens, g)
	}
	s := newSnapshot(1, gens, Plugin{})
	if got := s.Shortcut("ctrl+t").Gen.Name; got != "a.js" {
		t.Errorf("%s has the key", got)
	}
	if got := strings.Join(s.Notices, "\n"); !strings.Contains(got,
		"shortcut ctrl+t: a.js:3 (/scripts/a.js) already has it, so the one of b.lua:3 "+
			"(/scripts/b.lua) is not used") {
		t.Errorf("notices: %s", got)
	}
}
