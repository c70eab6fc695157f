package load_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/ui"
)

// wantSettings checks which text of config.toml is in force.
func (w *world) wantSettings(want string) {
	w.t.Helper()
	b, err := w.options.Settings.Read(filepath.Join(w.home, "config.toml"))
	if string(b) != want || err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatalf("in force: got %q, %v, want %q", b, err, want)
	}
}

// TestSettingsWaitForOneKey: a change of the settings while a tool runs, by whomever, and just
// after it, waits for one answer. What the user saves while no tool runs does not.
func TestSettingsWaitForOneKey(t *testing.T) {
	t.Parallel()
	for _, yes := range []bool{true, false} {
		var asked atomic.Int32
		var last atomic.Pointer[ui.Dialog]
		w := heldWorld(t, func(d *ui.Dialog) bool {
			asked.Add(1)
			last.Store(d)
			return yes
		})
		path := filepath.Join(w.home, "config.toml")
		write(t, path, "a = 1\n")
		w.start()
		w.wantSettings("a = 1\n")
		write(t, path, "a = 2\n")
		w.loader.Rescan(context.Background())
		w.wantSettings("a = 2\n")
		w.run(func() {
			write(t, path, "a = 3\n")
			time.Sleep(100 * time.Millisecond) // the watcher sees it while the tool runs
		})
		w.until("a question", func() bool { return asked.Load() > 0 })
		want := map[bool]string{true: "a = 3\n", false: "a = 2\n"}[yes]
		w.until("an answer", func() bool {
			b, _ := w.options.Settings.Read(path)
			return string(b) == want
		})
		d := last.Load()
		if !strings.Contains(d.Detail, "-a = 2\n+a = 3") ||
			!strings.Contains(d.Title, "config.toml was changed while the tool work was running") {
			t.Errorf("%+v", d)
		}
		w.options.Settings.Check()
		w.restart()
		w.wantSettings(want)
		time.Sleep(50 * time.Millisecond)
		if n := asked.Load(); n != 1 {
			t.Errorf("answer %v: got %d questions, want 1", yes, n)
		}
		w.run(func() {})
		write(t, path, "a = 4\n") // as a background job of the tool does
		w.options.Settings.Check()
		w.until("a second question", func() bool { return asked.Load() == 2 })
	}
}

// TestSettingsPutBack: the bytes in force end the question; so does putting them back.
func TestSettingsPutBack(t *testing.T) {
	t.Parallel()
	var open, asked atomic.Int32
	w := newWorld(t, func(_ *world, o *load.Options) {
		o.Confirm = func(ctx context.Context, _ *ui.Dialog) (bool, error) {
			open.Add(1)
			asked.Add(1)
			defer open.Add(-1)
			<-ctx.Done()
			return false, ctx.Err()
		}
	})
	path := filepath.Join(w.home, "config.toml")
	write(t, path, "a = 1\n")
	w.start()
	for n, back := range []func(h load.Held) error{
		func(load.Held) error { return os.WriteFile(path, []byte("a = 1\n"), 0o600) },
		func(h load.Held) error { return w.options.Settings.Restore(h) },
		// the same in another process
		func(h load.Held) error { return load.OpenSettings(w.home, w.known).Restore(h) },
		func(load.Held) error { return os.Remove(path) },
	} {
		w.run(func() { write(t, path, "evil = "+strings.Repeat("1", n+1)+"\n") })
		w.options.Settings.Check()
		w.until("a question", func() bool { return open.Load() == 1 })
		list, err := w.options.Settings.Waiting()
		if err != nil || len(list) != 1 {
			t.Fatalf("%d: %+v, %v", n, list, err)
		}
		w.wantSettings("a = 1\n")
		must(t, back(list[0].Held))
		if n == 3 { // deletion is another change, within the time after the tool
			w.until("another question", func() bool { return asked.Load() == 5 })
			w.wantSettings("a = 1\n")
			return
		}
		w.until("no question", func() bool { return open.Load() == 0 })
		w.wantSettings("a = 1\n")
	}
}

// TestSettingsOfTheAgentItself: what the user decides is written while a tool runs, and does not
// wait; nor does it accept what waits.
func TestSettingsOfTheAgentItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	path := filepath.Join(w.home, "permissions.json")
	w.start()
	s := w.options.Settings
	w.run(func() {
		write(t, path, "mine")
		must(t, s.Wrote(path, []byte("mine")))
		w.options.Settings.Check()
	})
	if b, err := s.Base(path); err != nil || string(b) != "mine" {
		t.Errorf("got %q, %v", b, err)
	}
	w.run(func() { write(t, path, "evil") })
	if b, err := s.Base(path); err == nil || !strings.Contains(err.Error(), "while the tool work") {
		t.Errorf("got %q, %v", b, err)
	}
	if b, err := s.Read(path); err != nil || string(b) != "mine" {
		t.Errorf("got %q, %v", b, err)
	}
}

// TestSettingsLost: without the version in force, or with another one in its place, the file is in
// force if it has the bytes that were; otherwise nothing is, and the user is asked.
func TestSettingsLost(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"gone":    os.Remove,
		"damaged": func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
		"another": func(path string) error {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text := strings.Replace(string(b), "a = 1\n", "a = 9\n", 1)
			return os.WriteFile(path, []byte(text), 0o600)
		},
	} {
		w := newWorld(t, nil)
		path := filepath.Join(w.home, "config.toml")
		write(t, path, "a = 1\n")
		w.start()
		w.wantSettings("a = 1\n")
		kept, err := filepath.Glob(filepath.Join(w.home, "state", "settings", "*"))
		if err != nil || len(kept) != 1 {
			t.Fatal(kept, err)
		}
		w.restartAfter(func() { must(t, spoil(kept[0])) })
		w.wantSettings("a = 1\n")
		w.restartAfter(func() {
			must(t, spoil(kept[0]))
			must(t, os.Remove(filepath.Join(w.home, "state", "guards.json")))
			write(t, path, "a = 2\n")
		})
		b, err := w.options.Settings.Read(path)
		if err == nil || !strings.Contains(err.Error(), "no copy of the version in force is left") {
			t.Errorf("%s: got %q, %v", name, b, err)
		}
	}
}
