// Package vm manages VMs of any language: which run may enter a VM, for how long, and what happens
// if it does not stop.
//
//	dog := vm.NewWatchdog(nil, nil)
//	turn := dog.NewTurn(interrupt, clear, replace)
//	err := turn.Enter(run) // waits for the others
//	...                    // the script runs
//	err = turn.Leave(run)  // why its answer does not count, if it does not
//
// A Turn is the lock of one VM: one run at a time, guards first, handed over while the holder
// waits. A Run is one entry, with budgets (Limits). The Watchdog stops runs that have used up their
// time or memory, and abandons a VM that does not stop, with the Strand that is in it. Weigh
// estimates the memory that a VM keeps.
//
// The package does not depend on scripts or the engine: a run's Owner represents them.
package vm
