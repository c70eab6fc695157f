//go:build unix

package regularfile_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agentscripts/agent/engine/regularfile"
)

// TestNotRegular checks that anything other than a regular file is an error that says what it is,
// with every way to open it, and nothing waits.
func TestNotRegular(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	pipe, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("pipe", link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "a named pipe", socket: "a socket",
		dir: "a folder", os.DevNull: "a device", link: "a named pipe"} {
		for _, flag := range []int{os.O_RDONLY, os.O_RDWR | os.O_CREATE,
			os.O_WRONLY | os.O_APPEND | os.O_CREATE, os.O_WRONLY | os.O_TRUNC} {
			_, err := regularfile.Open(path, flag, 0o600)
			if !errors.Is(err, regularfile.ErrNotRegular) || !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), path) {
				t.Errorf("%s with %#x: got %v", path, flag, err)
			}
		}
		if _, err := regularfile.Read(path); !errors.Is(err, regularfile.ErrNotRegular) {
			t.Errorf("read %s: got %v", path, err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := regularfile.OpenIn(root, "pipe"); !errors.Is(err, regularfile.ErrNotRegular) {
		t.Errorf("in a root: got %v", err)
	}
}

func TestRegular(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	if _, err := regularfile.Read(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: got %v", err)
	}
	for _, text := range []string{"a", "b"} {
		f, err := regularfile.Open(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Error(err)
		}
		f.Close()
	}
	if b, err := regularfile.Read(path); string(b) != "ab" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
}
