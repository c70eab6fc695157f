//go:build unix

package oracle

import (
	"os/exec"
	"syscall"
)

// setGroup gives a command its own process group, so that all its processes can be killed.
func setGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the processes that a command has left running.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
