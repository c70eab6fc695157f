package textarea

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/tui/tuitest"
)

// undoAll undoes all changes and returns how many steps they were.
func undoAll(a *Area) (steps int) {
	for ; len(a.history.done) > 0; steps++ {
		a.undo()
	}
	return steps
}

// pressKeys presses keys that are separated by spaces; "_" is a space.
func pressKeys(a *Area, keys string) {
	for _, key := range strings.Fields(keys) {
		if key == "_" {
			key = " "
		}
		a.Key(tuitest.KeyPress(key))
	}
}

// TestUndo checks what one step is.
func TestUndo(t *testing.T) {
	for keys, want := range map[string]string{
		"a b _ c d ctrl+_":                      "old ab |",
		"a b _ c d ctrl+_ ctrl+_":               "old |",
		"a b _ c d ctrl+_ ctrl+_ alt+_":         "old ab |",
		"a b _ c d ctrl+_ ctrl+_ alt+_ alt+_":   "old ab cd|",
		"a b ctrl+_ x alt+_":                    "old x|",
		"a ctrl+_ ctrl+_ ctrl+_":                "old |",
		"a b left right c ctrl+_":               "old ab|",
		"a b backspace backspace c ctrl+_":      "old |",
		"backspace backspace backspace ctrl+/":  "old |",
		"a backspace backspace ctrl+_":          "old a|",
		"home delete delete ctrl+_":             "|ld ",
		"ctrl+w a ctrl+_":                       "|",
		"ctrl+w ctrl+shift+_":                   "old |",
		"a ctrl+_ b ctrl+_ alt+_ alt+shift+_ c": "old bc|",
	} {
		a := &Area{}
		a.Set("old ")
		pressKeys(a, keys)
		if got := a.text[:a.pos] + "|" + a.text[a.pos:]; got != want {
			t.Errorf("%s: got %q, want %q", keys, got, want)
		}
	}
}

// TestReplaceIsUndone checks that a text that was replaced comes back, and one that was set over
// does not.
func TestReplaceIsUndone(t *testing.T) {
	a := &Area{}
	a.Set("secret")
	a.Set("draft")
	a.Replace("recalled")
	a.Insert(" pasted")
	for _, want := range []string{"recalled", "draft", "draft"} {
		if a.undo(); a.text != want || a.pos != len(want) {
			t.Errorf("got %q, cursor at %d, want %q", a.text, a.pos, want)
		}
	}
}

// TestKillRing checks what is killed together and what is yanked.
func TestKillRing(t *testing.T) {
	for keys, want := range map[string]string{
		"ctrl+w ctrl+y":          "one two\nthree|",
		"ctrl+y alt+y":           "one two\nthree|",
		"ctrl+w x ctrl+y ctrl+y": "one two\nxthreethree|",
		"home ctrl+k ctrl+y":     "one two\nthree|",
		"ctrl+u backspace alt+backspace ctrl+w end ctrl+y":  "one two|",
		"up home alt+d alt+d end ctrl+y":                    "one two|\nthree",
		"up home alt+d right ctrl+k ctrl+y alt+y":           " one|\nthree",
		"up home alt+d right ctrl+k ctrl+y alt+y alt+y":     " two|\nthree",
		"up home alt+d right ctrl+k ctrl+y left alt+y":      " tw|o\nthree",
		"up home right right right ctrl+w ctrl+k ctrl+y":    "one two|\nthree",
		"ctrl+w ctrl+k x ctrl+y":                            "one two\nxthree|",
		"ctrl+k x ctrl+w ctrl+y":                            "one two\nthreex|",
		"ctrl+w ctrl+y ctrl+_":                              "one two\n|",
		"up home alt+d right ctrl+k ctrl+y alt+y ctrl+_":    " two|\nthree",
		"ctrl+w ctrl+y ctrl+k ctrl+u ctrl+y alt+y":          "one two\nthree|",
		"up home alt+d right ctrl+k ctrl+y alt+y x alt+y z": " onexz|\nthree",
	} {
		a := &Area{}
		a.Set("one two\nthree")
		a.Layout(20, 3)
		for _, key := range strings.Fields(keys) {
			if key == "up" {
				a.Vertical(-1)
			} else {
				a.Key(tuitest.KeyPress(key))
			}
		}
		if got := a.text[:a.pos] + "|" + a.text[a.pos:]; got != want {
			t.Errorf("%s: got %q, want %q", keys, got, want)
		}
	}
}

// TestPasteEndsARow checks that kills before and after a paste are two texts, and that a yank after
// it cannot replace it.
func TestPasteEndsARow(t *testing.T) {
	a := &Area{}
	a.Set("one two")
	pressKeys(a, "ctrl+w")
	a.Insert("new")
	pressKeys(a, "ctrl+w")
	if want := []string{"two", "new"}; !slices.Equal(a.ring.texts, want) {
		t.Errorf("got %q, want %q", a.ring.texts, want)
	}
	pressKeys(a, "ctrl+y")
	a.Insert("x")
	if pressKeys(a, "alt+y"); a.text != "one newx" {
		t.Errorf("got %q", a.text)
	}
}

// TestBounds checks that what is kept is bounded, and that the newest is kept.
func TestBounds(t *testing.T) {
	a := &Area{}
	for i := range 30 {
		a.Insert(strings.Repeat(string(rune('a'+i%26)), 300<<10))
		pressKeys(a, "ctrl+u")
	}
	size, kept := 0, 0
	for _, c := range a.history.done {
		size += c.size()
	}
	for _, text := range a.ring.texts {
		kept += len(text)
	}
	if size != a.history.size || size > undoBytes || size < undoBytes/2 {
		t.Errorf("changes of %d bytes, counted as %d", size, a.history.size)
	}
	if kept != a.ring.size || kept > killBytes || kept < killBytes/2 {
		t.Errorf("killed texts of %d bytes, counted as %d", kept, a.ring.size)
	}
	if pressKeys(a, "ctrl+y"); !strings.HasPrefix(a.text, "ddd") {
		t.Errorf("the text yanked begins with %.9q", a.text)
	}
	a.Replace("")
	pressKeys(a, "backspace ctrl+_ ctrl+_ ctrl+_")
	if !strings.HasPrefix(a.text, "ddd") {
		t.Errorf("the text undone begins with %.9q", a.text)
	}
	if undoAll(a); a.history.size != 0 {
		t.Errorf("%d bytes are left", a.history.size)
	}
}
