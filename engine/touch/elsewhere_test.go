package touch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestListingIsNotReading checks lines of which it is certain that no content of .env is read.
func TestListingIsNotReading(t *testing.T) {
	f, dir := world(t)
	for line := range strings.SplitSeq("ls -la .env|stat .env|du -sh * .env|wc -l .env|tree -a|"+
		"find . -name '.env*' -exec ls -l {} +|"+
		"git pull --rebase|git stash && git stash pop|git rebase -i main|tar xzf x.tgz -C sub|"+
		"tar tf x.tar|unzip x.zip|patch -p1 < a.go|ssh host cat .env|git bisect log", "|") {
		if fits, sure := f.Command(line, dir, dir).Fits("reads", "**/.env*"); fits || !sure {
			t.Errorf("%s: fits %v, sure %v", line, fits, sure)
		}
	}
	for _, line := range []string{
		"find . -name a.go | xargs -a .env cat",
		"find . -name a.go -exec cat .env \\; | xargs cat", "find . -name '*b' | xargs -db cat",
		"ssh 0x7f000001 cat .env", "ssh -F cfg x cat .env", "ssh -o HostName=vm x cat .env",
		"ssh ::1 cat .env",
		"tar c -T <(ls -A)", "for f in .[a-z]*; do du --files0-from=$f; done",
		"gcc -x c -E <(cat j.h)", "tree -ao x", "git grep x .env", "tree --fromfile .env",
		"du --files0-from=.env", "wc --files0-from .env", "ssh -F .env host",
		"find . -exec cat {} +", "ssh localhost cat .env",
	} {
		if fits, sure := f.Command(line, dir, dir).Fits("reads", "**/.env*"); !fits && sure {
			t.Errorf("%s reads .env, and nothing is said of it", line)
		}
	}
}

// TestMovedWorkTree checks that git may write anywhere if its configuration names a work tree.
func TestMovedWorkTree(t *testing.T) {
	f, dir := world(t)
	makeRepository(t, dir)
	for _, c := range []struct {
		config string
		sure   bool
	}{{"[core]\n\tbare = false\n", true}, {"[core]\n\tworkTree = /\n", false},
		{"[include]\n\tpath = x\n", false}, {"[branch \"worktree\"]\n\tmerge = x\n", true}} {
		err := os.WriteFile(filepath.Join(dir, ".git", "config"), []byte(c.config), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, sure := f.Command("git pull", dir, dir).Fits("writes", "~/.bashrc"); sure != c.sure {
			t.Errorf("%q: sure %v", c.config, sure)
		}
	}
}

// makeRepository makes dir the work tree of an empty repository.
func makeRepository(t *testing.T, dir string) {
	t.Helper()
	git := filepath.Join(dir, ".git")
	if err := os.Mkdir(git, 0o700); err != nil {
		t.Fatal(err)
	}
	head := []byte("ref: refs/heads/main\n")
	if err := os.WriteFile(filepath.Join(git, "HEAD"), head, 0o600); err != nil {
		t.Fatal(err)
	}
}
