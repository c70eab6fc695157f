package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestUserShellIsOutside: what the user types after ! runs outside of the sandbox, without a
// question, after the guards have seen it.
func TestUserShellIsOutside(t *testing.T) {
	t.Parallel()
	d := newDrive(t, map[string]string{"./.git/config": "", "./.git/hooks/old": "old",
		"g.lua": `ext.guard({ match = "forbidden" }, { block = true, reason = "not even you" })`})
	d.user = &user{}
	d.open()
	d.input("!cd .git/hooks; pwd; echo new > mine")
	d.input("!echo forbidden > .git/hooks/forbidden")
	d.close()
	if b, err := os.ReadFile(filepath.Join(d.dir, ".git/hooks/mine")); string(b) != "new\n" {
		t.Errorf("%q %v: %s", b, err, d.sessions())
	}
	if _, err := os.Stat(filepath.Join(d.dir, ".git/hooks/forbidden")); err == nil {
		t.Error("the guard did not see it")
	}
	if len(d.user.asked) > 0 {
		t.Errorf("asked %q", d.user.asked)
	}
}
