//go:build !race

package scripttest

// slowdown is how many times as long everything takes.
const slowdown = 1

// patience is how many times its usual budgets a script gets: the tests share a busy machine, and
// what they try is no budget, unless a case says so.
const patience = 4
