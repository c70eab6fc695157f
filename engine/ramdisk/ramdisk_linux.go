package ramdisk

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Name is the name of the folder, which is in the usual folder for temporary files. A socket's path
// may have 107 bytes, so it is short.
const Name = "agent-tests"

// Use starts this test program again with TMPDIR set to a folder in memory, which only the program
// and its children see. It returns if TMPDIR is set, as it is after the new start, if this user may
// not mount, and if the program is not called NAME.test. Call it first in TestMain: what was done
// before is done twice.
func Use() {
	if os.Getenv("TMPDIR") != "" || os.Getuid() != 0 || !strings.HasSuffix(os.Args[0], ".test") {
		return
	}
	dir := filepath.Join(os.TempDir(), Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return
	}
	// Only this thread has the mounts, and it becomes the only thread of the program below.
	runtime.LockOSThread()
	if err := mount(dir); err != nil {
		return
	}
	if err := os.Setenv("TMPDIR", dir); err != nil {
		panic(err)
	}
	if err := syscall.Exec("/proc/self/exe", os.Args, os.Environ()); err != nil {
		panic(err)
	}
}

// mount mounts a folder in memory at dir for the current thread.
func mount(dir string) error {
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return err
	}
	// otherwise the rest of the system would get the mount, too
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	// Tests start programs from there several thousand times. With huge pages for large files, that
	// takes a quarter less time; some kernels cannot do it.
	if syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=1777,huge=within_size") == nil {
		return nil
	}
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=1777")
}
