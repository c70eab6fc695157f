//go:build race

package scripttest

// slowdown is the factor by which the race detector slows the tests down.
const slowdown = 5

// patience is the factor by which time limits of scripts are multiplied: the same as without the
// race detector, times slowdown.
const patience = 4 * slowdown
