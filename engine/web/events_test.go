package web

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestEvents reads a stream cut at every place: the events are the same.
func TestEvents(t *testing.T) {
	const stream = "\uFEFFevent: a\ndata: 1\r\n\r\ndata:2\rdata: 3\r\rid: 9\n: comment\nretry: " +
		"5\ndata\n\nevent: none\n\ndata: last"
	want := "[{a 1 } {message 2\n3 } {message  9}]"
	for i := range len(stream) {
		for _, cut := range [][]string{{stream[:i], stream[i:]},
			strings.SplitAfter(stream, stream[i:i+1])} {
			var got []Event
			l := NewEvents(func(e Event) error { got = append(got, e); return nil })
			for _, part := range cut {
				if err := l.Add(part); err != nil {
					t.Fatal(err)
				}
			}
			if err := l.End(); err != nil || fmt.Sprint(got) != want {
				t.Fatalf("cut at %d: got %q, %v", i, got, err)
			}
		}
	}
}

func TestPartsAreBounded(t *testing.T) {
	lines := &Lines{Line: func(string) error { return nil }}
	events := NewEvents(func(Event) error { return nil })
	for name, l := range map[string]*Lines{"lines": lines, "events": events} {
		piece := "data: " + strings.Repeat("x", 1<<20)
		if name == "events" {
			piece += "\n"
		}
		var err error
		for i := 0; i < 10 && err == nil; i++ {
			err = l.Add(piece)
		}
		if err == nil || !strings.Contains(err.Error(), "of more than") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestMost: a caller that knows its servers sets another bound.
func TestMost(t *testing.T) {
	for _, most := range []int{10, 5 << 20} {
		for name, unit := range map[string]string{"a line": "x", "an event": "data: x\n"} {
			l := NewEvents(func(Event) error { return nil })
			l.Most = most
			var err error
			n := 0
			for piece := strings.Repeat(unit, max(most/100, 1)); err == nil &&
				n <= 10*most; n += len(piece) {
				err = l.Add(piece)
			}
			if err == nil || !strings.Contains(err.Error(),
				fmt.Sprintf("%s of more than %d bytes", name, most)) || n > 10*most {
				t.Errorf("%s: got %v after %d bytes, want the bound %d", name, err, n, most)
			}
		}
	}
}

func TestLinesStop(t *testing.T) {
	stop := errors.New("stop")
	n := 0
	l := &Lines{Line: func(string) error { n++; return stop }}
	if err := l.Add("a\nb\nc\n"); err != stop || n != 1 {
		t.Errorf("got %v after %d", err, n)
	}
}

func FuzzEvents(f *testing.F) {
	f.Add("data: 1\n\n", 3)
	f.Fuzz(func(t *testing.T, s string, at int) {
		at = max(0, min(at, len(s)))
		read := func(parts ...string) string {
			var got []Event
			l := NewEvents(func(e Event) error { got = append(got, e); return nil })
			for _, p := range parts {
				if err := l.Add(p); err != nil {
					return err.Error()
				}
			}
			_ = l.End()
			return fmt.Sprintf("%q", got)
		}
		if a, b := read(s), read(s[:at], s[at:]); a != b {
			t.Errorf("whole %s, in parts %s", a, b)
		}
	})
}
