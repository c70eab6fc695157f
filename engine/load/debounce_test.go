package load

import (
	"testing"
	"time"
)

func TestDebounce(t *testing.T) {
	t.Parallel()
	start := time.Unix(1000, 0)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	d := debounce{}
	d.touch("a", at(0))
	d.touch("b", at(20))
	d.touch("a", at(20))
	for _, c := range []struct {
		ms         int
		take, a, b bool
	}{{29, false, true, true}, {49, false, true, true}, {50, true, false, false},
		{60, false, false, false}} {
		if got := d.take(at(c.ms)); got != c.take || d.has("a") != c.a || d.has("b") != c.b {
			t.Errorf("at %d ms: take %v, a %v, b %v", c.ms, got, d.has("a"), d.has("b"))
		}
	}
	for ms := 0; ms < 250; ms += 10 { // changes without a pause
		d.touch("a", at(ms))
		if d.take(at(ms)) {
			t.Fatalf("due after %d ms", ms)
		}
	}
	d.touch("a", at(249))
	if d.touch("b", at(249)); d.next() != at(250) || !d.take(at(250)) || d.has("a") || !d.has("b") {
		t.Error("a path that changes without a pause was not due after 250 ms, or another one was")
	}
}
