// This file describes the watcher; watcher_unix.go starts and implements it.

package main

import (
	"os"
	"sync"
)

// watcherVariable is the environment variable that makes a process of this program a watcher. Its
// value is a watcherSpec.
const watcherVariable = "AGENT_WATCHER"

// watcher is a second process of this program that outlives it when a fatal error of the runtime or
// SIGKILL ends it: it restores the terminal and kills the commands that are still running. It is a
// child and not the parent of the program, because a parent would make every start wait for two
// processes, and would have to pass on signals, job control and exit codes; a watcher that cannot
// be started, or is killed, changes nothing.
//
// The program writes lines to a pipe: +PID when a command starts, -PID when it has ended, bye when
// the program ends in order. The runtime's report of a fatal error goes there, too: see
// debug.SetCrashOutput. The pipe ends when the last thread of the program has closed it, so the
// program cannot draw any more.
type watcher struct {
	mu   sync.Mutex
	pipe *os.File // nil: there is no watcher
}
