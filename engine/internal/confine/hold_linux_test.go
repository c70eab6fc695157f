//go:build amd64 || arm64 || 386 || arm || riscv64 || loong64 || ppc64le || s390x

package confine

import (
	"os/exec"
	"testing"
)

// TestWaitAwake checks that a child process that only sleeps is killed, and that one which works
// for longer is waited for.
func TestWaitAwake(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		script string
		ended  bool
	}{
		{"read x", false},
		{"i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exit 3", true},
	} {
		cmd := exec.Command("sh", "-c", tt.script)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		status, ended := waitAwake(cmd.Process.Pid)
		if ended != tt.ended || ended && status.ExitStatus() != 3 {
			t.Errorf("%s: got status %v, ended: %v", tt.script, status, ended)
		}
	}
}
