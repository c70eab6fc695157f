package trust_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agentscripts/agent/engine/trust"
)

// files writes files below a new folder.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLeases(t *testing.T) {
	t.Parallel()
	l := trust.NewLeases(t.TempDir())
	root := files(t, map[string]string{".git/HEAD": "aaaa\n"})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(l.Begin(root, "a.lua"))
	check(l.Begin("/other", "b.lua"))
	check(l.NoteTool(root, "a.lua", "ff"))
	check(l.NoteTool(root, "a.lua", "ff"))
	list, err := l.In(root)
	if err != nil || len(list) != 1 || list[0].Path != "a.lua" || list[0].Head != "aaaa" ||
		len(list[0].Tools) != 1 {
		t.Fatalf("got %+v %v", list, err)
	}
	check(l.End(root, "a.lua"))
	if list, err := l.In(root); err != nil || len(list) != 0 {
		t.Errorf("got %+v %v", list, err)
	}
	if info, err := os.Stat(l.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v %v", info, err)
	}
}
