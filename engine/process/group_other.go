//go:build !unix

package process

import (
	"fmt"
	"os"
	"syscall"
)

// ownGroup does nothing: this system has no process groups to signal.
func ownGroup() *syscall.SysProcAttr { return nil }

// endGroup kills only the command itself: its children may continue.
func endGroup(p *os.Process, _ *space, _ <-chan struct{}) { _ = p.Kill() }

// space is a namespace, which this system does not have.
type space struct{}

// ownSpace returns nil.
func ownSpace(int) *space { return nil }

func (*space) release() {}

// alive returns false: this system cannot tell.
func alive(*os.Process) bool { return false }

// lastShell is used if neither bash nor sh is in PATH.
func lastShell(command string) []string { return []string{"cmd.exe", "/C", command} }

// KillLine returns the command line that kills a program with its children.
func KillLine(pid int) string { return fmt.Sprintf("taskkill /F /T /PID %d", pid) }
