//go:build unix

package tool

import (
	"os"
	"syscall"
	"time"
)

// ownGroup makes the command the leader of a process group, so that its children can be ended with it, and
// of a session, so that it has no terminal: what opens /dev/tty would draw on the agent's screen, change the
// modes of its terminal, or wait for a password that nobody can type.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// endGroup tells every process of the group to end, and kills those that have not soon. waited is closed
// when the leader has ended.
func endGroup(p *os.Process, waited <-chan struct{}) {
	_ = syscall.Kill(-p.Pid, syscall.SIGTERM) // fails if all are gone, and that is as well
	deadline := time.After(termGrace)
	poll := time.NewTicker(termGrace / 10)
	defer poll.Stop()
	for {
		select {
		case <-deadline:
			_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
			return
		case <-poll.C:
			select {
			case <-waited: // only once the leader was waited for does the group of none count as gone
				if syscall.Kill(-p.Pid, 0) == syscall.ESRCH {
					return
				}
			default:
			}
		}
	}
}

// lastShell is for a system without bash and sh in its PATH.
func lastShell(command string) []string { return []string{"/bin/sh", "-c", command} }
