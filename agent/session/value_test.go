package session

import (
	"testing"
	"time"
)

// TestTimesOfEntriesAreSeconds checks that scripts get times in seconds since 1970, whatever the
// format of the file.
func TestTimesOfEntriesAreSeconds(t *testing.T) {
	e := Entry{ID: "a", Time: time.Date(2026, 1, 2, 3, 4, 5, 500_000_000, time.UTC),
		Message: user("x").Message}
	if got := e.Value()["time"]; got != 1767323045.5 {
		t.Errorf("got %v", got)
	}
}
