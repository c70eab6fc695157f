package tool

import (
	"context"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestBesideLongNames: the temporary name of a file with a long name is text, without a part of a
// character, which some file systems refuse.
func TestBesideLongNames(t *testing.T) {
	t.Parallel()
	dir, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	f, err := beside(dir, "x"+strings.Repeat("é", 110))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if !utf8.ValidString(f.Name) {
		t.Errorf("got %q", f.Name)
	}
}

// TestWriteAfterCancel: a cancelled call replaces nothing, and leaves no temporary file.
func TestWriteAfterCancel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := put(t, dir, "x", "old")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := callContext(ctx, t, dir, "write", map[string]any{"path": "x", "content": "new"}, nil)
	if !r.IsError || text(r) != "write x: cancelled by the user" || get(t, path) != "old" {
		t.Errorf("got %q, and the file is %q", text(r), get(t, path))
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("there are %d files, want 1 (%v)", len(left), err)
	}
}
