package atomicfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	if err := Create(path, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Create(path, []byte("two"), 0o644); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want %v", err, fs.ErrExist)
	}
	st, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o644 {
		t.Errorf("got %v, %v, want mode 0644", st, err)
	}
	wantOnly(t, dir, "one")
}

func TestDraft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	draft := func() Draft {
		f, err := root.OpenFile(".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return Draft{f, root, ".new"}
	}
	for _, durable := range []bool{false, true} {
		if err := draft().Put(t.Context(), []byte("one"), "x", durable); err != nil {
			t.Fatal(err)
		}
		wantOnly(t, dir, "one")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := draft().Put(ended, []byte("two"), "x", false); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	wantOnly(t, dir, "one")
	draft().Discard()
	wantOnly(t, dir, "one")
}

// wantOnly checks that the folder has only the file x, with that text.
func wantOnly(t *testing.T, dir, text string) {
	t.Helper()
	if b, err := os.ReadFile(filepath.Join(dir, "x")); err != nil || string(b) != text {
		t.Errorf("got %q, %v, want %q", b, err, text)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("there are %d files, want 1", len(left))
	}
}
