package load_test

import (
	"os"
	"syscall"
	"testing"
)

// TestMountOverScripts: a file system that is mounted over the folder of scripts, and removed, is
// noticed at once.
func TestMountOverScripts(t *testing.T) {
	if os.Getenv("TMPDIR") == "" || os.Getuid() != 0 {
		t.Skip("the mount would be seen by the whole system")
	}
	w := newWorld(t, nil)
	w.save("a.fake", "tool v1")
	w.start()
	w.untilMark("v1")
	if err := syscall.Mount("tmpfs", w.scripts, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip(err)
	}
	mounted := true
	defer func() {
		if mounted {
			syscall.Unmount(w.scripts, syscall.MNT_DETACH)
		}
	}()
	w.save("b.fake", "tool v2")
	w.untilMark("v2")
	must(t, syscall.Unmount(w.scripts, syscall.MNT_DETACH))
	mounted = false
	w.save("c.fake", "tool v3")
	w.untilMark("v3")
}
