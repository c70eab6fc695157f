package touch

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// TestHardLinks: a guarded file is told by another name of it, a hard link.
func TestHardLinks(t *testing.T) {
	t.Parallel()
	f, dir := world(t)
	for name, of := range map[string]string{"plain": ".env", "sub/deep.txt": ".env",
		"b.txt": "a.go", "key": "../home/.ssh/id"} {
		if of == "../home/.ssh/id" {
			if err := os.MkdirAll(filepath.Join(dir, "../home/.ssh"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, of), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Link(filepath.Join(dir, of), filepath.Join(dir, name)); err != nil {
			t.Skip("this system has no hard links")
		}
	}
	for _, x := range []struct {
		tool, at, pattern string
		want              bool
	}{
		{"read", "plain", "**/.env", true}, {"read", "sub/deep.txt", "**/.env", true},
		{"read", "plain", "./.env", true}, {"read", "b.txt", "**/.env", false},
		{"read", "key", "~/.ssh/**", true}, {"read", "plain", "~/.ssh/**", false},
		{"read", "a.go", "**/.env", false}, {"grep", "sub", "**/.env", true},
		{"grep", ".", "~/.ssh/*", true}, {"grep", "sub", "~/.ssh/*", false},
		{"bash", "cat plain", "**/.env", true}, {"bash", "cat pl*", "**/.env", true},
		{"bash", "cp -r sub x", "**/.env", true}, {"bash", "cat b.txt", "**/.env", false},
		{"bash", "head -n 1 key", "~/.ssh/id", true}, {"bash", "ls plain", "**/nothing", false},
	} {
		args := map[string]any{"path": x.at, "command": x.at, "pattern": "x"}
		c := &engine.Call{Tool: x.tool, Args: args, Env: &event.Envelope{CWD: dir, Project: dir}}
		fits, sure := f.Call(c, builtin(c.Tool)).Fits("reads", x.pattern)
		if fits != x.want || !sure {
			t.Errorf("%s %s, %s: got %v, %v", x.tool, x.at, x.pattern, fits, sure)
		}
	}
	if fits, _ := f.Command("echo x > plain", dir, dir).Fits("writes", "**/.env"); !fits {
		t.Error("echo x > plain does not write .env")
	}
}

// TestManyFilesBesideHardLinks: if there are too many files to look for the guarded ones, it is
// unknown whether a file with several names is one of them; for other files that does not matter.
func TestManyFilesBesideHardLinks(t *testing.T) {
	t.Parallel()
	f, dir := world(t)
	if err := os.Link(filepath.Join(dir, "a.go"), filepath.Join(dir, "other")); err != nil {
		t.Skip("this system has no hard links")
	}
	said := f.Command("cat other", dir, dir)
	said.disk.spend(maxLooks)
	if fits, sure := said.Fits("reads", "**/.env"); fits || sure {
		t.Errorf("got %v, %v", fits, sure)
	}
	for i := range 20 {
		if err := os.WriteFile(filepath.Join(dir, "f"+strconv.Itoa(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	said = f.Command("cat f1", dir, dir)
	before := said.disk.looks.Load()
	if fits, sure := said.Fits("reads", "**/.env"); fits || !sure {
		t.Errorf("got %v, %v", fits, sure)
	}
	if n := said.disk.looks.Load() - before; n > 2 {
		t.Errorf("a file with one name takes %d looks more", n)
	}
}
