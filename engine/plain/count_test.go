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

func TestAmount(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind string
		n    float64
		want string
	}{
		{"cost", 0, "$0.00"}, {"cost", 1.5, "$1.50"}, {"cost", 0.00123, "$0.00123"},
		{"cost", 12, "$12.00"}, {"cost", 0.1 + 0.2, "$0.30"}, {"time", 1, "1 second"},
		{"time", 2.50001, "2.5 seconds"}, {"time", 3600, "3600 seconds"}, {"turns", 1, "1 turn"},
		{"turns", 20, "20 turns"}, {"tokens", 1_500_000, "1500000 tokens"},
	} {
		if got := Amount(test.kind, test.n); got != test.want {
			t.Errorf("%s %v: got %q, want %q", test.kind, test.n, got, test.want)
		}
	}
}
