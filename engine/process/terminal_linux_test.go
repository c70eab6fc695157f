package process_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/ui"
)

// TestTerminalIsGivenBack: the user has the terminal back when the program ends, though a process
// that left its session writes to it, and has seen all that the program itself wrote.
func TestTerminalIsGivenBack(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	in, keys, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer keys.Close()
	p, err := process.Start(process.Command{
		Argv: process.Shell("setsid sh -c 'for i in $(seq 160); do echo more; : >began; " +
			"sleep 0.05; done; : >ended' & while [ ! -e began ]; do sleep 0.01; done; " +
			"echo last words"),
		Dir: dir,
		Terminal: &ui.Terminal{In: in, Out: &out,
			Size: func() (width, height int) { return 80, 24 }},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Wait(context.Background(), 0)
	if _, err := os.Stat(filepath.Join(dir, "ended")); err == nil {
		t.Error("the program had the terminal until its background process ended")
	}
	if !strings.Contains(out.String(), "last words") {
		t.Errorf("the terminal got %q, want the program's last words", out.String())
	}
}
