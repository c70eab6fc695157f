package share

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRemovedExtensions: the folder of a removed extension comes back as it was, the last one
// first, and one that is in its place is not lost.
func TestRemovedExtensions(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var forgotten []string
	in := &Installer{Home: home, Scripts: filepath.Join(home, "scripts"),
		Lock: filepath.Join(home, "scripts.lock"), Extensions: filepath.Join(home, "extensions"),
		Fetch: &Fetcher{}, Now: func() time.Time { return time.Unix(0, 0) },
		Removed: func(name string) error { forgotten = append(forgotten, name); return nil }}
	bin := Extensions{in}
	file := filepath.Join(in.Extensions, "a", "bin", "main")
	it := Status{File: "a/m.json", Path: filepath.Join(in.Extensions, "a", "m.json")}
	put := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	restore := func(want string) {
		t.Helper()
		if _, err := bin.Restore("a"); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(file); string(b) != want {
			t.Errorf("got %q %v, want %q", b, err, want)
		}
	}
	if bin.Remove(it) == nil {
		t.Error("removed what is not there")
	}
	other := Status{File: "a/m.json", Path: filepath.Join(home, "zot", "a", "m.json")}
	if err := bin.Remove(other); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("an extension elsewhere: got %v", err)
	}
	for _, text := range []string{"first", "second"} {
		put(text)
		if err := bin.Remove(it); err != nil {
			t.Fatal(err)
		}
	}
	if len(forgotten) != 2 || forgotten[0] != "a/m.json" {
		t.Errorf("got %v", forgotten)
	}
	if bin.Folder("a") != "a" || bin.Folder("a/m.json") != "a" ||
		bin.Folder("b") != "" || len(in.Trash()) != 0 {
		t.Error("the trash does not name what is in it")
	}
	restore("second")
	restore("first")
	restore("second")
	for range mostFolders + 1 {
		put("more")
		if err := bin.Remove(it); err != nil {
			t.Fatal(err)
		}
	}
	if items, _ := bin.items(); len(items) != mostFolders {
		t.Errorf("the trash has %d extensions, want %d", len(items), mostFolders)
	}
}
