// Package filelock lets one process at a time have a file. A lock ends with its process, however
// that ends.
package filelock

import (
	"errors"
	"os"
)

// ErrLocked is the error of Try if somebody else has the file.
var ErrLocked = errors.New("locked by another process")

// Close unlocks f and closes it. Closing alone is not enough: a child that is being started shares
// the open file, and its lock, until it runs its program.
func Close(f *os.File) error {
	unlock(f)
	return f.Close()
}
