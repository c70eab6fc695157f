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
// is closed when the leader has ended. A process with a session of its own is not ended.
func endGroup(p *os.Process, waited <-chan struct{}) {
	signal(p.Pid, syscall.SIGTERM)
	deadline := time.After(TermGrace)
	poll := time.NewTicker(TermGrace / 10)
	defer poll.Stop()
	for {
		select {
		case <-deadline:
			signal(p.Pid, syscall.SIGKILL)
			return
		case <-poll.C:
			select {
			// a group counts as gone only after the leader was waited for
			case <-waited:
				if syscall.Kill(-p.Pid, 0) == syscall.ESRCH && len(otherGroups(p.Pid)) == 0 {
					return
				}
			default:
			}
		}
	}
}

// Kill kills the program whose PID is leader with all of its session. leader was the PID of a
// Process, of this or of another program, that has not been waited for.
func Kill(leader int) { signal(leader, syscall.SIGKILL) }

// alive reports whether the group that p leads, or led, has processes.
func alive(p *os.Process) bool { return syscall.Kill(-p.Pid, 0) != syscall.ESRCH }

// signal sends s to the group of leader, and to the other groups of its session, such as those of
// timeout(1) and of shells with job control.
func signal(leader int, s syscall.Signal) {
	_ = syscall.Kill(-leader, s) // fails if all have ended, which is fine
	for _, group := range otherGroups(leader) {
		_ = syscall.Kill(-group, s)
	}
}

// lastShell is used if neither bash nor sh is in PATH.
func lastShell(command string) []string { return []string{"/bin/sh", "-c", command} }

// KillLine returns the command line that kills a program with its group.
func KillLine(pid int) string { return fmt.Sprintf("kill -- -%d", pid) }
