package oracle

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/agentscripts/agent/engine/ramdisk"
)

func TestMain(m *testing.M) {
	ramdisk.Use()
	os.Exit(m.Run())
}

// size returns how many lines a test generates, and the seed of the first one. ORACLE_LINES, for a
// long run by hand, replaces the usual number, and makes them other lines in each run.
func size(t *testing.T, usual int) (lines int, seed uint64) {
	t.Helper()
	lines, err := strconv.Atoi(os.Getenv("ORACLE_LINES"))
	if err != nil {
		return usual, 1
	}
	seed = rand.Uint64()
	t.Logf("%d lines from seed %d", lines, seed)
	return lines, seed
}
