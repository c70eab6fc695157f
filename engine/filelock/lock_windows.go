package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// far is the position of the lock, in units of 4 GiB.
const far = 1 << 30

// Try locks the file for this process, as long as it is open. Locks of this system prevent reading,
// so it locks a byte beyond the end of any file.
func Try(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: far}
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return nil
}

// unlock does nothing: children do not share the handle.
func unlock(*os.File) {}
