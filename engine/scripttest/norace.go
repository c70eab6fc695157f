//go:build !race

package scripttest

// patience is how many times its usual budgets a script gets.
const patience = 1
