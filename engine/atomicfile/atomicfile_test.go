package atomicfile

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(string, []byte) error{
		"Write":        func(path string, b []byte) error { return Write(path, b, 0o600) },
		"WriteDurable": WriteDurable,
		"PutDurable": func(path string, b []byte) error {
			f, err := os.CreateTemp(filepath.Dir(path), "new-*")
			if err != nil {
				return err
			}
			return PutDurable(f, b, path)
		}} {
		dir := t.TempDir()
		path := filepath.Join(dir, "x")
		for _, text := range []string{"one", "two, longer", ""} {
			if err := write(path, []byte(text)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if b, err := os.ReadFile(path); err != nil || string(b) != text {
				t.Errorf("%s: got %q, %v, want %q", name, b, err, text)
			}
		}
		st, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: got %v, %v, want a private file", name, st, err)
		}
		if err := write(filepath.Join(dir, "none", "x"), []byte("lost")); err == nil {
			t.Errorf("%s: a folder that does not exist is no error", name)
		}
		taken := filepath.Join(dir, "taken")
		if err := os.MkdirAll(filepath.Join(taken, "full"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := write(taken, []byte("lost")); err == nil {
			t.Errorf("%s: a folder in the place of the file is no error", name)
		}
		if left, _ := os.ReadDir(dir); len(left) != 2 {
			t.Errorf("%s: there are %d files, want 2", name, len(left))
		}
	}
}

func TestPutClosed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := PutDurable(f, []byte("lost"), filepath.Join(dir, "x")); err == nil {
		t.Error("what could not be written is no error")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("there are %d files, want none", len(left))
	}
}
