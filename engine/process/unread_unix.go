//go:build unix

package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// unread reports whether f holds bytes that have not been read, or is at its end. It does not wait.
func unread(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	ready := false
	err = conn.Control(func(fd uintptr) {
		list := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(list, 0)
		ready = n > 0 && err == nil
	})
	return ready && err == nil
}
