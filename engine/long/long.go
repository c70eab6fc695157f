// Package long says which work of tests is left to runs that take longer: .ci/run sets AGENT_LONG.
//
// A test that takes minutes, or a loop that gains by each further round, is not for everyday runs.
// What it proves is then also proved by a shorter test, or by fewer rounds of the same loop.
package long

import (
	"os"
	"testing"
)

// Wanted reports whether AGENT_LONG is set.
func Wanted() bool { return os.Getenv("AGENT_LONG") != "" }

// Only skips a test that takes that many seconds of processor time, unless AGENT_LONG is set.
func Only(t testing.TB, seconds int) {
	t.Helper()
	if !Wanted() {
		t.Skipf("takes %d s: set AGENT_LONG=1, as .ci/run does", seconds)
	}
}

// Rounds returns the number of rounds of a loop: few, or many if AGENT_LONG is set.
func Rounds(few, many int) int {
	if Wanted() {
		return many
	}
	return few
}

// Every returns each nth case of a list, or all of them if AGENT_LONG is set.
func Every[T any](n int, cases []T) []T {
	if Wanted() {
		return cases
	}
	var some []T
	for i := 0; i < len(cases); i += n {
		some = append(some, cases[i])
	}
	return some
}
