package ramdisk_test

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/agentscripts/agent/engine/ramdisk"
)

func TestMain(m *testing.M) {
	ramdisk.Use()
	os.Exit(m.Run())
}

// TestUse: the temporary files are in memory, and only this program sees them.
func TestUse(t *testing.T) {
	dir := os.TempDir()
	if filepath.Base(dir) != ramdisk.Name {
		t.Skip("TMPDIR was set, or this user may not mount")
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	const tmpfs = 0x01021994 // linux/magic.h
	if fs.Type != tmpfs {
		t.Errorf("%s: got a file system of type %#x", dir, fs.Type)
	}
	ours, err := os.Readlink("/proc/self/ns/mnt")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.Readlink("/proc/" + strconv.Itoa(os.Getppid()) + "/ns/mnt")
	if err != nil {
		t.Fatal(err)
	}
	if ours == theirs {
		t.Error("the process that started this one has the mount, too")
	}
}
