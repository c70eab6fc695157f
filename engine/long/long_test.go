package long_test

import (
	"slices"
	"testing"

	"github.com/agentscripts/agent/engine/long"
)

// TestLong runs the functions with AGENT_LONG and without.
func TestLong(t *testing.T) {
	cases := []int{0, 1, 2, 3, 4, 5, 6}
	for set, want := range map[string]struct {
		wanted bool
		rounds int
		cases  []int
	}{
		"":  {false, 2, []int{0, 3, 6}},
		"1": {true, 50, cases},
	} {
		t.Setenv("AGENT_LONG", set)
		if long.Wanted() != want.wanted || long.Rounds(2, 50) != want.rounds ||
			!slices.Equal(long.Every(3, cases), want.cases) {
			t.Errorf("AGENT_LONG=%s: got %v, %d, %d", set, long.Wanted(), long.Rounds(2, 50),
				long.Every(3, cases))
		}
		ran := false
		t.Run("only", func(t *testing.T) {
			long.Only(t, 70)
			ran = true
		})
		if ran != want.wanted {
			t.Errorf("AGENT_LONG=%s: a long test ran: %v", set, ran)
		}
	}
}
