//go:build unix

package filelock_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/agentscripts/agent/engine/filelock"
)

// TestCloseEndsTheLock closes a file that a child still has open: between fork and exec it has
// every open file of its parent.
func TestCloseEndsTheLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, second := open(), open()
	defer second.Close()
	if err := filelock.Try(first); err != nil {
		t.Fatal(err)
	}
	if err := filelock.Try(second); err != filelock.ErrLocked {
		t.Fatalf("got %v, want %v", err, filelock.ErrLocked)
	}
	childs, err := unix.Dup(int(first.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(childs)
	if err := filelock.Close(first); err != nil {
		t.Fatal(err)
	}
	if err := filelock.Try(second); err != nil {
		t.Errorf("the lock outlives the file: %v", err)
	}
}
