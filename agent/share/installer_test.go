package share

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/realpath"
)

// newInstaller makes an installer in a new home. To it, each script loads that does not say
// "broken".
func newInstaller(t testing.TB) *Installer {
	t.Helper()
	home := t.TempDir()
	return installerIn(home)
}

func installerIn(home string) *Installer {
	return &Installer{Home: home, Scripts: filepath.Join(home, "scripts"),
		Lock: filepath.Join(home, "scripts.lock"), Fetch: &Fetcher{Endings: endings},
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
		Load: func(_ context.Context, path string) error {
			text, err := os.ReadFile(path)
			if err == nil && strings.Contains(string(text), "broken") {
				err = fmt.Errorf("%s:1: broken", filepath.Base(path))
			}
			return err
		}}
}

const header = "-- ==Agent==\n-- @version %s\n-- @grant %s\n-- ==/Agent==\n"

// offer writes a script into a folder that others install from, and returns its preview.
func offer(t testing.TB, in *Installer, dir, name, text string) *Preview {
	t.Helper()
	write(t, filepath.Join(dir, name), text)
	s, err := ParseSource(filepath.Join(dir, name))
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
	return p
}

func install(t testing.TB, in *Installer, dir, name, text string) {
	t.Helper()
	if err := in.Install(t.Context(), offer(t, in, dir, name, text)); err != nil {
		t.Fatal(err)
	}
}

// onDisk returns the text of a script in its place; "" if there is none.
func onDisk(in *Installer, file string) string {
	b, _ := os.ReadFile(in.Path(file))
	return string(b)
}

func entry(t testing.TB, in *Installer, file string) *Entry {
	t.Helper()
	list, err := in.Entries()
	if err != nil {
		t.Fatal(err)
	}
	return entryOf(list, file)
}

// TestInstall follows a script from its first version over an edit to its removal and back.
func TestInstall(t *testing.T) {
	t.Parallel()
	in, from := newInstaller(t), t.TempDir()
	one := fmt.Sprintf(header, "1", "exec:git")
	two := fmt.Sprintf(header, "2", "exec:git\n-- @grant net:*")
	p := offer(t, in, from, "a.lua", one)
	if p.Replaces || len(p.Wants) != 1 || p.Header.Version != "1" {
		t.Errorf("got %+v", p)
	}
	if err := in.Install(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	e := entry(t, in, "a.lua")
	if e == nil || e.Version != "1" || e.SHA256 != p.SHA256 || e.Name != "a" ||
		e.Source != filepath.Join(from, "a.lua") || onDisk(in, "a.lua") != one {
		t.Errorf("got %+v", e)
	}
	p = offer(t, in, from, "a.lua", two)
	if !p.Replaces || p.Edited || len(p.More) != 1 || p.More[0].Grant != "net:*" ||
		!strings.Contains(p.Diff, "+-- @version 2") {
		t.Errorf("got %+v", p)
	}
	write(t, in.Path("a.lua"), one+"-- edited\n")
	err := in.Install(t.Context(), p)
	if err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("after an edit: %v", err)
	}
	if p = offer(t, in, from, "a.lua", two); !p.Edited {
		t.Error("the edit is not seen")
	}
	if err := in.Install(t.Context(), p); err != nil || onDisk(in, "a.lua") != two {
		t.Errorf("got %v, %q", err, onDisk(in, "a.lua"))
	}
	for _, want := range []string{one + "-- edited\n", two, one + "-- edited\n"} { // by turns
		if err := in.Restore(t.Context(), "a.lua"); err != nil || onDisk(in, "a.lua") != want {
			t.Errorf("restored: %v, %q, want %q", err, onDisk(in, "a.lua"), want)
		}
	}
	if err := in.Remove("a.lua"); err != nil || onDisk(in, "a.lua") != "" ||
		entry(t, in, "a.lua") != nil {
		t.Errorf("removed: %v", err)
	}
	if err := in.Remove("a.lua"); err == nil || !strings.Contains(err.Error(), "no script a.lua") {
		t.Errorf("removed again: %v", err)
	}
	if err := in.Restore(t.Context(), in.InTrash("a")); err != nil ||
		onDisk(in, "a.lua") != one+"-- edited\n" {
		t.Errorf("restored: %v, %q", err, onDisk(in, "a.lua"))
	}
}

// TestBrokenIsNotInstalled checks that a script that does not load changes nothing.
func TestBrokenIsNotInstalled(t *testing.T) {
	t.Parallel()
	in, from := newInstaller(t), t.TempDir()
	p := offer(t, in, from, "a.lua", "broken")
	var failed *LoadError
	if err := in.Install(t.Context(), p); !errors.As(err, &failed) ||
		!strings.Contains(err.Error(), "not installed: a.lua:1: broken") {
		t.Errorf("got %v", err)
	}
	install(t, in, from, "a.lua", "-- works")
	err := in.Install(t.Context(), offer(t, in, from, "a.lua", "broken"))
	if !errors.As(err, &failed) {
		t.Errorf("got %v", err)
	}
	files, _ := os.ReadDir(in.Scripts)
	if onDisk(in, "a.lua") != "-- works" || len(files) != 1 {
		t.Errorf("got %q and %v", onDisk(in, "a.lua"), files)
	}
	if list, err := in.List(); err != nil || len(list) != 1 || list[0].Drift != DriftNone {
		t.Errorf("got %+v, %v", list, err)
	}
}

// killAt runs a change that ends, as if the program were killed, at a step. It returns the name of
// the step; "" = there are fewer.
func killAt(in *Installer, at int, change func()) (ended string) {
	n := 0
	in.step = func(step string) {
		if n == at {
			panic(killed{step})
		}
		n++
	}
	defer func() {
		if r := recover(); r != nil {
			ended = r.(killed).step
		}
	}()
	change()
	return ""
}

// killed is how a change ends whose process is killed.
type killed struct{ step string }

// TestKilled kills each change at each of its steps. The next command finds the old script or the
// new one, and a lock file that says the same.
func TestKilled(t *testing.T) {
	t.Parallel()
	changes := map[string]func(*Installer, string) error{
		"install": func(in *Installer, from string) error {
			return in.Install(t.Context(), offer(t, in, from, "new.lua", "-- new\n"))
		},
		"update": func(in *Installer, from string) error {
			return in.Install(t.Context(), offer(t, in, from, "a.lua", "-- two\n"))
		},
		"remove": func(in *Installer, _ string) error { return in.Remove("a.lua") },
		"restore": func(in *Installer, _ string) error {
			return in.Restore(t.Context(), "gone.lua")
		},
		"restore over": func(in *Installer, _ string) error {
			return in.Restore(t.Context(), "own.lua")
		},
	}
	for name, change := range changes {
		steps := 0
		for at := 0; ; at++ {
			in, from := newInstaller(t), t.TempDir()
			in.Approve = func(string, []byte) error { return nil }
			in.Removed = func(string) error { return nil }
			install(t, in, from, "a.lua", "-- one\n")
			install(t, in, from, "gone.lua", "-- gone\n")
			write(t, in.Path("own.lua"), "-- mine\n") // written here, then replaced
			install(t, in, from, "own.lua", "-- theirs\n")
			if err := in.Remove("gone.lua"); err != nil {
				t.Fatal(err)
			}
			ended := killAt(in, at, func() {
				if err := change(in, from); err != nil {
					t.Fatal(name, err)
				}
			})
			again := installerIn(in.Home)
			err := again.Finish()
			if err != nil {
				t.Fatalf("%s killed at %s: %v", name, ended, err)
			}
			list, err := again.List()
			if err != nil {
				t.Fatalf("%s killed at %s: %v", name, ended, err)
			}
			for _, s := range list {
				if s.Drift != DriftNone || strings.HasPrefix(s.File, ".") {
					t.Errorf("%s killed at %s: %s is %s", name, ended, s.File, s.Drift)
				}
			}
			for file, texts := range map[string]string{"a.lua": "-- one\n|-- two\n|",
				"new.lua": "|-- new\n", "gone.lua": "|-- gone\n",
				"own.lua": "-- mine\n|-- theirs\n"} {
				got := onDisk(again, file)
				if !strings.Contains("|"+texts+"|", "|"+got+"|") {
					t.Errorf("%s killed at %s: %s is %q", name, ended, file, got)
				}
				e := entry(t, again, file)
				if wants := got != "" && got != "-- mine\n"; (e != nil) != wants {
					t.Errorf("%s killed at %s: %s is %q, with the entry %v", name, ended, file,
						got, e)
				}
			}
			if _, err := os.Stat(again.journalPath()); err == nil {
				t.Errorf("%s killed at %s: the journal is still there", name, ended)
			}
			if ended == "" {
				break
			}
			steps++
		}
		if steps < 4 {
			t.Errorf("%s has only %d steps", name, steps)
		}
	}
}

// TestTwoAtOnce installs in many processes at once, as far as file locks know: no entry is lost.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	home, from := t.TempDir(), t.TempDir()
	const many = 8
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			in := installerIn(home)
			name := fmt.Sprintf("s%d.lua", i)
			if err := in.Install(t.Context(), offer(t, in, from, name, "-- "+name)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	list, err := installerIn(home).List()
	if err != nil || len(list) != many {
		t.Fatalf("got %d scripts, %v", len(list), err)
	}
	for _, s := range list {
		if s.Entry == nil || s.Drift != DriftNone {
			t.Errorf("got %+v", s)
		}
	}
}

// TestTwins checks that a script is not installed beside one of the same name in another language,
// or with other capitals.
func TestTwins(t *testing.T) {
	t.Parallel()
	in, from := newInstaller(t), t.TempDir()
	install(t, in, from, "a.lua", "-- a")
	for _, name := range []string{"a.js", "A.lua"} {
		write(t, filepath.Join(from, "x", name), "// a")
		s, _ := ParseSource(filepath.Join(from, "x", name))
		files, err := in.Fetch.Fetch(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if realpath.Exists(in.Path(name)) {
			continue // this file system does not tell capitals apart
		}
		_, err = in.Preview(files[0])
		if err == nil || !strings.Contains(err.Error(), "a.lua is there") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestTrashKeepsBytes checks that a script which is no text comes back as it was.
func TestTrashKeepsBytes(t *testing.T) {
	t.Parallel()
	in := newInstaller(t)
	const text = "-- \xfc\xff\n"
	write(t, in.Path("mine.lua"), text)
	if err := in.Remove("mine.lua"); err != nil {
		t.Fatal(err)
	}
	if err := in.Restore(t.Context(), "mine.lua"); err != nil || onDisk(in, "mine.lua") != text {
		t.Errorf("got %q, %v", onDisk(in, "mine.lua"), err)
	}
}

// TestLinksOutOfTheProject checks that links which a repository brings do not lead a command to
// write or to show a file outside.
func TestLinksOutOfTheProject(t *testing.T) {
	t.Parallel()
	for _, link := range []string{".agent", ".agent/scripts", ".agent/scripts.lock",
		".agent/scripts/a.lua", ".agent/scripts/new.lua"} {
		in, out, from := newInstaller(t), t.TempDir(), t.TempDir()
		in.Root = t.TempDir()
		in.Scripts = filepath.Join(in.Root, ".agent", "scripts")
		in.Lock = filepath.Join(in.Root, ".agent", "scripts.lock")
		write(t, filepath.Join(out, "a.lua"), "-- outside\n")
		at := filepath.Join(in.Root, link)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		to := out
		if filepath.Ext(link) != "" && link != ".agent" {
			to = filepath.Join(out, filepath.Base(link))
		}
		if err := os.Symlink(to, at); err != nil {
			t.Skip("no links here: ", err)
		}
		for _, name := range []string{"a.lua", "new.lua"} {
			write(t, filepath.Join(from, name), "-- theirs\n")
			s, _ := ParseSource(filepath.Join(from, name))
			files, err := in.Fetch.Fetch(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			p, err := in.Preview(files[0])
			if err == nil {
				err = in.Install(t.Context(), p)
			}
			if filepath.Base(link) != name && filepath.Dir(link) == ".agent/scripts" {
				continue // the link is not in its way
			}
			if err == nil || !strings.Contains(err.Error(), "leads out of the project") {
				t.Errorf("%s: install %s: got %v", link, name, err)
			}
		}
		list, err := in.List()
		for _, s := range list {
			if got, failed := Text(s); strings.Contains(got, "outside") || failed == nil &&
				strings.HasSuffix(link, s.File) {
				t.Errorf("%s: share %s: got %q, %v, %v", link, s.File, got, failed, err)
			}
		}
		files, _ := os.ReadDir(out)
		b, _ := os.ReadFile(filepath.Join(out, "a.lua"))
		if len(files) != 1 || string(b) != "-- outside\n" {
			t.Errorf("%s: outside are %v, %q", link, files, b)
		}
	}
}

// TestLockIsNotWritten checks what the error says: only what has a journal is tried again.
func TestLockIsNotWritten(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*Installer) error{
		"nothing has changed": func(in *Installer) error { return in.Pin("a.lua", true) },
		"tries again":         func(in *Installer) error { return in.Remove("a.lua") },
	} {
		in, dir := newInstaller(t), filepath.Join(t.TempDir(), "dotfiles")
		in.Lock = filepath.Join(dir, "scripts.lock")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		install(t, in, t.TempDir(), "a.lua", "-- a\n")
		in.step = func(step string) {
			if step == "lock" {
				os.RemoveAll(dir)
			}
		}
		if err := change(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestFinish checks that what was killed is finished for a command that only looks, and that
// nothing stays of the version that was tried.
func TestFinish(t *testing.T) {
	t.Parallel()
	in, from := newInstaller(t), t.TempDir()
	install(t, in, from, "a.lua", "-- one\n")
	p := offer(t, in, from, "a.lua", "-- two\n")
	e := p.entry(in)
	if err := in.writeJournal(journal{"a.lua", p.SHA256, &e, false}); err != nil {
		t.Fatal(err)
	}
	write(t, in.Path("a.lua"), "-- two\n")
	write(t, in.staged("b.lua"), "-- tried\n")
	now, old := in.Path(".new-1"), in.Path(".new-2")
	write(t, now, "-- an agent writes it\n")
	write(t, old, "-- half\n")
	before := time.Now().Add(-2 * leftAfter)
	if err := os.Chtimes(old, before, before); err != nil {
		t.Fatal(err)
	}
	if err := in.Finish(); err != nil {
		t.Fatal(err)
	}
	list, err := in.List()
	if err != nil || len(list) != 1 || list[0].Drift != DriftNone {
		t.Errorf("got %+v, %v", list, err)
	}
	if realpath.Exists(in.staged("b.lua")) || realpath.Exists(old) || !realpath.Exists(now) {
		t.Error("want the file that is being written, and no other")
	}
}

// TestLinksStay checks that an update follows the links of dotfiles instead of replacing them.
func TestLinksStay(t *testing.T) {
	t.Parallel()
	in, from, dotfiles := newInstaller(t), t.TempDir(), t.TempDir()
	install(t, in, from, "a.lua", "-- one\n")
	for _, at := range []string{in.Path("a.lua"), in.Lock} {
		to := filepath.Join(dotfiles, filepath.Base(at))
		if err := errors.Join(os.Rename(at, to), os.Symlink(to, at)); err != nil {
			t.Fatal(err)
		}
	}
	install(t, in, from, "a.lua", "-- two\n")
	for _, at := range []string{in.Path("a.lua"), in.Lock} {
		if info, err := os.Lstat(at); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", at)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(dotfiles, "a.lua")); string(b) != "-- two\n" {
		t.Errorf("got %q", b)
	}
}

// TestReadOnlyHome checks that a home that cannot be written is an error, and nothing changes.
func TestReadOnlyHome(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root can write everywhere")
	}
	in, from := newInstaller(t), t.TempDir()
	install(t, in, from, "a.lua", "-- one\n")
	p := offer(t, in, from, "a.lua", "-- two\n")
	if err := os.Chmod(in.Scripts, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(in.Scripts, 0o700)
	if err := in.Install(t.Context(), p); err == nil || onDisk(in, "a.lua") != "-- one\n" {
		t.Errorf("got %v, %q", err, onDisk(in, "a.lua"))
	}
}

// TestProjectIsApart checks that the trash of a project's scripts is not that of the user's: what
// nobody has trusted must not come to the user's own scripts.
func TestProjectIsApart(t *testing.T) {
	t.Parallel()
	in, from := newInstaller(t), t.TempDir()
	project := installerIn(in.Home)
	project.Scripts = filepath.Join(t.TempDir(), "scripts")
	project.Lock = filepath.Join(filepath.Dir(project.Scripts), "scripts.lock")
	install(t, project, from, "a.lua", "-- of the project")
	if err := project.Remove("a.lua"); err != nil {
		t.Fatal(err)
	}
	if err := in.Restore(t.Context(), "a.lua"); err == nil || realpath.Exists(in.Path("a.lua")) {
		t.Errorf("a script of the project came to the user's: %v", err)
	}
	err := project.Restore(t.Context(), "a.lua")
	if err != nil || onDisk(project, "a.lua") == "" {
		t.Errorf("it was not restored: %v", err)
	}
}
