// Package filelock locks files: one process at a time holds a lock. A lock ends with its process.
package filelock

import (
	"errors"
	"os"
)

// ErrLocked is the error of Try if another process holds the lock.
var ErrLocked = errors.New("locked by another process")

// Close unlocks f and closes it. Closing alone is not enough: a child that is being started shares
// the open file, and its lock, until it runs its program.
func Close(f *os.File) error {
	unlock(f)
	return f.Close()
}
