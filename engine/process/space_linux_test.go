package process

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// TestSpaceOfAnother: the kernel gives the number of a namespace that is gone to the next one,
// whose processes are another command's.
func TestSpaceOfAnother(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may make mount namespaces alone")
	}
	inSpace := func(f func(pid int)) {
		cmd := exec.Command("sleep", "60")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
		if err := cmd.Start(); err != nil {
			t.Skip("no namespaces here: ", err)
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		f(cmd.Process.Pid)
	}
	var first *space
	inSpace(func(pid int) {
		if first = ownSpace(pid); !first.holds(pid) || first.holds(os.Getpid()) {
			t.Fatal("its namespace is not found")
		}
	})
	defer first.release()
	for range 20 {
		inSpace(func(pid int) {
			if first.holds(pid) {
				t.Fatal("a process of the next namespace counts as one of the first")
			}
		})
	}
}
