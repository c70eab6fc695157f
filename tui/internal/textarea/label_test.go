package textarea

import (
	"fmt"
	"strings"
	"testing"
)

// aLabel draws the character A as a long label.
func aLabel(r rune) string {
	if r == '\U00100000' {
		return "[Pasted 120 lines]"
	}
	return ""
}

// TestLabelIsOneCharacter checks that a character with a label moves, is deleted, killed, yanked
// and undone as one, and is a word of its own.
func TestLabelIsOneCharacter(t *testing.T) {
	for keys, want := range map[string]string{
		"left":                                "see A|x",
		"left left":                           "see |Ax",
		"left backspace":                      "see |x",
		"left backspace ctrl+_":               "see A|x",
		"home alt+f alt+f":                    "see A|x",
		"alt+b":                               "see A|x",
		"alt+b alt+b":                         "see |Ax",
		"alt+b alt+b alt+b":                   "|see Ax",
		"alt+b ctrl+w":                        "see |x",
		"alt+b ctrl+w end ctrl+y":             "see xA|",
		"home ctrl+k ctrl+y":                  "see Ax|",
		"home right right right right delete": "see |x",
	} {
		a := &Area{Label: aLabel}
		a.Set("see \U00100000x")
		pressKeys(a, keys)
		got := strings.ReplaceAll(a.text[:a.pos]+"|"+a.text[a.pos:], "\U00100000", "A")
		if got != want {
			t.Errorf("%s: got %q, want %q", keys, got, want)
		}
	}
}

// TestLabelIsDrawn checks rows and the cursor, also where the label is wider than a row.
func TestLabelIsDrawn(t *testing.T) {
	for width, want := range map[int]string{
		40: `["see [Pasted 120 lines] ok"] 25 0`,
		20: `["see " "[Pasted 120 lines] " "ok"] 2 2`,
		10: `["see " "[Pasted …" " ok"] 3 2`,
		3:  `["se" "e " "[…" " " "ok"] 2 4`,
	} {
		a := &Area{Label: aLabel}
		a.Set("see \U00100000 ok")
		lines, x, y := a.Layout(width, 9)
		if got := fmt.Sprintf("%q %d %d", lines, x, y); got != want {
			t.Errorf("%d: got %s, want %s", width, got, want)
		}
	}
	a := &Area{Label: aLabel}
	a.Set("\U00100000x\n0123456789012345678901")
	a.Layout(40, 4)
	if a.Vertical(-1); a.pos != len("\U00100000x") {
		t.Errorf("up: at byte %d", a.pos)
	}
}
