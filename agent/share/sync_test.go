package share

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// team makes a machine that shares its lock file with another one, which has changed it: a.lua has
// a new version, gone.lua is not in it any more. own.lua was written on the machine.
func team(t testing.TB) *Installer {
	t.Helper()
	in, other, from := newInstaller(t), newInstaller(t), t.TempDir()
	for _, x := range []*Installer{in, other} {
		install(t, x, from, "a.lua", "-- one\n")
		install(t, x, from, "gone.lua", "-- gone\n")
	}
	write(t, in.Path("own.lua"), "-- mine\n")
	install(t, other, from, "a.lua", "-- two\n")
	if err := other.Remove("gone.lua"); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(other.Lock)
	if err != nil {
		t.Fatal(err)
	}
	write(t, in.Lock, string(b))
	return in
}

// syncAll follows the lock file: what agent ext sync does.
func syncAll(t testing.TB, in *Installer) error {
	t.Helper()
	all, err := in.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		switch s.Drift {
		case DriftBehind, DriftMissing:
			p, err := in.Locked(t.Context(), *s.Entry, nil)
			if err != nil {
				return err
			}
			if err := in.Install(t.Context(), p); err != nil {
				return err
			}
		case DriftDropped:
			if err := in.RemoveAsListed(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func drifts(t testing.TB, in *Installer) string {
	t.Helper()
	all, err := in.List()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range all {
		text := s.File + " " + string(s.Drift)
		if s.Edited {
			text += " edited"
		}
		out = append(out, strings.TrimSpace(text))
	}
	return strings.Join(out, ", ")
}

// TestOthersChangeTheLockFile checks that what others have changed is told from what was edited or
// written here, that sync leaves the lock file as it is, and that what it removes comes back.
func TestOthersChangeTheLockFile(t *testing.T) {
	t.Parallel()
	in := team(t)
	shared, _ := os.ReadFile(in.Lock)
	if got := drifts(t, in); got != "a.lua behind, gone.lua dropped, own.lua" {
		t.Errorf("got %s", got)
	}
	install(t, in, t.TempDir(), "more.lua", "-- more\n") // what is known must outlast a change
	write(t, in.Path("gone.lua"), "-- edited\n")
	if got := drifts(t, in); got != "a.lua behind, gone.lua dropped edited, more.lua, own.lua" {
		t.Errorf("got %s", got)
	}
	write(t, in.Path("gone.lua"), "-- gone\n")
	if err := in.Remove("more.lua"); err != nil {
		t.Fatal(err)
	}
	if err := syncAll(t, in); err != nil {
		t.Fatal(err)
	}
	if got := drifts(t, in); got != "a.lua, own.lua" {
		t.Errorf("got %s", got)
	}
	if now, _ := os.ReadFile(in.Lock); string(now) != string(shared) {
		t.Errorf("the lock file was\n%s\nand is\n%s", shared, now)
	}
	if err := in.Restore(t.Context(), "gone.lua"); err != nil {
		t.Fatal(err)
	}
	if got := drifts(t, in); got != "a.lua, gone.lua, own.lua" || entry(t, in, "gone.lua") == nil {
		t.Errorf("got %s, %v", got, entry(t, in, "gone.lua"))
	}
}

// TestEqualMachineIsNoted checks that a script which came with the lock file, and not by a command,
// is known when the lock file does not name it any more.
func TestEqualMachineIsNoted(t *testing.T) {
	t.Parallel()
	in, other := newInstaller(t), newInstaller(t)
	install(t, other, t.TempDir(), "a.lua", "-- one\n")
	b, _ := os.ReadFile(other.Lock)
	write(t, in.Lock, string(b))
	write(t, in.Path("a.lua"), "-- one\n")
	if err := in.Note(); err != nil {
		t.Fatal(err)
	}
	write(t, in.Lock, "{\"version\": 1, \"scripts\": []}\n")
	if got := drifts(t, in); got != "a.lua dropped" {
		t.Errorf("got %s", got)
	}
}

// TestLateChanges checks that nothing happens that is not what the user was asked about.
func TestLateChanges(t *testing.T) {
	t.Parallel()
	in := team(t)
	all, err := in.List()
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	p, err := in.Locked(t.Context(), *all[0].Entry, nil)
	if err != nil {
		t.Fatal(err)
	}
	install(t, in, filepath.Dir(all[0].Entry.Source), "gone.lua", "-- gone\n") // in the lock again
	if err := in.RemoveAsListed(all[1]); !errors.Is(err, errChanged) ||
		onDisk(in, "gone.lua") == "" {
		t.Errorf("got %v", err)
	}
	if err := in.Pin("a.lua", true); err != nil {
		t.Fatal(err)
	}
	if err := in.Install(t.Context(), p); !errors.Is(err, errChanged) ||
		onDisk(in, "a.lua") != "-- one\n" {
		t.Errorf("got %v, %q", err, onDisk(in, "a.lua"))
	}
	in = team(t)
	if all, err = in.List(); err != nil {
		t.Fatal(err)
	}
	write(t, in.Path("gone.lua"), "-- edited meanwhile\n")
	if err := in.RemoveAsListed(all[1]); !errors.Is(err, errChanged) ||
		onDisk(in, "gone.lua") == "" {
		t.Errorf("got %v", err)
	}
}

// TestNoLockFile checks that a lock file that is not there is no reason to remove all scripts, and
// that a list of what was there which cannot be read is none to remove nothing without a word.
func TestNoLockFile(t *testing.T) {
	t.Parallel()
	in := team(t)
	if err := in.CheckLock(); err != nil {
		t.Error(err)
	}
	write(t, past{in}.path(), "{\"version\": 7}")
	if err := in.CheckLock(); err == nil || !strings.Contains(err.Error(), "or remove it") {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(in.Lock); err != nil {
		t.Fatal(err)
	}
	err := in.CheckLock()
	if err == nil || !strings.Contains(err.Error(), "without a lock file") {
		t.Errorf("got %v", err)
	}
}

// TestSyncIsKilled kills a sync at each of its steps: each script is the old one or the new one,
// the lock file is as it was, and the next sync does the rest.
func TestSyncIsKilled(t *testing.T) {
	t.Parallel()
	for at := 0; ; at++ {
		in := team(t)
		shared, _ := os.ReadFile(in.Lock)
		ended := killAt(in, at, func() {
			if err := syncAll(t, in); err != nil {
				t.Fatal(err)
			}
		})
		again := installerIn(in.Home)
		if err := again.Finish(); err != nil {
			t.Fatalf("killed at %s: %v", ended, err)
		}
		for file, texts := range map[string]string{"a.lua": "-- one\n|-- two\n",
			"gone.lua": "-- gone\n|", "own.lua": "-- mine\n"} {
			if got := onDisk(again, file); !strings.Contains("|"+texts+"|", "|"+got+"|") {
				t.Errorf("killed at %s: %s is %q", ended, file, got)
			}
		}
		if err := syncAll(t, again); err != nil {
			t.Fatalf("after it was killed at %s: %v", ended, err)
		}
		if got := drifts(t, again); got != "a.lua, own.lua" {
			t.Errorf("after it was killed at %s: %s", ended, got)
		}
		if now, _ := os.ReadFile(in.Lock); string(now) != string(shared) {
			t.Errorf("killed at %s: the lock file is\n%s", ended, now)
		}
		if ended == "" {
			if at < 8 {
				t.Errorf("it has only %d steps", at)
			}
			return
		}
	}
}
