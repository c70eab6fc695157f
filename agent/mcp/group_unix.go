//go:build unix

package mcp

import (
	"os"
	"syscall"
)

// ownGroup makes a process the leader of a group, so that what it starts ends with it, and of a
// session: it has no terminal, so it can neither draw on the agent's screen nor wait for a password
// there.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// endGroup tells the process and what it has started to end.
func endGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) } // fails if all are gone

// killGroup ends them.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
