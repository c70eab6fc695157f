package share

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/engine/realpath"
)

const threeLines = "-- one\n-- two\n-- three\n"

// newer writes a newer version into the folder that a.lua was installed from, and returns its
// preview with the user's edits.
func newer(t testing.TB, in *Installer, from, text string) (*Preview, error) {
	t.Helper()
	write(t, filepath.Join(from, "a.lua"), text)
	e := *entry(t, in, "a.lua")
	p, err := in.Newer(t.Context(), e)
	if err != nil || p == nil || !p.Edited {
		t.Fatalf("got %+v, %v", p, err)
	}
	return Merge(t.Context(), in, p, e)
}

// TestMergeKeepsEdits checks that newer versions come with the edits, one after the other, that the
// lock file has what the source offers, and that the script before comes back.
func TestMergeKeepsEdits(t *testing.T) {
	t.Parallel()
	in, from := newInstaller(t), t.TempDir()
	install(t, in, from, "a.lua", threeLines)
	edited := threeLines + "-- mine\n"
	write(t, in.Path("a.lua"), edited)
	text := threeLines
	for _, change := range []string{"-- ==Agent==\n-- @grant exec:git\n-- ==/Agent==\n", "-- 0\n"} {
		text = change + text
		p, err := newer(t, in, from, text)
		if err != nil || !p.Merged() || string(p.File.Text) != text+"-- mine\n" {
			t.Fatalf("got %+v, %v", p, err)
		}
		if strings.Contains(change, "grant") && (len(p.More) != 1 || len(p.Wide(nil)) != 1) {
			t.Errorf("what the newer version asks for: got %+v", p.More)
		}
		if err := in.Install(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		e, offered := entry(t, in, "a.lua"), newFile("", []byte(text), Source{}, "")
		if e.SHA256 != offered.SHA256 || onDisk(in, "a.lua") != text+"-- mine\n" ||
			drifts(t, in) != "a.lua edited edited" {
			t.Errorf("got %+v, %s, %q", e, drifts(t, in), onDisk(in, "a.lua"))
		}
		if p, err := in.Newer(t.Context(), *e); p != nil || err != nil {
			t.Errorf("there is nothing newer now: got %+v, %v", p, err)
		}
	}
	for range 2 {
		if err := in.Restore(t.Context(), "a.lua"); err != nil {
			t.Fatal(err)
		}
	}
	write(t, in.Path("a.lua"), text)
	if got := drifts(t, in); got != "a.lua" {
		t.Errorf("without the edits: got %s", got)
	}
}

// TestMergeConflict checks that lines which both have changed are named, and that nothing changes.
func TestMergeConflict(t *testing.T) {
	t.Parallel()
	in, from := newInstaller(t), t.TempDir()
	install(t, in, from, "a.lua", threeLines)
	edited := "-- mine\n" + strings.Replace(threeLines, "two", "deux", 1)
	write(t, in.Path("a.lua"), edited)
	p, err := newer(t, in, from, strings.Replace(threeLines, "two", "2", 1))
	var conflict *ConflictError
	if p != nil || !errors.As(err, &conflict) ||
		!slices.Equal(conflict.Lines, []diff.Conflict{{First: 3, Last: 3}}) ||
		!strings.Contains(err.Error(), "what you have edited: line 3") {
		t.Errorf("got %+v, %v", p, err)
	}
	if onDisk(in, "a.lua") != edited {
		t.Errorf("got %q", onDisk(in, "a.lua"))
	}
}

// TestMergeNeedsTheOriginal checks that there is no merge if the bytes that were installed are not
// known, or are not those that the lock file names.
func TestMergeNeedsTheOriginal(t *testing.T) {
	t.Parallel()
	in, from := newInstaller(t), t.TempDir()
	install(t, in, from, "a.lua", threeLines)
	write(t, in.Path("a.lua"), threeLines+"-- mine\n")
	kept := filepath.Join(originals(in), entry(t, in, "a.lua").SHA256)
	write(t, kept, "-- changed\n")
	if p, err := newer(t, in, from, "-- 0\n"+threeLines); p != nil || err != nil {
		t.Errorf("other bytes: got %+v, %v", p, err)
	}
	if err := os.RemoveAll(originals(in)); err != nil {
		t.Fatal(err)
	}
	if p, err := newer(t, in, from, "-- 0\n"+threeLines); p != nil || err != nil {
		t.Errorf("no bytes: got %+v, %v", p, err)
	}
}

// TestMergeTakesTheOriginalOfGit checks that the bytes come from the commit that was installed.
func TestMergeTakesTheOriginalOfGit(t *testing.T) {
	t.Parallel()
	dir, _ := repository(t)
	in := newInstaller(t)
	files, err := fetched(t, in.Fetch, "git:"+dir+"//a.lua")
	if err != nil {
		t.Fatal(err)
	}
	p, err := in.Preview(files[0])
	if err == nil {
		err = in.Install(t.Context(), p)
	}
	if err != nil {
		t.Fatal(err)
	}
	was := onDisk(in, "a.lua")
	write(t, in.Path("a.lua"), was+"-- between\n-- mine\n")
	if err := os.RemoveAll(originals(in)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a.lua"), "-- 0\n"+was)
	git(t, dir, "commit", "-q", "-a", "-m", "newer")
	e := *entry(t, in, "a.lua")
	if p, err = in.Newer(t.Context(), e); err == nil {
		p, err = Merge(t.Context(), in, p, e)
	}
	if err != nil || p == nil || string(p.File.Text) != "-- 0\n"+was+"-- between\n-- mine\n" {
		t.Errorf("got %+v, %v", p, err)
	}
}

// TestMergeBesideOthers checks that edits of an older version do not take back what the lock file
// has had since, by others.
func TestMergeBesideOthers(t *testing.T) {
	t.Parallel()
	in, other, from := newInstaller(t), newInstaller(t), t.TempDir()
	for _, x := range []*Installer{in, other} {
		install(t, x, from, "a.lua", threeLines)
	}
	write(t, in.Path("a.lua"), threeLines+"-- mine\n")
	install(t, other, from, "a.lua", "-- 0\n"+threeLines)
	b, err := os.ReadFile(other.Lock)
	if err != nil {
		t.Fatal(err)
	}
	write(t, in.Lock, string(b))
	if err := keepOriginal(in, newFile("a.lua", []byte("-- 0\n"+threeLines), Source{},
		"")); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace("-- 0\n"+threeLines, "one", "1", 1)
	if p, err := newer(t, in, from, want); err != nil ||
		string(p.File.Text) != want+"-- mine\n" {
		t.Errorf("got %+v, %v", p, err)
	}
}

// TestOriginalsAreFew checks that the oldest ones go.
func TestOriginalsAreFew(t *testing.T) {
	t.Parallel()
	in := newInstaller(t)
	oldest := filepath.Join(originals(in), "oldest")
	write(t, oldest, "x")
	if err := os.Chtimes(oldest, in.now(), in.now()); err != nil {
		t.Fatal(err)
	}
	for i := range mostOriginals - 1 {
		write(t, filepath.Join(originals(in), strconv.Itoa(i)), "x")
	}
	f := newFile("a.lua", []byte("-- a\n"), Source{}, "")
	if err := keepOriginal(in, f); err != nil {
		t.Fatal(err)
	}
	list, _ := os.ReadDir(originals(in))
	if len(list) != mostOriginals || realpath.Exists(oldest) ||
		!realpath.Exists(filepath.Join(originals(in), f.SHA256)) {
		t.Errorf("there are %d", len(list))
	}
}
