package plain

import "testing"

func TestCount(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 lines":      Count(0, "line"),
		"1 line":       Count(1, "line"),
		"2 lines":      Count(2, "line"),
		"1 more waits": Count(1, "more waits", "more wait"),
		"3 more wait":  Count(3, "more waits", "more wait"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
