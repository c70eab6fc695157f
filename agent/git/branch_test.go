package git

import (
	"os"
	"path/filepath"
	"testing"
)

func TestBranch(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "a", "b")
	os.MkdirAll(sub, 0o755)
	os.MkdirAll(filepath.Join(dir, ".git", "worktrees", "w"), 0o755)
	os.MkdirAll(filepath.Join(dir, "w"), 0o755)
	write := func(name, content string) {
		os.WriteFile(filepath.Join(dir, name), []byte(content),
			0o644)
	}
	write(".git/HEAD", "ref: refs/heads/feature/x\n")
	write("w/.git", "gitdir: ../.git/worktrees/w\n")
	write(".git/worktrees/w/HEAD", "0123456789abcdef0123\n")
	if got := Branch(sub); got != "feature/x" {
		t.Errorf("got %q", got)
	}
	if got := Branch(filepath.Join(dir, "w")); got != "0123456789ab" {
		t.Errorf("work tree: got %q", got)
	}
	if got := Branch(""); got != "" {
		t.Errorf("nowhere: got %q", got)
	}
}
