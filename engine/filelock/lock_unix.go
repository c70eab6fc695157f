//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Try locks the file for this process, as long as it is open. If the file system does not support
// locks, it does nothing.
func Try(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		default:
			return nil
		}
	}
}

func unlock(f *os.File) {
	for errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_UN), unix.EINTR) {
	}
}
