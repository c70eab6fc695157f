//go:build !unix

package process

import (
	"fmt"
	"os"
	"syscall"
)

// ownGroup does nothing: there are no process groups to signal here.
func ownGroup() *syscall.SysProcAttr { return nil }

// endGroup kills the command alone: what it started may live on.
func endGroup(p *os.Process, _ <-chan struct{}) { _ = p.Kill() }

// alive: nobody can tell.
func alive(*os.Process) bool { return false }

// lastShell is for a system without bash and sh in its PATH.
func lastShell(command string) []string { return []string{"cmd.exe", "/C", command} }

// KillLine is the command line that ends a program with what it has started.
func KillLine(pid int) string { return fmt.Sprintf("taskkill /F /T /PID %d", pid) }
