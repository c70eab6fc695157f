package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAlwaysIsStored checks that the answer "always" still applies after a restart, and can be
// revoked.
func TestAlwaysIsStored(t *testing.T) {
	t.Parallel()
	x := newTerminal(t)
	asks := func() {
		t.Helper()
		x.submit("run git status --short")
		x.waitForFocus("bash wants to run")
	}
	x.start("--model offline --no-sandbox") // in one, git status needs no approval
	asks()
	x.sendKeys("", "Right", "Right") // it has no letter, because it lasts longer than this call
	x.wait(`› ?Always allow: bash\(git status \*\)`)
	x.sendKeys("", "Enter")
	x.wait(`Rule: bash\(git status \*\)`) // it can be edited before it is stored
	x.sendKeys("", "BSpace", "x", "Enter")
	x.wait("want a \\) at the end")
	x.sendKeys("", "BSpace", "BSpace", "x", ")", "Enter")
	x.wait("would ask again")
	x.sendKeys("", "BSpace", "BSpace", "*", ")", "Enter")
	x.wait("git status --short: ")
	x.quit()
	if info, err := os.Stat(filepath.Join(x.home, "permissions.json")); err != nil ||
		info.Mode().Perm() != 0o600 {
		t.Fatalf("got %v, %v, want a file of mode 600", info, err)
	}
	x.start("--model offline --no-sandbox")
	x.submit("run git status -s -b")
	x.wait("git status -s -b: ")
	x.sendKeys("/permissions", "Enter")
	x.wait("git status .* always, in this project")
	x.sendKeys("/permissions remove 1", "Enter")
	x.wait("Removed: ")
	asks()
	x.sendKeys("n")
	x.wait("refused by the user")
	x.quit()
}
