//go:build !unix

package mcp

import (
	"os"
	"syscall"
)

// ownGroup does nothing: this system has no process groups.
func ownGroup() *syscall.SysProcAttr { return nil }

// endGroup does nothing: a process that does not end when its input is closed is killed.
func endGroup(*os.Process) {}

// killGroup kills only the process: its children may live on.
func killGroup(p *os.Process) { _ = p.Kill() }
