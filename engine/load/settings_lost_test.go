package load_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/filelock"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/ui"
)

// waiting returns the one file of settings that waits.
func (w *world) waiting() load.WaitingSetting {
	w.t.Helper()
	list, err := w.options.Settings.Waiting()
	if err != nil || len(list) != 1 {
		w.t.Fatalf("got %+v, %v, want one file", list, err)
	}
	return list[0]
}

// TestSettingsThatCannotBeRead: what is no readable file waits, whoever put it there, and the
// version in force stays, also when it is gone again.
func TestSettingsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(path string) error{
		"is a folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"has more than": func(path string) error {
			f, err := os.Create(path)
			if err != nil {
				return err
			}
			defer f.Close()
			return f.Truncate(5 << 20)
		},
	} {
		w := newWorld(t, nil)
		path := filepath.Join(w.home, "config.toml")
		write(t, path, "a = 1\n")
		w.start()
		w.wantSettings("a = 1\n")
		w.restartAfter(func() {
			must(t, os.Remove(path))
			must(t, put(path))
		})
		w.wantSettings("a = 1\n")
		one := w.waiting()
		if !strings.Contains(one.State(), name) || strings.Contains(one.String(), "trust add") {
			t.Errorf("got %q", one.String())
		}
		if err := w.options.Settings.Accept(one.Held); err == nil ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("accepted: %v", err)
		}
		w.restartAfter(func() { must(t, os.Remove(path)) })
		w.wantSettings("a = 1\n")
		if one := w.waiting(); !strings.Contains(one.State(), "could not be read") {
			t.Errorf("gone again: got %q", one.State())
		}
		must(t, put(path))
		w.wantSettings("a = 1\n")
		must(t, w.options.Settings.Restore(w.waiting().Held))
		if b, err := os.ReadFile(path); string(b) != "a = 1\n" || err != nil {
			t.Errorf("put back: got %q, %v", b, err)
		}
		if list, err := w.options.Settings.Waiting(); len(list) != 0 || err != nil {
			t.Errorf("got %+v, %v", list, err)
		}
	}
}

// TestSettingsFullFolder: a folder with files in it is never removed.
func TestSettingsFullFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	path := filepath.Join(w.home, "config.toml")
	write(t, path, "a = 1\n")
	w.start()
	w.wantSettings("a = 1\n")
	must(t, os.Remove(path))
	mkdir(t, path)
	write(t, filepath.Join(path, "mine"), "x")
	err := w.options.Settings.Restore(w.waiting().Held)
	if err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(path, "mine")); err != nil {
		t.Error(err)
	}
}

// TestSettingsShownAndAccepted: the text that is shown is that whose hash is accepted, while
// another program replaces the file.
func TestSettingsShownAndAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, o *load.Options) { o.Watch = false })
	path := filepath.Join(w.home, "config.toml")
	write(t, path, "a = 1\n")
	w.start()
	w.wantSettings("a = 1\n")
	w.run(func() { write(t, path, "a = 2\n") })
	w.waiting()
	var stop atomic.Bool
	var busy sync.WaitGroup
	busy.Add(1)
	go func() {
		defer busy.Done()
		for n := 0; !stop.Load(); n++ {
			next := path + ".new"
			_ = os.WriteFile(next, []byte("b = "+strings.Repeat("1", n%9+1)+"\n"), 0o600)
			_ = os.Rename(next, path)
		}
	}()
	defer busy.Wait()
	defer stop.Store(true)
	for range 150 {
		one := w.waiting()
		if sum := sha256.Sum256([]byte(one.Text)); hex.EncodeToString(sum[:]) != one.SHA256 {
			t.Fatalf("%q is shown, and %s would be accepted", one.Text, one.SHA256)
		}
	}
}

// TestSettingsOfTwoAgents: what the user saves while two agents are idle asks in neither.
func TestSettingsOfTwoAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, o *load.Options) { o.Watch = false })
	path := filepath.Join(w.home, "config.toml")
	write(t, path, "a = 0\n")
	w.start()
	agents := []*load.Settings{w.options.Settings, load.OpenSettings(w.home, w.known),
		load.OpenSettings(w.home, w.known)}
	for n := range 25 {
		want := "a = " + strings.Repeat("1", n+1) + "\n"
		write(t, path, want)
		var busy sync.WaitGroup
		for _, s := range agents {
			busy.Add(1)
			go func() {
				defer busy.Done()
				for range 8 {
					b, err := s.Read(path)
					if err != nil || string(b) != want {
						t.Errorf("save %d: got %q, %v", n, b, err)
					}
				}
			}()
		}
		busy.Wait()
		for _, s := range agents {
			if list, err := s.Waiting(); len(list) > 0 || err != nil {
				t.Fatalf("save %d: %+v, %v", n, list, err)
			}
		}
	}
}

// TestSettingsLocked: an agent that hangs while it decides does not stop the others.
func TestSettingsLocked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	path := filepath.Join(w.home, "config.toml")
	write(t, path, "a = 1\n")
	w.start()
	w.wantSettings("a = 1\n")
	lock, err := filelock.Open(filepath.Join(w.home, "state", "settings.lock"))
	must(t, err)
	defer func() { _ = filelock.Close(lock) }()
	write(t, path, "a = 2\n")
	w.wantSettings("a = 2\n")
}

// TestSettingsDecidedElsewhere: a decision in another process closes the question here.
func TestSettingsDecidedElsewhere(t *testing.T) {
	t.Parallel()
	var open atomic.Int32
	w := newWorld(t, func(_ *world, o *load.Options) {
		o.Confirm = func(ctx context.Context, _ *ui.Dialog) (bool, error) {
			open.Add(1)
			defer open.Add(-1)
			<-ctx.Done()
			return false, ctx.Err()
		}
	})
	path := filepath.Join(w.home, "config.toml")
	write(t, path, "a = 1\n")
	w.start()
	other := load.OpenSettings(w.home, w.known)
	for n, decide := range []func(h load.Held) error{other.Accept, other.Decline} {
		w.run(func() { write(t, path, "b = "+strings.Repeat("1", n+1)+"\n") })
		w.until("a question", func() bool { return open.Load() == 1 })
		must(t, decide(w.waiting().Held))
		w.until("no question", func() bool { return open.Load() == 0 })
	}
}

// TestSettingsAllGone: nothing can be restored, so nobody is told to; the user accepts that there
// are no settings.
func TestSettingsAllGone(t *testing.T) {
	t.Parallel()
	questions := make(chan *ui.Dialog, 9)
	w := heldWorld(t, func(d *ui.Dialog) bool {
		questions <- d
		return true
	})
	path := filepath.Join(w.home, "config.toml")
	write(t, path, "a = 1\n")
	w.start()
	w.wantSettings("a = 1\n")
	w.shut()
	removeInUse(t, w.home)
	w.open()
	const want = "the settings that you had (config.toml) are gone, with the copy of them; " +
		"agent trust add config.toml accepts that there are none"
	if b, err := w.options.Settings.Read(path); err == nil || err.Error() != want {
		t.Errorf("got %q, %v", b, err)
	}
	if one := w.waiting(); one.String() != want || !one.Lost {
		t.Errorf("got %q", one.String())
	}
	w.start()
	d := <-questions
	if d.Detail == "" || !strings.Contains(d.Title, "are gone") {
		t.Errorf("got %+v", d)
	}
	w.until("accepted", func() bool {
		list, err := w.options.Settings.Waiting()
		return len(list) == 0 && err == nil
	})
	w.wantSettings("")
}

// TestSettingsDamagedLists: a list that cannot be read is named, with what to do; without it, the
// next start asks once.
func TestSettingsDamagedLists(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"settings.json", "guards.json"} {
		w := newWorld(t, nil)
		list := filepath.Join(w.home, "state", name)
		path := filepath.Join(w.home, "config.toml")
		write(t, path, "a = 1\n")
		w.start()
		w.wantSettings("a = 1\n")
		w.shut()
		write(t, list, "garbage")
		write(t, path, "a = 2\n")
		w.open()
		for what, err := range map[string]error{"read": func() error {
			_, err := w.options.Settings.Read(path)
			return err
		}(), "list": func() error {
			_, err := w.options.Settings.Waiting()
			return err
		}()} {
			if err == nil || !strings.Contains(err.Error(), list) ||
				!strings.Contains(err.Error(), "remove it") {
				t.Errorf("%s: %s: got %v", name, what, err)
			}
		}
		must(t, os.Remove(list))
		if name == "guards.json" {
			must(t, os.Remove(w.known))
		}
		w.open()
		w.wantSettings("a = 1\n")
		must(t, w.options.Settings.Accept(w.waiting().Held))
		w.wantSettings("a = 2\n")
	}
}

// TestSettingsRestoreLink: what a link leads to is put back if only that was changed; a link that
// was changed itself is replaced.
func TestSettingsRestoreLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	path, mine := filepath.Join(w.home, "config.toml"), filepath.Join(w.root, "dotfile")
	evil := filepath.Join(w.root, "evil")
	write(t, mine, "a = 1\n")
	must(t, os.Chmod(mine, 0o644))
	must(t, os.Symlink(mine, path))
	time.Sleep(20 * time.Millisecond) // the link is older than the version in force
	w.start()
	w.wantSettings("a = 1\n")
	check := func(file, want string, link bool) {
		t.Helper()
		b, err := os.ReadFile(file)
		info, failed := os.Lstat(path)
		if err != nil || failed != nil || string(b) != want ||
			(info.Mode()&os.ModeSymlink != 0) != link {
			t.Errorf("got %q, %v, %v, link %v", b, err, failed, info.Mode())
		}
	}
	w.run(func() { write(t, mine, "a = 2\n") })
	must(t, w.options.Settings.Restore(w.waiting().Held))
	check(mine, "a = 1\n", true)
	if info, err := os.Stat(mine); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
	time.Sleep(20 * time.Millisecond)
	w.run(func() {
		write(t, evil, "a = 3\n")
		must(t, os.Remove(path))
		must(t, os.Symlink(evil, path))
	})
	must(t, w.options.Settings.Restore(w.waiting().Held))
	check(path, "a = 1\n", false)
	check(evil, "a = 3\n", false)
}
