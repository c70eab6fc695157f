package trial_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesStayInTheWorld checks that t.file can access only the folders of a test, whatever the
// path is.
func TestFilesStayInTheWorld(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	for _, path := range []string{outside, "../../outside", "~/../../outside", "a/../../x", "", ".",
		"~/", "~/.."} {
		script := "ext.test('x', function(t) t.file([[" + path + "]], 'text') end)"
		if got := results(t, "x.lua", script); !strings.Contains(got, "t.file: path: got ") {
			t.Errorf("%q: %s", path, got)
		}
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("written outside")
	}
	for _, script := range []string{
		"t.file('a/b.txt', 'one') t.equal(ext.fs.read('a/b.txt'), 'one') t.file('a/b.txt') " +
			"t.equal(ext.fs.exists('a/b.txt'), false) t.file('a/b.txt')",
		"t.file('~/n.txt', 'two') t.equal(ext.fs.read('~/n.txt'), 'two')",
	} {
		script = "-- ==Agent==\n-- @grant fs.read:./** fs.read:~/**\n-- " +
			"==/Agent==\next.test('x', function(t) " + script + " end)"
		if got := results(t, "x.lua", script); got != "x: ok" {
			t.Errorf("%s: %s", script, got)
		}
	}
}
