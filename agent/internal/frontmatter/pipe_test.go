//go:build unix

package frontmatter

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPipe checks that a pipe in place of a file is an error at once, without a writer.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "SKILL.md")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Read(path)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("got %v, want that it is not a regular file", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("Read waits for a writer")
	}
}
