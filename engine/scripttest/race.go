//go:build race

package scripttest

// patience is how many times its usual budgets a script gets: with the race detector everything
// takes that much longer.
const patience = 5
