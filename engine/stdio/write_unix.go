//go:build unix

package stdio

import (
	"errors"
	"os"
	"syscall"
)

// writeSome writes what a pipe takes without waiting. A deadline would do the same, but each one
// wakes the goroutine that waits for timers.
func writeSome(file *os.File, b []byte) (n int, err error) {
	conn, err := file.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = conn.Write(func(fd uintptr) bool {
		for n < len(b) {
			m, err := syscall.Write(int(fd), b[n:])
			switch {
			case errors.Is(err, syscall.EINTR):
				continue
			case errors.Is(err, syscall.EAGAIN):
				return true
			case err != nil:
				failed = &os.PathError{Op: "write", Path: file.Name(), Err: err}
				return true
			}
			n += m
		}
		return true
	})
	if err == nil {
		err = failed
	}
	return n, err
}
