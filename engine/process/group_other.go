//go:build !unix

package process

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup does nothing: this system has no process groups to signal.
func OwnGroup() *syscall.SysProcAttr { return nil }

// Parents returns the process that this one descends from: this system tells no more.
func Parents() []int { return []int{os.Getppid()} }

// controlTerminal does nothing: there is no pseudo-terminal.
func controlTerminal(*exec.Cmd) {}

// unread reports false: what is in a pipe is not known here.
func unread(*os.File) bool { return false }

// A hunt ends a program.
type hunt struct {
	leader int
	in     *space
	parent bool
}

// end kills only the program itself: its children may continue.
func (h *hunt) end(<-chan struct{}) { Kill(h.leader) }

// Terminate does nothing: this system has no signal that asks a program to end.
func Terminate(*exec.Cmd) {}

// Kill kills only the program itself: its children may continue.
func Kill(leader int) {
	if p, err := os.FindProcess(leader); err == nil {
		_ = p.Kill()
	}
}

// space is a namespace, which this system does not have.
type space struct{}

// ownSpace returns nil.
func ownSpace(int) *space { return nil }

func (*space) release() {}

// sessionRuns returns false: this system cannot tell.
func sessionRuns(int) bool { return false }

// groupIn returns leader: it is the program.
func groupIn(leader int) int { return leader }

// leavesNothing returns true: this system does not tell.
func (f *Family) leavesNothing(Moment) bool { return true }

// A member is a process.
type member struct{}

// stat describes a process.
type stat struct {
	member
	pid         int
	name, began string
}

// adoptOrphans returns false.
func adoptOrphans() bool { return false }

// nameNow returns "".
func nameNow(Relative) string { return "" }

// relativeOf returns nothing.
func relativeOf(member) Relative { return Relative{} }

// Now returns 0.
func Now() Moment { return 0 }

// remaining returns nil: this system does not tell which processes a program has started.
func (f *Family) remaining(int, Moment) []stat { return nil }

// update does nothing.
func (f *Family) update() {}

// lastShell is used if neither bash nor sh is in PATH.
func lastShell(command string) []string { return []string{"cmd.exe", "/C", command} }

// KillLine returns the command line that kills a program with its children.
func KillLine(pid int) string { return fmt.Sprintf("taskkill /F /T /PID %d", pid) }
