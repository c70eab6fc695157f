//go:build unix

package process

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// ownGroup makes the command the leader of a process group, so that its children can be ended with
// it, and of a session, so that it has no terminal: what opens /dev/tty would draw on the agent's
// screen, change the modes of its terminal, or wait for a password that nobody can type.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// endGroup tells every process that the command has started to end, and kills those that have not
// soon. waited is closed when the leader has ended. What has begun a session of its own has left,
// and lives on.
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
			// only once the leader was waited for does the group of none count as gone
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

// alive reports whether there is anybody in the group that p leads, or led.
func alive(p *os.Process) bool { return syscall.Kill(-p.Pid, 0) != syscall.ESRCH }

// signal sends s to the group that leader leads, and to the other groups of its session: timeout(1)
// and a shell with job control make such.
func signal(leader int, s syscall.Signal) {
	_ = syscall.Kill(-leader, s) // fails if all are gone, and that is as well
	for _, group := range otherGroups(leader) {
		_ = syscall.Kill(-group, s)
	}
}

// lastShell is for a system without bash and sh in its PATH.
func lastShell(command string) []string { return []string{"/bin/sh", "-c", command} }

// KillLine is the command line that ends a program with its group.
func KillLine(pid int) string { return fmt.Sprintf("kill -- -%d", pid) }
