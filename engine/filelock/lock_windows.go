package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try takes the file for this process, as long as it is open. Locks of this system keep others from
// reading, so it lies on a byte where no file ever gets to.
func Try(f *os.File) error {
	const far = 1 << 30 // times 4 GiB
	at := &windows.Overlapped{OffsetHigh: far}
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return nil
}
