//go:build race

package scripttest

// slowdown is how many times as long everything takes: that is how slow the race detector is.
const slowdown = 5

// patience is how many times its usual budgets a script gets: as without the detector, for what is
// so much slower.
const patience = 4 * slowdown
