//go:build unix

// This file suspends the program.

package terminal

import (
	"os"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// continueAfter is when a program that was not stopped first continues itself: longer than it
	// takes to leave the terminal.
	continueAfter = time.Second
	// continueTries is how often it tries to continue itself.
	continueTries = 5
)

// Suspend stops the program until the shell continues it. If no shell with job control started the
// program, the system does not stop it and no signal to continue arrives, so the program sends
// itself that signal. If it was stopped after all, it receives one more such signal when it
// continues.
func Suspend() tea.Msg {
	go func() {
		for range continueTries {
			time.Sleep(continueAfter)
			_ = syscall.Kill(os.Getpid(), syscall.SIGCONT)
		}
	}()
	return tea.SuspendMsg{}
}
