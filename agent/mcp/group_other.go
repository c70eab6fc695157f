//go:build !unix

package mcp

import (
	"os"
	"syscall"
)

// ownGroup does nothing: there are no process groups to signal here.
func ownGroup() *syscall.SysProcAttr { return nil }

// endGroup does nothing: what has not ended when its input was closed is killed.
func endGroup(*os.Process) {}

// killGroup ends the process alone: what it has started may live on.
func killGroup(p *os.Process) { _ = p.Kill() }
