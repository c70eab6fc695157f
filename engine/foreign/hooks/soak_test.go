package hooks_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestNoUnguardedMoment polls a call that a hook refuses, while the hooks are reloaded, and their
// file and their script are changed, broken, removed and put back.
func TestNoUnguardedMoment(t *testing.T) {
	t.Parallel()
	w := newRig(t).put("check.sh", soakGuard, 0o755)
	w.hooked("PreToolUse", "Bash", "${CLAUDE_PLUGIN_ROOT}/check.sh").begin()
	w.routine = true // what nobody guards runs
	var polls sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	for range 2 {
		polls.Go(func() {
			for ctx.Err() == nil {
				if got := w.bash("rm"); strings.Contains(got, "ran") {
					t.Errorf("the call ran: %q", got)
					return
				}
			}
		})
	}
	script := filepath.Join(w.folder, "x", "check.sh")
	for i := range 10 {
		w.loader.Reload(ctx)
		w.put("hooks.json", `{"hooks": {"PreToolUse": [`, 0o644)
		w.loader.Rescan(ctx)
		w.hooked("PreToolUse", "Bash", "${CLAUDE_PLUGIN_ROOT}/check.sh", "exit 0")
		w.loader.Rescan(ctx)
		switch i % 3 {
		case 0:
			w.put("check.sh", "#!/bin/sh\nexit 2\n", 0o755)
		case 1:
			if err := os.Remove(script); err != nil {
				t.Fatal(err)
			}
		case 2:
			if err := os.Chmod(script, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		w.loader.Rescan(ctx)
		_ = os.Remove(script)
		w.put("check.sh", soakGuard, 0o755)
		w.loader.Rescan(ctx)
	}
	w.eventually("the guard that decides", func() bool {
		return strings.HasPrefix(w.bash("rm"), "refused by x/hooks.json")
	})
	cancel()
	polls.Wait()
	if got := w.bash("ls"); !strings.HasPrefix(got, "ran") {
		t.Errorf("got %q; %s", got, w.told())
	}
}

const soakGuard = `#!/bin/sh
grep -q '"rm"' && exit 2
exit 0
`
