package share

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func lockWith(entries string) string {
	return "{\n  \"version\": 1,\n  \"scripts\": [\n" + entries + "\n  ]\n}\n"
}

func lockLine(file, sum, source string) string {
	return fmt.Sprintf(`    {"file": %q, "sha256": %q, "source": %q}`, file, sum, source)
}

// TestLockEditedByHand checks the errors of a lock file that somebody has edited: they name the
// line, and the file is left as it is.
func TestLockEditedByHand(t *testing.T) {
	t.Parallel()
	sum := strings.Repeat("0a", 32)
	good := lockLine("a.lua", sum, "/x/a.lua")
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":     {"{\n\"version\": 1,\n oops", ":3: "},
		"cut":         {"{\n\"version\": 1,\n", ":3: it ends too early; mend the line"},
		"empty":       {"\n", ":1: it is empty; mend the line"},
		"kind":        {"{\n\"version\": 1,\n\"scripts\": {}}", ":3: "},
		"future":      {`{"version": 2, "scripts": []}`, "a newer agent"},
		"future kind": {`{"version": 2, "scripts": {"a": 1}, "x": 1}`, "a newer agent"},
		"more":        {lockWith(good) + "<<<<<<< HEAD\n", ":7: there is more after the end"},
		"two":         {lockWith(good) + lockWith(""), ":7: there is more after the end"},
		"large":       {lockWith(good) + strings.Repeat(" ", mostLock), "larger than 16384 KB"},
		"unknown": {lockWith(strings.TrimSuffix(good, "}") + ",\n\"pined\": true}"),
			":5: there is no field \"pined\""},
		"old": {`{"scripts": []}`, ":1: got version 0, want 1"},
		"twice": {lockWith(good + ",\n" + lockLine("b.js", sum, "/x") + ",\n" +
			lockLine("A.lua", sum, "/y")), ":6: A.lua is there twice"},
		"a path": {lockWith(good + ",\n" + lockLine("../x.lua", sum, "/x")),
			":5: file: got the file name"},
		"a hash":   {lockWith(lockLine("a.lua", "12", "/x")), ":4: a.lua: sha256"},
		"a source": {lockWith(lockLine("a.lua", sum, "http://x/a.lua")), ":4: a.lua: source"},
		"a device": {lockWith(lockLine("nul.lua", sum, "/x")), ":4: file:"},
		"with braces": {lockWith(`{"file": "}{\"", "sha256": "", "source": ""}` + ",\n" +
			good), ":4: file:"},
	} {
		in := newInstaller(t)
		write(t, in.Lock, c.text)
		_, err := in.List()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		write(t, in.Path("b.lua"), "-- b")
		if err := in.Remove("b.lua"); err == nil || onDisk(in, "b.lua") == "" {
			t.Errorf("%s: a script was removed, %v", name, err)
		}
		if b, _ := os.ReadFile(in.Lock); string(b) != c.text {
			t.Errorf("%s: the lock file was changed", name)
		}
	}
}

// TestLockIsSorted checks that entries are in order, whatever the order of installing was, and that
// a lock file of another machine reads the same.
func TestLockIsSorted(t *testing.T) {
	t.Parallel()
	in, from := newInstaller(t), t.TempDir()
	for _, name := range []string{"c.lua", "a.js", "b.lua"} {
		install(t, in, from, name, "// "+name)
	}
	first, err := os.ReadFile(in.Lock)
	if err != nil {
		t.Fatal(err)
	}
	var at []int
	for _, name := range []string{"a.js", "b.lua", "c.lua"} {
		at = append(at, strings.Index(string(first), `"file": "`+name+`"`))
	}
	if at[0] < 0 || at[0] > at[1] || at[1] > at[2] {
		t.Errorf("got the offsets %v", at)
	}
	if err := in.Pin("b.lua", true); err != nil {
		t.Fatal(err)
	}
	if err := in.Pin("b.lua", false); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(in.Lock); string(again) != string(first) {
		t.Errorf("got %s, want %s", again, first)
	}
}

// TestDrift checks what differs from the lock file, and that another machine can be made equal.
func TestDrift(t *testing.T) {
	t.Parallel()
	in, from := newInstaller(t), t.TempDir()
	for _, name := range []string{"same.lua", "edited.lua", "missing.lua"} {
		install(t, in, from, name, "-- "+name)
	}
	write(t, in.Path("edited.lua"), "-- edited here")
	write(t, in.Path("own.lua"), "-- written here")
	if err := os.Remove(in.Path("missing.lua")); err != nil {
		t.Fatal(err)
	}
	list, err := in.List()
	got := ""
	for _, s := range list {
		got += fmt.Sprintf("%s %s %v; ", s.File, s.Drift, s.Entry != nil)
	}
	if want := "edited.lua edited true; missing.lua missing true; own.lua  false; " +
		"same.lua  true; "; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	other := newInstaller(t)
	b, _ := os.ReadFile(in.Lock)
	write(t, other.Lock, string(b))
	list, err = other.List()
	if err != nil || len(list) != 3 {
		t.Fatalf("got %v, %v", list, err)
	}
	write(t, filepath.Join(from, "edited.lua"), "-- the source has changed")
	for _, s := range list {
		p, err := other.Locked(t.Context(), *s.Entry, nil)
		if s.File == "edited.lua" {
			if err == nil || !strings.Contains(err.Error(), "other bytes now") {
				t.Errorf("got %v, %v", p, err)
			}
			continue
		}
		if err == nil {
			err = other.Install(t.Context(), p)
		}
		if err != nil || onDisk(other, s.File) != "-- "+s.File {
			t.Errorf("%s: %v, %q", s.File, err, onDisk(other, s.File))
		}
	}
}

// TestNewer checks when a source has a newer version.
func TestNewer(t *testing.T) {
	t.Parallel()
	in := newInstaller(t)
	dir, first := repository(t)
	for source, newer := range map[string]bool{"@v1//a.lua": false, "//a.lua": true,
		"@" + first + "//a.lua": false} {
		s, err := ParseSource("git:" + dir + source)
		if err != nil {
			t.Fatal(err)
		}
		files, err := in.Fetch.Fetch(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		p, err := in.Preview(files[0])
		if err != nil {
			t.Fatal(err)
		}
		e := p.entry(in)
		if newer {
			e.SHA256 = strings.Repeat("00", 32)
		}
		if p, err = in.Newer(t.Context(), e); err != nil || (p != nil) != newer {
			t.Errorf("%s: got %v, %v", source, p, err)
		}
	}
}

// FuzzLock checks that no lock file makes reading it panic, or gives an entry that leads out of the
// folder.
func FuzzLock(f *testing.F) {
	f.Add(lockWith(lockLine("a.lua", strings.Repeat("0a", 32), "/x")))
	f.Add("{}")
	f.Add("{\"version\":1,\"scripts\":[{\"file\":\"\\u002e\\u002e/x.lua\"}]}")
	in := &Installer{Fetch: &Fetcher{Endings: endings}}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(dir, "scripts.lock")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := readLock(path, in.Fetch.CheckName)
		if err != nil {
			return
		}
		for _, e := range list {
			if filepath.Base(e.File) != e.File || e.File == "" {
				t.Errorf("%q gives %q", text, e.File)
			}
		}
	})
}

// TestLockWithMark checks that the mark that some editors write before a text does no harm.
func TestLockWithMark(t *testing.T) {
	t.Parallel()
	in := newInstaller(t)
	write(t, in.Lock, "\ufeff"+lockWith(lockLine("a.lua", strings.Repeat("0a", 32), "/x/a.lua")))
	if list, err := in.List(); err != nil || len(list) != 1 || list[0].File != "a.lua" {
		t.Errorf("got %v, %v", list, err)
	}
}
