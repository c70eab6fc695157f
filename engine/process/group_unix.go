//go:build unix

package process

import (
	"fmt"
	"os/exec"
	"syscall"
	"time"

	"github.com/agentscripts/agent/engine/internal/launch"
)

// OwnGroup makes the command the leader of a process group, so that its children can be ended with
// it, and of a session, so that it has no terminal: a program that opens /dev/tty would draw on the
// agent's screen, change the modes of its terminal, or wait for a password that no one can type.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// controlTerminal makes the program's input its controlling terminal. Its session is its own.
func controlTerminal(cmd *exec.Cmd) {
	cmd.SysProcAttr.Setctty, cmd.SysProcAttr.Ctty = true, 0
}

// A hunt ends what a program has started.
type hunt struct {
	leader int    // the PID of the program, or of its parent: see Process.PID
	in     *space // its namespace: see ownSpace
	parent bool   // the leader is the program's parent, which adopts what loses its own
	rest   []member
}

// findRest sets h.rest to what runs and is not in the group of the leader, and reports whether
// there is anything.
func (h *hunt) findRest() bool {
	h.rest = outside(h.leader, h.in, still(h.rest))
	return len(h.rest) > 0
}

// signal sends a signal to what findRest finds, and to the group of a leader that is the program.
func (h *hunt) signal(s syscall.Signal) {
	h.findRest()
	if !h.parent {
		_ = syscall.Kill(-h.leader, s) // fails if all have ended, which is fine
	}
	kill(h.rest, s)
}

// end asks every process that the leader has started to end, and soon kills the rest. waited is
// closed when the leader has ended.
func (h *hunt) end(waited <-chan struct{}) {
	if h.parent { // until the others have ended, it must not end: it knows which they are
		_ = syscall.Kill(-h.leader, syscall.SIGSTOP)
	}
	h.signal(syscall.SIGTERM)
	deadline := time.After(TermGrace)
	poll := time.NewTicker(TermGrace / 10)
	defer poll.Stop()
	for {
		select {
		case <-deadline:
			h.kill()
			return
		case <-poll.C:
			rest := h.findRest()
			if h.parent && !rest {
				_ = syscall.Kill(-h.leader, syscall.SIGCONT)
			}
			select {
			// a group counts as gone only after the leader was waited for
			case <-waited:
				if !rest && !runs(h.leader) {
					return
				}
			default:
			}
		}
	}
}

// kill kills the group of the leader, and what has left it. A process may start others before it is
// killed, so it looks again until there are none. The group of the leader is killed last: there are
// those that adopt what the others leave.
func (h *hunt) kill() {
	_ = syscall.Kill(-h.leader, syscall.SIGSTOP)
	const rounds = 20
	for range rounds {
		if !h.findRest() {
			break
		}
		kill(h.rest, syscall.SIGKILL)
	}
	_ = syscall.Kill(-h.leader, syscall.SIGKILL)
	if h.findRest() {
		kill(h.rest, syscall.SIGKILL)
	}
}

// Kill kills the program whose PID is leader with all that it has started. leader was the PID of a
// Process, of this or of another program, that has not been waited for.
func Kill(leader int) {
	in := ownSpace(leader)
	defer in.release()
	(&hunt{leader: leader, in: in}).kill()
}

// Terminate asks a program to end, with all that it has started. cmd was started with OwnGroup.
func Terminate(cmd *exec.Cmd) {
	h := hunt{leader: cmd.Process.Pid, parent: launch.Through(cmd)}
	h.signal(syscall.SIGTERM)
}

// runs reports whether the group that a process leads, or led, has processes.
func runs(leader int) bool { return syscall.Kill(-leader, 0) != syscall.ESRCH }

// lastShell is used if neither bash nor sh is in PATH.
func lastShell(command string) []string { return []string{"/bin/sh", "-c", command} }

// KillLine returns the command line that kills a program with its group.
func KillLine(pid int) string { return fmt.Sprintf("kill -- -%d", pid) }
