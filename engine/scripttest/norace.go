//go:build !race

package scripttest

// slowdown is the factor by which the race detector slows the tests down.
const slowdown = 1

// patience is the factor by which time limits of scripts are multiplied: the machine may be busy,
// and only cases that set their own patience test time limits.
const patience = 4
