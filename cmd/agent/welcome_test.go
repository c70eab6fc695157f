package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFirstStart checks that a first start offers scripts, that one key adds a script, which is in
// force at once, that another shows what it does, and that later starts do not offer them.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	x := newTerminal(t)
	if err := os.Remove(filepath.Join(x.home, "scripts")); err != nil {
		t.Fatal(err)
	}
	x.startFor("", "── welcome")
	x.wait("careful.lua .*Prevents data loss")
	x.waitForFocus("── welcome")
	x.sendKeys("1")
	x.wait("careful.lua is in force")
	x.sendKeys("t")
	x.wait("Ask, or type|a-folder-that-does-not-exist")
	x.sendKeys("", "Enter")
	x.wait("refused by careful.lua: rm -r cannot be undone")
	x.sendKeys("/welcome", "Enter")
	x.wait("● +careful.lua")
	x.sendKeys("", "Tab", "2")
	x.wait("redact.js is in force")
	x.sendKeys("t", "Enter")
	x.wait(`password=\[redacted:password\]`)
	if x.count("careful.lua reloaded") > 0 {
		t.Errorf("another script was added, and careful.lua began again:\n%s", x.screen())
	}
	x.quit()
	x.start("")
	if x.count("── welcome") > 0 {
		t.Errorf("the second start:\n%s", x.screen())
	}
	x.quit()
}

// TestStarters checks that the scripts to begin with are in the gallery, in both languages.
func TestStarters(t *testing.T) {
	for _, s := range starters {
		if len(specimens(s.name)) < len(languages) {
			t.Errorf("%s is not in the gallery in %d languages", s.name, len(languages))
		}
		if s.try == "" {
			t.Errorf("no line tries %s", s.name)
		}
	}
}
