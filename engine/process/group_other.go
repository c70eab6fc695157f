//go:build !unix

package process

import (
	"fmt"
	"os"
	"syscall"
)

// ownGroup does nothing: this system has no process groups to signal.
func ownGroup() *syscall.SysProcAttr { return nil }

// A hunt ends a program.
type hunt struct{ leader int }

func newHunt(leader int, _ *space, _ *Family) *hunt { return &hunt{leader} }

// end kills only the program itself: its children may continue.
func (h *hunt) end(<-chan struct{}) {
	if p, err := os.FindProcess(h.leader); err == nil {
		_ = p.Kill()
	}
}

// space is a namespace, which this system does not have.
type space struct{}

// ownSpace returns nil.
func ownSpace(int) *space { return nil }

func (*space) release() {}

// runs returns false: this system cannot tell.
func runs(int) bool { return false }

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
