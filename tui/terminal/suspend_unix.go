//go:build unix

// This file leaves the terminal to the shell for a while.

package terminal

import (
	"os"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// continueAfter is when the program first goes on by itself, if it was not stopped: longer than
	// it takes to leave the terminal.
	continueAfter = time.Second
	// continueTries is how often that is tried.
	continueTries = 5
)

// Suspend stops the program until the shell continues it. Where no shell would, because none with
// job control has started the program, the system does not stop it, and it must not wait for what
// does not come: it continues itself. Where it was stopped, that is one signal more, when it goes
// on.
func Suspend() tea.Msg {
	go func() {
		for range continueTries {
			time.Sleep(continueAfter)
			_ = syscall.Kill(os.Getpid(), syscall.SIGCONT)
		}
	}()
	return tea.SuspendMsg{}
}
