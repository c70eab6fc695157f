package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine/fence"
)

// TestStateNamesSockets checks that agent sandbox lists a socket of another program among what
// cannot be opened exactly if that holds: not with Landlock, which names it as a gap.
func TestStateNamesSockets(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "s") // not t.TempDir: the path of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket, secret := filepath.Join(dir, "docker.sock"), filepath.Join(dir, ".ssh")
	if err := os.Mkdir(secret, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { l.Close() })
	for _, mode := range []string{"mounts", "namespaces", "bubblewrap", "landlock"} {
		s := New(Options{User: dir, Project: filepath.Join(dir, "p"), Env: emptyEnv,
			Config: config.Sandbox{Mode: mode}})
		state := s.State()
		if state.Method == fence.None {
			continue // not on this machine
		}
		if !slices.Contains(state.Hidden, secret) {
			t.Errorf("%s: %s is not among %q", mode, secret, state.Hidden)
		}
		if got := slices.Contains(state.Hidden, socket); got != (mode != "landlock") {
			t.Errorf("%s: %s is listed as hidden: %v", mode, socket, got)
		}
		if len(state.Gaps) == 0 && mode == "landlock" {
			t.Error("landlock: no gaps")
		}
	}
}
