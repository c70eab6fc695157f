// Package filelock lets one process at a time have a file. A lock ends with its process, however
// that ends.
package filelock

import "errors"

// ErrLocked is the error of Try if somebody else has the file.
var ErrLocked = errors.New("locked by another process")
