//go:build !unix

package tool

import (
	"os"
	"syscall"
)

// ownGroup does nothing: there are no process groups to signal here.
func ownGroup() *syscall.SysProcAttr { return nil }

// endGroup kills the command alone: what it started may live on.
func endGroup(p *os.Process, _ <-chan struct{}) { _ = p.Kill() }

// lastShell is for a system without bash and sh in its PATH.
func lastShell(command string) []string { return []string{"cmd.exe", "/C", command} }
