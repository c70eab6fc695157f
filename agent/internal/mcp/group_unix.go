//go:build unix

package mcp

import (
	"os"
	"syscall"
)

// ownGroup makes a process the leader of a group, so that its children end with it, and of a
// session without a terminal, so that it can neither draw on the agent's screen nor wait for a
// password there.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// endGroup asks the process and its children to end.
func endGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) } // fails if all are gone

// killGroup kills the process and its children.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
