package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestFiles checks which files a user can pick, without git too, and the bound.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{".gitignore": "*.log\nbuild/\n", "a.log": "", "z": "",
		"build/out": "", "sub/deep/x y": "", "sub/b": "", "new\nline": "", ".git/config": ""} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{".gitignore", "new\nline", "sub/", "z", "sub/b", "sub/deep/", "sub/deep/x y"}
	got, all, err := Files(t.Context(), dir, nil, 100)
	if err != nil || !all || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, %v", got, all, err)
	}
	if got, all, err := Files(t.Context(), dir, nil, 3); err != nil || all || len(got) != 3 {
		t.Errorf("got %q, %v, %v, want three", got, all, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, all, err := Files(ended, dir, nil, 100); all || err != nil {
		t.Errorf("got %v, %v", all, err)
	}
	if _, _, err := Files(t.Context(), filepath.Join(dir, "none"), nil, 100); err == nil {
		t.Error("a missing directory was listed")
	}
	if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	if got, _, err := Files(t.Context(), dir, nil, 100); err != nil || !slices.Contains(got, "z") {
		t.Errorf("without git: got %q, %v", got, err)
	}
}

// BenchmarkFiles lists 100,000 files.
func BenchmarkFiles(b *testing.B) {
	dir := b.TempDir()
	for i := range 1000 {
		sub := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(sub, 0o700); err != nil {
			b.Fatal(err)
		}
		for j := range 100 {
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprint(j)), nil, 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		if _, _, err := Files(b.Context(), dir, nil, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}
