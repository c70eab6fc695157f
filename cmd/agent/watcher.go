// This file says what the watcher is; watcher_unix.go starts it and is it.

package main

import (
	"os"
	"sync"
)

// watcherVariable makes a process of this program the watcher of another one. Its value is a
// watcherSpec.
const watcherVariable = "AGENT_WATCHER"

// watcher is a second process of this program that outlives it when a fatal error of the runtime or
// SIGKILL ends it: it gives the terminal back and kills the commands that still run. It is a child
// and not the parent of the program, because a parent would make every start wait for two
// processes, and would have to pass on signals, job control and exit codes; a watcher that cannot
// be started, or is killed, changes nothing.
//
// The program writes lines to a pipe: +PID when a command starts, -PID when it has ended, bye when
// the program ends in order. What the runtime writes when it dies goes there, too: see
// debug.SetCrashOutput. The pipe ends when the last thread of the program has let go of it, so
// nothing of it draws any more.
type watcher struct {
	mu   sync.Mutex
	pipe *os.File // nil: there is no watcher
}
