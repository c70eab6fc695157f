// Package vm has the life of a VM, whatever its language: who may enter it, for how long, and what
// becomes of it if it does not stop.
//
//	dog := vm.NewWatchdog(nil)
//	turn := dog.NewTurn(interrupt, clear, replace)
//	err := turn.Enter(run) // waits for the others
//	...                    // the script runs
//	err = turn.Leave(run)  // why its answer does not count, if it does not
//
// A Turn is the lock of one VM: one run at a time, guards first, handed over while the holder
// waits. A Run is one entry, with budgets (Limits). The Watchdog stops runs whose time or memory is
// used up, and gives a VM up that does not stop; the Strand that is in it is left behind. Weigh
// tells what a VM keeps.
//
// The package knows no script and no engine: a run's Owner stands for them.
package vm
