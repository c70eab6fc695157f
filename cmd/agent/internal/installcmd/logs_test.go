package installcmd

import (
	"slices"
	"testing"
	"time"
)

// TestParseLog checks which lines of JSON become of a log.
func TestParseLog(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.Local).Format(time.RFC3339Nano)
	const stamp = "2026-01-02 03:04:05.678 "
	for _, c := range []struct {
		log  string
		want []logLine
	}{
		{stamp + "info  one\n" + stamp + "error  two\n",
			[]logLine{{at, "info", "one"}, {at, "error", " two"}}},
		{stamp + "warn  first\n    second\n    \n" + stamp + "debug \n",
			[]logLine{{at, "warn", "first\nsecond\n"}, {at, "debug", ""}}},
		{"the end of a line that was cut\n" + stamp + "info  é",
			[]logLine{{Text: "the end of a line that was cut"}, {at, "info", "é"}}},
		{"2026-01-02 03:04:05.678\n", []logLine{{Text: "2026-01-02 03:04:05.678"}}},
		{"é", []logLine{{Text: "é"}}},
	} {
		if got := parseLog(c.log); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %+v, want %+v", c.log, got, c.want)
		}
	}
}
