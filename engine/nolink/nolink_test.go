package nolink

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// world makes a folder d with d/f, d/e/f, the link d/link to ../secret/f, the links d/in and l to
// the folder secret, and secret/f.
func world(t *testing.T) (at func(name string) string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at = func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, name := range []string{"d/e", "secret"} {
		if err := os.MkdirAll(at(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"d/f", "d/e/f", "secret/f"} {
		if err := os.WriteFile(at(name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"l": "secret", "d/link": "../secret/f",
		"d/in": "../secret"} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Skip("links are not supported: ", err)
		}
	}
	return at
}

// expect compares what was opened, or the error, with want.
func expect(t *testing.T, what string, f *os.File, err, want error, content string) {
	t.Helper()
	if err != nil || want != nil {
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", what, err, want)
		}
		return
	}
	defer f.Close()
	if b, err := io.ReadAll(f); err != nil || string(b) != content {
		t.Errorf("%s: got %q, %v, want %q", what, b, err, content)
	}
}

// TestNoLinkIsFollowed: at once and folder by folder, a path with a link is refused.
func TestNoLinkIsFollowed(t *testing.T) {
	t.Parallel()
	at := world(t)
	for name, want := range map[string]error{"secret/f": nil, "l/f": ErrMoved, "d/link": ErrMoved,
		"d/in/f": ErrMoved, "d": syscall.EISDIR, "d/none": fs.ErrNotExist,
		"d/f/x": syscall.ENOTDIR} {
		f, err := Open(at(name))
		expect(t, name, f, err, want, name)
		f, err = openSteps(at(name))
		expect(t, name+" folder by folder", f, err, want, name)
	}
	tree, err := OpenTree(at("d"))
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for name, want := range map[string]error{"f": nil, "e/f": nil, "link": ErrMoved,
		"in/f": ErrMoved, "e": syscall.EISDIR, "none": fs.ErrNotExist} {
		f, err := tree.Open(name)
		expect(t, "below: "+name, f, err, want, "d/"+name)
		f, err = tree.openSteps(name)
		expect(t, "below, folder by folder: "+name, f, err, want, "d/"+name)
	}
	if to, err := tree.Readlink("link"); err != nil || to != "../secret/f" {
		t.Errorf("got %q, %v", to, err)
	}
	if _, err := OpenTree(at("l")); !errors.Is(err, ErrMoved) {
		t.Errorf("a tree that is a link: got %v", err)
	}
}

// TestReadDir: the entries of folders, of none through a link.
func TestReadDir(t *testing.T) {
	t.Parallel()
	at := world(t)
	tree, err := OpenTree(at("d"))
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	steps := func(rel string) ([]fs.DirEntry, error) {
		f, err := tree.openFolder(rel)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return f.ReadDir(-1)
	}
	for what, read := range map[string]func(string) ([]fs.DirEntry, error){"at once": tree.ReadDir,
		"folder by folder": steps} {
		for rel, want := range map[string]int{"": 4, "e": 1} {
			if list, err := read(rel); err != nil || len(list) != want {
				t.Errorf("%s: %q: got %d entries, %v, want %d", what, rel, len(list), err, want)
			}
		}
		if _, err := read("in"); !errors.Is(err, ErrMoved) && !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%s: through a link: got %v", what, err)
		}
		if _, err := read("none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

// TestOpenFolder: missing folders are made where no link is on the way.
func TestOpenFolder(t *testing.T) {
	t.Parallel()
	at := world(t)
	for _, name := range []string{"l", "l/new", "d/in/new"} {
		if _, err := OpenFolder(at(name), true); !errors.Is(err, ErrMoved) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if list, err := os.ReadDir(at("secret")); err != nil || len(list) != 1 {
		t.Errorf("a folder was created: %v, %v", list, err)
	}
	root, err := OpenFolder(at("d/new/er"), true)
	if err != nil {
		t.Fatal(err)
	}
	root.Close()
	if st, err := os.Stat(at("d/new/er")); err != nil || !st.IsDir() {
		t.Error(err)
	}
}

// TestNothingWaits: opening a pipe, or a folder where one is, does not wait.
func TestNothingWaits(t *testing.T) {
	t.Parallel()
	at := world(t)
	pipe(t, at("d/pipe"))
	tree, err := OpenTree(at("d"))
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for what, open := range map[string]func() (*os.File, error){
		"at once":            func() (*os.File, error) { return Open(at("d/pipe")) },
		"folder by folder":   func() (*os.File, error) { return openSteps(at("d/pipe")) },
		"below":              func() (*os.File, error) { return tree.Open("pipe") },
		"below, by folder":   func() (*os.File, error) { return tree.openSteps("pipe") },
		"as a folder":        func() (*os.File, error) { return tree.openFolder("pipe") },
		"as a folder below ": func() (*os.File, error) { return tree.Open("pipe/x") },
	} {
		if f, err := open(); err == nil || strings.Contains(err.Error(), "moved") {
			t.Errorf("%s: got %v, %v", what, f, err)
		}
	}
	for _, path := range []string{at("d/pipe"), at("d/pipe/x")} {
		if _, err := OpenFolder(path, false); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("got %v", err)
		}
	}
}
