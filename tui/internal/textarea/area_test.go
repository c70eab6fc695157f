package textarea

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/tuitest"
)

// areaKeys are the keys that FuzzArea presses. It types the other texts.
var areaKeys = [...]string{"left", "right", "ctrl+left", "ctrl+right", "home", "end", "backspace",
	"delete", "ctrl+w", "alt+d",
	"ctrl+u", "ctrl+k", "up", "down", "a", " ", "\n", "日", "\u0301", "👩", "\u200d", "👧", "🇩",
	"1\ufe0f\u20e3", "\u0600", "ctrl+y", "alt+y", "ctrl+_", "alt+_", "alt+backspace",
	"\U00100000", "alt+b", "alt+f"}

func FuzzArea(f *testing.F) {
	f.Add("a word\nand 日本語 e\u0301", []byte("\x00\x06\x11\x0c\x0d\x12"), 8)
	f.Add("1\ufe0f\u20e3🇩🇪🇫🇷 क्षि \u0301", []byte("\x0c\x00\x06\x06\x17\x04\x07"), 3)
	f.Add("e\n\u0301 \u0301x", []byte("\x04\x06\x01\x07\x08\x09\x0a\x0b"), 5)
	f.Add("0\ufe0f\u20e3🇩🇪🇫🇷\u0600 क्षि0\u0301", []byte("%212\x0300"), 3)
	f.Add("one two\nthree", []byte("\x08\x19\x1a\x0a\x1b\x1b\x1c\x19\x1a\x1b\x1b\x1c\x1d\x14"), 9)
	f.Fuzz(func(t *testing.T, text string, keys []byte, width int) {
		if len(text) > 1000 || len(keys) > 200 {
			return
		}
		const height = 4
		width = min(max(width, 3), 60)
		a := &Area{Label: aLabel}
		a.Set(cells.Clean(text))
		a.Layout(width, height)
		for _, k := range keys {
			switch key := areaKeys[int(k)%len(areaKeys)]; {
			case key == "up":
				a.Vertical(-1)
			case key == "down":
				a.Vertical(1)
			case key == "\n", utf8.RuneLen([]rune(key)[0]) > 1, len([]rune(key)) == 1:
				a.Insert(key)
			default:
				press := tuitest.KeyPress(key)
				if len(a.text)+a.Grows(press) < 2000 {
					a.Key(press)
				}
			}
			checkArea(t, a, width, height)
			if t.Failed() {
				t.Fatalf("after %q: %q, cursor at byte %d", areaKeys[int(k)%len(areaKeys)], a.text,
					a.pos)
			}
		}
		last := a.text
		n := undoAll(a)
		if a.text != cells.Clean(text) {
			t.Errorf("all undone: %q", a.text)
		}
		for range n {
			a.redo()
		}
		if a.text != last {
			t.Errorf("all done again: %q, not %q", a.text, last)
		}
	})
}

// checkArea checks that every row fits, that no character is cut, and that the cursor is between
// characters.
func checkArea(t *testing.T, a *Area, width, height int) {
	t.Helper()
	lines, x, y := a.Layout(width, height)
	if len(lines) == 0 || len(lines) > height || y < 0 || y >= len(lines) || x < 0 || x >= width {
		t.Errorf("%d lines, the cursor at %d, %d", len(lines), x, y)
	}
	for _, l := range lines {
		if cells.Width(l) > width {
			t.Errorf("%q is %d cells wide, not %d", l, cells.Width(l), width)
		}
	}
	begins := map[int]bool{0: true, len(a.text): true}
	for at := 0; at < len(a.text); at += characterLen(a.text[at:]) {
		begins[at] = true
	}
	if !begins[a.pos] {
		t.Errorf("the cursor is inside of a character")
	}
	rest := a.text
	for _, r := range a.rows {
		if !begins[r.From] || !begins[r.To] {
			t.Errorf("a row ends inside of a character: %q", a.text[r.From:r.To])
		}
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, a.text[r.From:r.To]), "\n")
	}
	if rest != "" {
		t.Errorf("%q is in no row", rest)
	}
}

// TestMarked checks how a selected part of a text is drawn.
func TestMarked(t *testing.T) {
	var a Area
	a.Set("one two\n\nthree")
	const on, off = "\x1b[7m", "\x1b[m"
	for _, test := range []struct {
		marked Span
		want   string
	}{
		{Span{}, "one two||three"},
		{Span{2, 5}, "on" + on + "e t" + off + "wo||three"},
		{Span{4, 9}, "one " + on + "two" + off + "|" + on + " " + off + "|three"},
		{Span{6, 100}, "one tw" + on + "o" + off + "|" + on + " " + off + "|" + on + "three" + off},
	} {
		a.Marked = test.marked
		lines, _, _ := a.Layout(20, 5)
		if got := strings.Join(lines, "|"); got != test.want {
			t.Errorf("%v: got %q, want %q", test.marked, got, test.want)
		}
	}
}
