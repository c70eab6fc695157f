//go:build unix

package oracle

import (
	"os/exec"
	"syscall"
)

// own gives a command a process group, so that all of it can be ended.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// end ends what a command has left behind.
func end(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
