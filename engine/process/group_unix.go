//go:build unix

package process

import (
	"fmt"
	"syscall"
	"time"
)

// ownGroup makes the command the leader of a process group, so that its children can be ended with
// it, and of a session, so that it has no terminal: a program that opens /dev/tty would draw on the
// agent's screen, change the modes of its terminal, or wait for a password that no one can type.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// A hunt ends what a program has started.
type hunt struct {
	leader int     // the PID of the program
	in     *space  // its namespace: see ownSpace
	family *Family // may be nil
	known  []member
	rest   []member // what has left the group of the leader
}

// newHunt begins a hunt. The leader must still run, or not have been waited for.
func newHunt(leader int, in *space, f *Family) *hunt {
	return &hunt{leader: leader, in: in, family: f, known: f.strangers(nil)}
}

// findRest sets h.rest to what has left the group and runs, and reports whether there is anything.
// A program adopts what it has started; once it has ended, this process does.
func (h *hunt) findRest() bool {
	also := append(still(h.rest), h.family.strangers(h.known)...)
	h.rest = outside(h.leader, h.in, also)
	return len(h.rest) > 0
}

// end asks every process that the leader has started to end, and soon kills the rest. waited is
// closed when the leader has ended.
func (h *hunt) end(waited <-chan struct{}) {
	// before anything ends: what loses its parent then is harder to find
	h.findRest()
	_ = syscall.Kill(-h.leader, syscall.SIGTERM) // fails if all have ended, which is fine
	kill(h.rest, syscall.SIGTERM)
	deadline := time.After(TermGrace)
	poll := time.NewTicker(TermGrace / 10)
	defer poll.Stop()
	for {
		select {
		case <-deadline:
			h.kill()
			return
		case <-poll.C:
			select {
			// a group counts as gone only after the leader was waited for
			case <-waited:
				if !runs(h.leader) && !h.findRest() {
					return
				}
			default:
			}
		}
	}
}

// kill kills the group of the leader, and what has left it. A process may start others before it is
// killed, so it looks again until there are none. The leader, which adopts them, is killed last.
func (h *hunt) kill() {
	_ = syscall.Kill(h.leader, syscall.SIGSTOP)
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
	newHunt(leader, in, nil).kill()
}

// runs reports whether the group that a process leads, or led, has processes.
func runs(leader int) bool { return syscall.Kill(-leader, 0) != syscall.ESRCH }

// lastShell is used if neither bash nor sh is in PATH.
func lastShell(command string) []string { return []string{"/bin/sh", "-c", command} }

// KillLine returns the command line that kills a program with its group.
func KillLine(pid int) string { return fmt.Sprintf("kill -- -%d", pid) }
