package scripttest_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/filelock"
)

// TestSlowStore checks that the time that a script waits for the store is not charged to it.
func TestSlowStore(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"t.lua": `ext.on("input", function() return { text = "n is " .. ext.store.update("n", ` +
			`function(n) return (n or 0) + 1 end) } end)`,
		"t.js": `ext.on("input", () => ({ text: "n is " + ext.store.update("n", (n) => (n ?? 0) ` +
			`+ 1) }));`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			s := newStageIn(t, home)
			s.run(name, src)
			ask := func(want string) {
				t.Helper()
				ev, v := s.eng.Intercept(t.Context(),
					s.eng.Events.Named("input", &event.Envelope{},
						map[string]any{"text": "x", "source": "cli"}))
				if got := ev.Text("text"); got != want {
					t.Errorf("got %q, want %q: %v", got, want, v.Failed())
				}
			}
			ask("n is 1")
			files, err := filepath.Glob(filepath.Join(home, "store", "*", "*.lock"))
			if err != nil || len(files) != 1 {
				t.Fatalf("got %v, %v", files, err)
			}
			lock, err := os.OpenFile(files[0], os.O_RDWR, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			defer lock.Close()
			if err := filelock.Try(lock); err != nil {
				t.Fatal(err)
			}
			// four times the time limit of a guard, and as long as a VM may take to stop
			time.AfterFunc(time.Second, func() { lock.Close() })
			ask("n is 2")
		})
	}
}
