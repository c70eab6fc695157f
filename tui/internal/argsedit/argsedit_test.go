package argsedit

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agentscripts/agent/tui/internal/cells"
)

func TestCommandWithUnseenCharactersIsEditedAsJSON(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"a\tb", "a\x1b[8mb", "a\u202eb", "a\u200db", "a\U000e0041b",
		"a\r\nb", "a\x7fb"} {
		e := New(map[string]any{"command": command}, 1<<20)
		if e.command || !strings.Contains(e.came, `\`) || cells.Reveal(e.came) != e.came {
			t.Errorf("%q is edited as %q", command, e.came)
		}
	}
}

// FuzzEditor checks that the editor shows everything, that the text equals the arguments, and
// that it fits its place.
func FuzzEditor(f *testing.F) {
	f.Add("command", "ls -l", 80)
	f.Add("command", "a\tb\u202e\U000e0041\u2028", 20)
	f.Add("<k>", "日本\n\x7f\u0085\"\\", 3)
	f.Fuzz(func(t *testing.T, key, value string, width int) {
		if len(key)+len(value) > 1000 {
			return
		}
		args := map[string]any{key: value}
		e := New(args, 1<<20)
		if (e == nil) == (utf8.ValidString(key) && utf8.ValidString(value)) {
			t.Fatalf("%q can be edited: %v", args, e != nil)
		}
		if e == nil {
			return
		}
		if cells.Reveal(e.came) != e.came || cells.Clean(e.came) != e.came {
			t.Errorf("%q hides something", e.came)
		}
		got := map[string]any{"command": e.came}
		if !e.command {
			var err error
			if got, _, err = parseArgs(e.came); err != nil {
				t.Error(err)
			}
		}
		if !reflect.DeepEqual(got, args) {
			t.Errorf("got %q, want %q, from %q", got, args, e.came)
		}
		e.Area.Insert("x")
		e.accept()
		width = min(max(width, 2), 200)
		lines, x, y := e.Rows(width, 10)
		for _, l := range lines {
			if cells.Width(l) > width {
				t.Errorf("%q is %d cells wide, not %d", l, cells.Width(l), width)
			}
		}
		if len(lines) > 10 || x > width || y >= len(lines) {
			t.Errorf("%d lines, the cursor at %d, %d", len(lines), x, y)
		}
	})
}
