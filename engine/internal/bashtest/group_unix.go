//go:build unix

package bashtest

import (
	"os/exec"
	"syscall"
)

// inGroup makes a program and what it starts end together.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
