package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPut(t *testing.T) {
	for name, put := range map[string]func(*os.File, []byte, string) error{"Put": Put,
		"PutDurable": PutDurable} {
		dir := t.TempDir()
		path := filepath.Join(dir, "x")
		fresh := func() *os.File {
			f, err := os.CreateTemp(dir, "new-*")
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		for _, text := range []string{"one", "two, longer", ""} {
			if err := put(fresh(), []byte(text), path); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if b, err := os.ReadFile(path); err != nil || string(b) != text {
				t.Errorf("%s: got %q, %v, want %q", name, b, err, text)
			}
		}
		closed := fresh()
		closed.Close()
		if err := put(closed, []byte("lost"), path); err == nil {
			t.Errorf("%s: what could not be written is no error", name)
		}
		if err := put(fresh(), []byte("lost"), filepath.Join(dir, "none", "x")); err == nil {
			t.Errorf("%s: what could not be moved is no error", name)
		}
		if b, _ := os.ReadFile(path); len(b) != 0 {
			t.Errorf("%s: a failure left %q", name, b)
		}
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Errorf("%s: there are %d files, want 1", name, len(left))
		}
	}
}
