// This file kills what agent ext sync does at each of its steps.

package share

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// must returns x: no error is expected.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// followTeam follows the lock file of a team, as agent ext sync SOURCE does.
func followTeam(t testing.TB, in *Installer, source string) error {
	t.Helper()
	s, err := ParseSource(source)
	if err != nil {
		t.Fatal(err)
	}
	team, err := in.Fetch.FetchTeam(t.Context(), s)
	if err != nil {
		return err
	}
	all, err := in.List()
	if err != nil {
		t.Fatal(err)
	}
	here := map[string]Status{}
	for _, s := range all {
		here[s.File] = s
	}
	for _, e := range team.Entries {
		s := here[e.File]
		if s.Entry != nil && s.SHA256() == e.SHA256 || s.EditsOf(e) {
			continue
		}
		p, err := team.Preview(t.Context(), in, e, nil)
		if err == nil && p.Edited {
			p, err = Merge(t.Context(), in, p, *s.Base)
		}
		if err == nil {
			err = in.Install(t.Context(), p)
		}
		if err != nil {
			return err
		}
	}
	for _, s := range all {
		if s.Entry != nil && s.Entry.Team == team.From && entryOf(team.Entries, s.File) == nil {
			if err := in.RemoveAsListed(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestTeamSyncIsKilled kills a sync with a team at each of its steps: of a script that is new, one
// that is replaced, one that is merged with edits and one that goes, each is as it was or as it is
// to be, with an entry that says the same. The next sync does the rest.
func TestTeamSyncIsKilled(t *testing.T) {
	t.Parallel()
	const merged = "-- 0\n" + threeLines + "-- mine\n"
	for at := 0; ; at++ {
		in, from := newInstaller(t), t.TempDir()
		in.Removed = func(string) error { return nil }
		lock := filepath.Join(from, "scripts.lock")
		write(t, filepath.Join(from, "a.lua"), "-- one\n")
		write(t, filepath.Join(from, "b.lua"), threeLines)
		write(t, filepath.Join(from, "gone.lua"), "-- gone\n")
		write(t, lock, lockOf([3]string{"a.lua", "a.lua", "-- one\n"},
			[3]string{"b.lua", "b.lua", threeLines},
			[3]string{"gone.lua", "gone.lua", "-- gone\n"}))
		if err := followTeam(t, in, lock); err != nil {
			t.Fatal(err)
		}
		write(t, in.Path("own.lua"), "-- own\n")
		write(t, in.Path("b.lua"), threeLines+"-- mine\n")
		write(t, filepath.Join(from, "a.lua"), "-- two\n")
		write(t, filepath.Join(from, "b.lua"), "-- 0\n"+threeLines)
		write(t, filepath.Join(from, "new.lua"), "-- new\n")
		write(t, lock, lockOf([3]string{"a.lua", "a.lua", "-- two\n"},
			[3]string{"b.lua", "b.lua", "-- 0\n" + threeLines},
			[3]string{"new.lua", "new.lua", "-- new\n"}))
		ended := killAt(in, at, func() {
			if err := followTeam(t, in, lock); err != nil {
				t.Fatal(err)
			}
		})
		again := installerIn(in.Home)
		if err := again.Finish(); err != nil {
			t.Fatalf("killed at %s: %v", ended, err)
		}
		for file, texts := range map[string]string{"a.lua": "-- one\n|-- two\n",
			"b.lua": threeLines + "-- mine\n|" + merged, "new.lua": "|-- new\n",
			"gone.lua": "-- gone\n|", "own.lua": "-- own\n"} {
			if got := onDisk(again, file); !strings.Contains("|"+texts+"|", "|"+got+"|") {
				t.Errorf("killed at %s: %s is %q", ended, file, got)
			}
		}
		for _, s := range must(again.List()) {
			if s.File != "b.lua" && s.Drift != DriftNone ||
				s.File == "b.lua" && !s.EditsOf(*s.Entry) || strings.HasPrefix(s.File, ".") ||
				s.File != "own.lua" && s.Entry.Team != lock {
				t.Errorf("killed at %s: %s is %q, with the entry %+v and the base %+v", ended,
					s.File, s.Drift, s.Entry, s.Base)
			}
		}
		if err := followTeam(t, again, lock); err != nil {
			t.Fatalf("after it was killed at %s: %v", ended, err)
		}
		if got := drifts(t, again); got != "a.lua, b.lua edited edited, new.lua, own.lua" ||
			onDisk(again, "b.lua") != merged || onDisk(again, "a.lua") != "-- two\n" {
			t.Errorf("after it was killed at %s: %s, %q", ended, got, onDisk(again, "b.lua"))
		}
		if ended == "" {
			if at < 20 {
				t.Errorf("it has only %d steps", at)
			}
			return
		}
	}
}

// TestSyncOfEditsIsKilled kills a sync that merges a newer version of the lock file with edits, at
// each of its steps: the script is the edited one or the merged one, and the next sync knows which.
func TestSyncOfEditsIsKilled(t *testing.T) {
	t.Parallel()
	for at := 0; ; at++ {
		in, other, from := newInstaller(t), newInstaller(t), t.TempDir()
		other.Now = func() time.Time { return in.Now().Add(time.Hour) }
		install(t, in, from, "a.lua", threeLines)
		write(t, in.Path("a.lua"), threeLines+"-- mine\n")
		install(t, other, from, "a.lua", "-- 0\n"+threeLines)
		shared := string(must(os.ReadFile(other.Lock)))
		write(t, in.Lock, shared)
		merge := func(in *Installer) error {
			s := must(in.List())[0]
			p, err := in.Locked(t.Context(), *s.Entry, nil)
			if err == nil {
				p, err = Merge(t.Context(), in, p, *s.Base)
			}
			if err == nil {
				err = in.Install(t.Context(), p)
			}
			return err
		}
		ended := killAt(in, at, func() {
			if err := merge(in); err != nil {
				t.Fatal(err)
			}
		})
		again := installerIn(in.Home)
		if err := again.Finish(); err != nil {
			t.Fatalf("killed at %s: %v", ended, err)
		}
		s := must(again.List())[0]
		switch got := onDisk(again, "a.lua"); got {
		case "-- 0\n" + threeLines + "-- mine\n":
			if !s.EditsOf(*s.Entry) {
				t.Errorf("killed at %s: it is merged, and its base is %+v", ended, s.Base)
			}
		case threeLines + "-- mine\n":
			if s.EditsOf(*s.Entry) {
				t.Errorf("killed at %s: it is not merged, and counts as that", ended)
			}
			if err := merge(again); err != nil || !must(again.List())[0].EditsOf(*s.Entry) {
				t.Errorf("after it was killed at %s: %v", ended, err)
			}
		default:
			t.Errorf("killed at %s: got %q", ended, got)
		}
		if got := string(must(os.ReadFile(in.Lock))); got != shared {
			t.Errorf("killed at %s: the lock file is\n%s", ended, got)
		}
		if ended == "" {
			if at < 7 {
				t.Errorf("it has only %d steps", at)
			}
			return
		}
	}
}
