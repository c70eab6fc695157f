package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAlwaysSticks: the answer "always" holds after a restart, and can be taken back.
func TestAlwaysSticks(t *testing.T) {
	t.Parallel()
	x := newTerminal(t)
	asks := func() {
		t.Helper()
		x.submit("run git status --short")
		x.listens("bash wants to run")
	}
	x.start("--model offline")
	asks()
	x.typed("", "Right", "Right") // it has no letter: it holds for longer than once
	x.wait(`›Always allow: bash\(git status \*\)`)
	x.typed("", "Enter")
	x.wait("git status --short: ")
	x.quit()
	if info, err := os.Stat(filepath.Join(x.home, "permissions.json")); err != nil ||
		info.Mode().Perm() != 0o600 {
		t.Fatalf("got %v, %v, want a file of mode 600", info, err)
	}
	x.start("--model offline")
	x.submit("run git status -s -b")
	x.wait("git status -s -b: ")
	x.typed("/permissions", "Enter")
	x.wait("git status .* always, in this project")
	x.typed("/permissions remove 1", "Enter")
	x.wait("Removed: ")
	asks()
	x.typed("n")
	x.wait("refused by the user")
	x.quit()
}
