//go:build unix

package process

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// ownGroup makes the command the leader of a process group, so that its children can be ended with
// it, and of a session, so that it has no terminal: a program that opens /dev/tty would draw on the
// agent's screen, change the modes of its terminal, or wait for a password that no one can type.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// endGroup asks every process that the command has started to end, and soon kills the rest. waited
// is closed when the leader has ended. in is the leader's namespace: see ownSpace.
func endGroup(p *os.Process, in *space, waited <-chan struct{}) {
	// before anything ends: what loses its parent then is found by its namespace only
	rest := outside(p.Pid, in)
	_ = syscall.Kill(-p.Pid, syscall.SIGTERM) // fails if all have ended, which is fine
	kill(rest, syscall.SIGTERM)
	deadline := time.After(TermGrace)
	poll := time.NewTicker(TermGrace / 10)
	defer poll.Stop()
	for {
		select {
		case <-deadline:
			killAll(p.Pid, in, rest)
			return
		case <-poll.C:
			select {
			// a group counts as gone only after the leader was waited for
			case <-waited:
				if syscall.Kill(-p.Pid, 0) == syscall.ESRCH && len(still(rest)) == 0 &&
					len(outside(p.Pid, in)) == 0 {
					return
				}
			default:
			}
		}
	}
}

// killAll kills the group of leader, those of rest that still run, and what leader has started
// otherwise. A process may start others before it is killed: it looks again until there are none.
func killAll(leader int, in *space, rest []member) {
	const rounds = 10
	for range rounds {
		rest = append(still(rest), outside(leader, in)...)
		_ = syscall.Kill(-leader, syscall.SIGKILL)
		kill(rest, syscall.SIGKILL)
		if len(rest) == 0 {
			return
		}
	}
}

// Kill kills the program whose PID is leader with all that it has started. leader was the PID of a
// Process, of this or of another program, that has not been waited for.
func Kill(leader int) {
	in := ownSpace(leader)
	defer in.release()
	killAll(leader, in, nil)
}

// alive reports whether the group that p leads, or led, has processes.
func alive(p *os.Process) bool { return syscall.Kill(-p.Pid, 0) != syscall.ESRCH }

// lastShell is used if neither bash nor sh is in PATH.
func lastShell(command string) []string { return []string{"/bin/sh", "-c", command} }

// KillLine returns the command line that kills a program with its group.
func KillLine(pid int) string { return fmt.Sprintf("kill -- -%d", pid) }
